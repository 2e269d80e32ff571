/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The new code consists of the old instructions and the plan's insertions between them. The new
 * positions of all instructions are computed first; only the padding of switches depends on the
 * position. Local variables keep their numbers.
 */
#include "code_rewrite.h"
#include "stack_map.h"
#include "init_scan.h"
#include "opcodes.h"

#define LONGEST 65535

static const char no_memory[] = "no memory", cut[] = "its code is truncated",
		  odd[] = "its code has an unknown instruction",
		  elsewhere[] = "its code refers to a position without an instruction",
		  too_long[] = "it would be longer than 64 KB",
		  too_far[] = "a branch would be longer than 32 KB",
		  taken[] = "it overwrites its first local variable";

enum code_mark {
	TARGET = 1,  /* an exception handler starts here */
	COVERED = 2, /* the range of a handler of all exceptions starts here */
	ENTERED = 4, /* `entered` was inserted directly before */
};

/* A range covered by our handler, in old positions. */
struct covered {
	uint32_t start, end;
};

struct code {
	const struct code_plan *plan;
	const struct constants *constants;
	const uint8_t *old;
	uint32_t size, now; /* old and new length, without our handler at the end */
	uint16_t stack, locals;
	struct handler *handlers;
	uint32_t handler_count;
	struct moved moved;
	uint8_t *marks; /* by old position: enum code_mark */
	uint8_t *early; /* by old position: `this` is uninitialised; NULL: nowhere */
	struct covered *covered;
	uint32_t covered_count, covered_room;
	struct class_out *out;
};

static uint32_t padding(uint32_t at)
{
	return 3 - (at & 3);
}

/* The insertions before an instruction, in this order. */
struct inserts {
	const struct code_insert *first, *second;
};

static const struct code_insert nothing;

static struct inserts before(const struct code *c, uint32_t at)
{
	const struct code_plan *p = c->plan;
	uint8_t op = c->old[at];

	return (struct inserts){
		.first = c->marks[at] & TARGET ? &p->caught : &nothing,
		.second = op_is_return(op)      ? &p->leave :
			  op == OP_MONITORENTER ? &p->enter :
			  op == OP_MONITOREXIT  ? &p->exit :
						  &nothing,
	};
}

static const struct code_insert *behind(const struct code *c, uint32_t at)
{
	bool held = c->old[at] == OP_MONITORENTER && c->marks[at + 1] & COVERED;

	return held ? &c->plan->entered : &nothing;
}

/* Computes the new position of each instruction. */
static const char *lay_out(struct code *c)
{
	struct op_switch cases;
	struct inserts put;
	uint32_t at, length;

	c->moved.size = c->size;
	c->moved.to = malloc((c->size + 1) * sizeof(*c->moved.to));
	c->moved.before = calloc(1, c->size);
	if (!c->moved.to || !c->moved.before)
		return no_memory;
	memset(c->moved.to, 0xff, (c->size + 1) * sizeof(*c->moved.to));
	c->now = c->plan->begin.n;
	for (at = 0; at < c->size; at += length) {
		length = op_length(c->old, c->size, at, &cases);
		if (!length)
			return odd;
		put = before(c, at);
		c->moved.to[at] = c->now;
		c->moved.before[at] = put.first->n + put.second->n;
		c->now += c->moved.before[at];
		if (c->old[at] == OP_TABLESWITCH || c->old[at] == OP_LOOKUPSWITCH)
			c->now += padding(c->now) - padding(at);
		c->now += length + behind(c, at)->n;
		if (behind(c, at)->n)
			c->marks[at + length] |= ENTERED;
	}
	c->moved.to[c->size] = c->now;
	return NULL;
}

/* A handler that covers itself, as javac's of a synchronized block does, gets no hook: if the stack
 * overflowed in the hook, it would catch that again and again. */
static void leave_own_handlers(struct code *c)
{
	for (uint32_t i = 0; i < c->handler_count; i++) {
		const struct handler *h = &c->handlers[i];

		if (h->start <= h->target && h->target < h->end)
			c->marks[h->target] &= (uint8_t)~TARGET;
	}
}

static const char *read_handlers(struct code *c, struct bytes *b)
{
	uint32_t i;

	c->handler_count = bytes_u16(b);
	if (bytes_left(b) < c->handler_count * sizeof(*c->handlers))
		return cut;
	c->handlers = malloc(c->handler_count * sizeof(*c->handlers) + 1);
	c->marks = calloc(1, c->size + 1);
	if (!c->handlers || !c->marks)
		return no_memory;
	for (i = 0; i < c->handler_count; i++) {
		struct handler *h = &c->handlers[i];

		*h = (struct handler){ .start = bytes_u16(b) };
		h->end = bytes_u16(b);
		h->target = bytes_u16(b);
		h->type = bytes_u16(b);
		if (h->target >= c->size)
			return elsewhere;
		c->marks[h->target] |= TARGET;
		if (!h->type && h->start < c->size)
			c->marks[h->start] |= COVERED;
	}
	leave_own_handlers(c);
	return NULL;
}

static const char *see_handlers(const struct code *c)
{
	uint32_t i;

	for (i = 0; i < c->handler_count; i++) {
		const struct handler *h = &c->handlers[i];

		if (moved_to(&c->moved, h->start) == MOVED_NOWHERE ||
		    moved_to(&c->moved, h->end) == MOVED_NOWHERE ||
		    moved_to(&c->moved, h->target) == MOVED_NOWHERE)
			return elsewhere;
	}
	return NULL;
}

/* Computes the ranges that our handler covers: all code that is not early. */
static const char *cover(struct code *c)
{
	struct op_switch cases;
	uint32_t at, length;

	for (at = 0; at < c->size; at += length) {
		struct covered *last = c->covered_count ? &c->covered[c->covered_count - 1] : NULL;

		length = op_length(c->old, c->size, at, &cases);
		if (c->early && c->early[at])
			continue;
		/* An empty method throws nothing. (Object's constructor is one; HotSpot 17's C2,
		 * which treats it specially, crashes if it has a handler.) */
		if (c->size == 1 && c->old[at] == OP_RETURN)
			continue;
		if (!last || last->end != at) {
			if (array_next(c->covered, c->covered_count, c->covered_room))
				return no_memory;
			last = &c->covered[c->covered_count++];
			last->start = at;
		}
		last->end = at + length;
	}
	return c->covered_count + c->handler_count > UINT16_MAX ? too_long : NULL;
}

/* Whether local variable 0 keeps its initial value. */
static bool keeps_first(const struct code *c)
{
	struct op_switch cases;
	uint32_t at, length;

	for (at = 0; at < c->size; at += length) {
		const uint8_t *p = c->old + at;

		length = op_length(c->old, c->size, at, &cases);
		if (op_stores_first(p))
			return false;
	}
	return true;
}

static const char *scan_early(struct code *c)
{
	struct init_scan scan = {
		.code = c->old,
		.size = c->size,
		.stack = c->stack + 1u, /* duplicate() needs one more slot for swap */
		.locals = c->locals,
		.handlers = c->handlers,
		.handler_count = c->handler_count,
		.constants = c->constants,
	};

	c->early = calloc(1, c->size);
	return c->early ? init_scan(&scan, c->early) : no_memory;
}

/* ---- writing --------------------------------------------------------------------------------- */

static void put(struct code *c, const struct code_insert *insert)
{
	class_out_bytes(c->out, insert->bytes, insert->n);
}

/* Computes the new distance of a branch; false: its target is not an instruction. */
static bool distance(const struct code *c, uint32_t at, int32_t by, int32_t *result)
{
	int64_t target = (int64_t)at + by;
	uint32_t to = target < 0 || target >= c->size ? MOVED_NOWHERE : c->moved.to[target];

	if (to == MOVED_NOWHERE)
		return false;
	*result = (int32_t)to - (int32_t)moved_itself(&c->moved, at);
	return true;
}

static const char *write_switch(struct code *c, uint32_t at, const struct op_switch *cases)
{
	static const uint8_t zeros[3];
	uint32_t i;
	int32_t by;

	class_out_u8(c->out, c->old[at]);
	class_out_bytes(c->out, zeros, padding(moved_itself(&c->moved, at)));
	if (!distance(c, at, (int32_t)class_u32(c->old + cases->base), &by))
		return elsewhere;
	class_out_u32(c->out, (uint32_t)by);
	/* Bounds, or the number of pairs: between the default and the first case. */
	class_out_bytes(c->out, c->old + cases->base + 4, cases->step == 8 ? 4 : 8);
	for (i = 0; i < cases->n; i++) {
		const uint8_t *offset = c->old + cases->cases + i * cases->step;

		if (cases->step == 8)
			class_out_bytes(c->out, offset - 4, 4);
		if (!distance(c, at, (int32_t)class_u32(offset), &by))
			return elsewhere;
		class_out_u32(c->out, (uint32_t)by);
	}
	return NULL;
}

static const char *write_instruction(struct code *c, uint32_t at, uint32_t length,
				     const struct op_switch *cases)
{
	const uint8_t *p = c->old + at;
	int32_t by;

	put(c, before(c, at).first);
	put(c, before(c, at).second);
	if (*p == OP_TABLESWITCH || *p == OP_LOOKUPSWITCH)
		return write_switch(c, at, cases);
	if (op_is_branch(*p)) {
		if (!distance(c, at, (int16_t)class_u16(p + 1), &by))
			return elsewhere;
		if (by != (int16_t)by)
			return too_far;
		class_out_u8(c->out, *p);
		class_out_u16(c->out, (uint16_t)by);
	} else if (*p == OP_GOTO_W || *p == OP_JSR_W) {
		if (!distance(c, at, (int32_t)class_u32(p + 1), &by))
			return elsewhere;
		class_out_u8(c->out, *p);
		class_out_u32(c->out, (uint32_t)by);
	} else {
		class_out_bytes(c->out, p, length);
	}
	put(c, behind(c, at));
	return NULL;
}

static const char *write_code(struct code *c)
{
	struct op_switch cases = { 0 };
	uint32_t at, length;
	const char *why = NULL;

	put(c, &c->plan->begin);
	for (at = 0; at < c->size && !why; at += length) {
		length = op_length(c->old, c->size, at, &cases);
		why = write_instruction(c, at, length, &cases);
	}
	if (c->covered_count) {
		put(c, &c->plan->unwind);
		class_out_u8(c->out, OP_ATHROW);
	}
	return why;
}

/* Returns the start of a handler's range, which includes the hook after a monitorenter. */
static uint16_t holds_from(const struct code *c, const struct handler *h)
{
	uint32_t to = c->moved.to[h->start];

	if (!h->type && c->marks[h->start] & ENTERED)
		to -= c->plan->entered.n;
	return (uint16_t)to;
}

static void write_handlers(struct code *c)
{
	uint32_t i;

	class_out_u16(c->out, (uint16_t)(c->handler_count + c->covered_count));
	for (i = 0; i < c->handler_count; i++) {
		const struct handler *h = &c->handlers[i];

		class_out_u16(c->out, holds_from(c, h));
		class_out_u16(c->out, (uint16_t)c->moved.to[h->end]);
		class_out_u16(c->out, (uint16_t)c->moved.to[h->target]);
		class_out_u16(c->out, h->type);
	}
	/* Ours come last, so that the method's own handlers take precedence. */
	for (i = 0; i < c->covered_count; i++) {
		class_out_u16(c->out, (uint16_t)c->moved.to[c->covered[i].start]);
		class_out_u16(c->out, (uint16_t)c->moved.to[c->covered[i].end]);
		class_out_u16(c->out, (uint16_t)c->now);
		class_out_u16(c->out, 0);
	}
}

/* ---- attributes ------------------------------------------------------------------------------ */

/* Writes an attribute's header; returns the position of its content. */
static size_t begin_attribute(struct code *c, uint16_t name)
{
	class_out_u16(c->out, name);
	class_out_u32(c->out, 0);
	return c->out->n;
}

static void end_attribute(struct code *c, size_t start)
{
	class_out_set32(c->out, start - 4, (uint32_t)(c->out->n - start));
}

/* Entries for the first instruction also apply to the hook call before it. */
static uint32_t from(const struct code *c, uint32_t at)
{
	return at ? moved_to(&c->moved, at) : 0;
}

static const char *write_lines(struct code *c, struct bytes *b)
{
	uint32_t n = bytes_u16(b), to;

	class_out_u16(c->out, (uint16_t)n);
	while (n-- && !b->bad) {
		to = from(c, bytes_u16(b));
		if (to == MOVED_NOWHERE)
			return elsewhere;
		class_out_u16(c->out, (uint16_t)to);
		class_out_u16(c->out, bytes_u16(b));
	}
	return b->bad ? cut : NULL;
}

static const char *write_variables(struct code *c, struct bytes *b)
{
	uint32_t n = bytes_u16(b), start, to, end;

	class_out_u16(c->out, (uint16_t)n);
	while (n-- && !b->bad) {
		start = bytes_u16(b);
		to = from(c, start);
		end = moved_to(&c->moved, start + bytes_u16(b));
		if (to == MOVED_NOWHERE || end == MOVED_NOWHERE)
			return elsewhere;
		class_out_u16(c->out, (uint16_t)to);
		class_out_u16(c->out, (uint16_t)(end - to));
		class_out_bytes(c->out, bytes_take(b, 6), b->bad ? 0 : 6);
	}
	return b->bad ? cut : NULL;
}

/* Keeps the attributes that the VM or a debugger reads; others may contain positions, or are
 * unused. */
static const char *write_attributes(struct code *c, struct bytes *b)
{
	uint32_t count = bytes_u16(b), kept = 0;
	size_t count_at = c->out->n, start;
	struct bytes frames = class_bytes(NULL, 0);
	const char *why = NULL;

	class_out_u16(c->out, 0);
	while (count-- && !b->bad && !why) {
		uint16_t name = bytes_u16(b);
		uint32_t length = bytes_u32(b);
		struct constant_text text = constants_utf8(c->constants, name);
		struct bytes in = class_bytes(bytes_take(b, length), length);
		bool lines = constant_is(text, "LineNumberTable");

		if (constant_is(text, "StackMapTable")) {
			frames = in;
			continue;
		}
		if (!lines && !constant_is(text, "LocalVariableTable") &&
		    !constant_is(text, "LocalVariableTypeTable"))
			continue;
		start = begin_attribute(c, name);
		why = lines ? write_lines(c, &in) : write_variables(c, &in);
		end_attribute(c, start);
		kept++;
	}
	if (c->plan->frames && !why && !b->bad) {
		struct frame_handler handler = {
			.at = c->covered_count ? c->now : 0,
			.first = c->plan->first,
			.throwable = c->plan->throwable,
		};

		start = begin_attribute(c, c->plan->frames);
		why = frames_write(&frames, &c->moved, &handler, c->out);
		end_attribute(c, start);
		kept++;
	}
	class_out_set16(c->out, count_at, (uint16_t)kept);
	return why ? why : b->bad ? cut : NULL;
}

static const char *rewrite(struct code *c, struct bytes *b)
{
	const char *why = read_handlers(c, b);
	size_t start;

	if (!why)
		why = lay_out(c);
	if (!why)
		why = see_handlers(c);
	if (!why && c->plan->early)
		why = scan_early(c);
	if (!why && c->plan->first && !keeps_first(c))
		why = taken;
	if (!why && c->plan->unwind.n)
		why = cover(c);
	if (!why && c->now + c->plan->unwind.n + 1u > LONGEST)
		why = too_long;
	if (why)
		return why;
	/* A hook's argument is on top of a return value; our handler needs the exception and an
	 * argument. */
	class_out_u16(c->out, c->stack < 1 ? 2 : c->stack + 1u);
	class_out_u16(c->out, c->locals);
	class_out_u32(c->out, 0);
	start = c->out->n;
	why = write_code(c);
	class_out_set32(c->out, start - 4, (uint32_t)(c->out->n - start));
	write_handlers(c);
	return why ? why : write_attributes(c, b);
}

const char *code_rewrite(struct bytes *b, const struct code_plan *plan,
			 const struct constants *constants, struct class_out *out)
{
	struct code c = { .plan = plan, .constants = constants, .out = out };
	const char *why;

	c.stack = bytes_u16(b);
	c.locals = bytes_u16(b);
	c.size = bytes_u32(b);
	c.old = bytes_take(b, c.size);
	if (!c.old || !c.size || c.size > LONGEST || c.stack == UINT16_MAX)
		return c.old && c.size ? too_long : cut;
	why = rewrite(&c, b);
	free(c.moved.to);
	free(c.moved.before);
	free(c.handlers);
	free(c.marks);
	free(c.early);
	free(c.covered);
	return why ? why : out->failed ? no_memory : NULL;
}
