/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Tracks which slots of locals and stack hold `this` along each path from the constructor's
 * beginning to the call that initialises it. The verifier requires merging paths to agree about
 * this, so each position is visited only once.
 */
#include "init_scan.h"
#include "opcodes.h"

#define MOST_MEMORY (16 << 20) /* bytes of waiting states */

enum { ANY, THIS };

struct state {
	struct state *next;
	uint32_t at, depth;
	uint8_t slots[]; /* locals, then the stack */
};

struct walk {
	const struct init_scan *in;
	uint8_t *seen; /* by position */
	struct state *waiting;
	size_t memory;
	const char *why;
};

static const char no_memory[] = "no memory", odd[] = "its constructor's code is invalid",
		  moves[] = "its constructor moves `this` before it is initialised";

/* Queues a path that continues at `at`; in an exception handler the stack holds only the
 * exception. */
static void wait_at(struct walk *w, int64_t at, const struct state *from, bool handler)
{
	size_t size = sizeof(*from) + w->in->locals + w->in->stack;
	struct state *s;

	if (w->why)
		return;
	if (at < 0 || at >= w->in->size || (handler && !w->in->stack)) {
		w->why = odd;
		return;
	}
	if (w->seen[at])
		return;
	w->memory += size;
	s = w->memory <= MOST_MEMORY ? malloc(size) : NULL;
	if (!s) {
		w->why = w->memory <= MOST_MEMORY ? no_memory :
						    "its constructor has too many branches";
		return;
	}
	memcpy(s, from, size);
	s->at = (uint32_t)at;
	if (handler) {
		s->depth = 1;
		s->slots[w->in->locals] = ANY;
	}
	s->next = w->waiting;
	w->waiting = s;
}

static bool push(struct walk *w, struct state *s, uint8_t what)
{
	if (s->depth == w->in->stack)
		return false;
	s->slots[w->in->locals + s->depth++] = what;
	return true;
}

static bool pop(const struct walk *w, struct state *s, uint8_t *what)
{
	if (!s->depth)
		return false;
	*what = s->slots[w->in->locals + --s->depth];
	return true;
}

/* dup, dup_x1 … dup2_x2: copies the upper `copies` slots beneath the next `under` ones. */
static bool duplicate(struct walk *w, struct state *s, unsigned int copies, unsigned int under)
{
	uint8_t *top, moved[4];

	if (s->depth < copies + under || s->depth + copies > w->in->stack)
		return false;
	top = s->slots + w->in->locals + s->depth;
	memcpy(moved, top - copies - under, copies + under);
	memcpy(top - copies - under, moved + under, copies);
	memcpy(top - under, moved, under);
	memcpy(top, moved + under, copies);
	s->depth += copies;
	return true;
}

/* Returns the number of a load's or store's local variable. */
static uint32_t local_of(const uint8_t *p, uint8_t first_short)
{
	if (p[0] == OP_WIDE)
		return (uint32_t)p[2] << 8 | p[3];
	return p[0] >= first_short ? (uint32_t)(p[0] - first_short) & 3 : p[1];
}

static bool is_load_of_reference(uint8_t op)
{
	return op == OP_ALOAD || (op >= OP_ALOAD_0 && op <= OP_ALOAD_3);
}

static bool is_store(uint8_t op)
{
	return op >= OP_ISTORE && op <= OP_ASTORE_3;
}

/* istore_0 and the following 19: int, long, float, double, reference, four locals each. */
static bool store(struct walk *w, struct state *s, const uint8_t *p)
{
	uint8_t op = p[0] == OP_WIDE ? p[1] : p[0], what = ANY, other;
	unsigned int type = op >= OP_ISTORE_0 ? (op - OP_ISTORE_0) / 4u :
						(unsigned int)op - OP_ISTORE;
	bool two = type == 1 || type == 3;
	uint32_t local = local_of(p, OP_ISTORE_0);

	if (local + two >= w->in->locals || !pop(w, s, &what) || (two && !pop(w, s, &other)))
		return false;
	s->slots[local] = what;
	if (two)
		s->slots[local + 1] = ANY;
	return true;
}

/* Whether the instruction calls the constructor that initialises `this`. */
static bool initialises_this(struct walk *w, const struct state *s, const uint8_t *p)
{
	struct constant_text name, descriptor;
	unsigned int arguments, result;

	if (p[0] != OP_INVOKESPECIAL ||
	    !constants_member(w->in->constants, class_u16(p + 1), &name, &descriptor) ||
	    !constant_is(name, "<init>") || !descriptor_slots(descriptor, &arguments, &result) ||
	    arguments + 1 > s->depth)
		return false;
	return s->slots[w->in->locals + s->depth - arguments - 1] == THIS;
}

/* Applies the instruction to the slots. */
static bool step(struct walk *w, struct state *s)
{
	const uint8_t *p = w->in->code + s->at;
	uint8_t op = p[0] == OP_WIDE ? p[1] : p[0], what;
	unsigned int takes, puts;
	uint32_t local;

	if (is_load_of_reference(op)) {
		local = local_of(p, OP_ALOAD_0);
		return local < w->in->locals && push(w, s, s->slots[local]);
	}
	if (is_store(op))
		return store(w, s, p);
	switch (op) {
	case OP_JSR:
	case OP_JSR_W:
		return false; /* compilers do not generate subroutines there */
	case OP_DUP:
		return duplicate(w, s, 1, 0);
	case OP_DUP_X1:
		return duplicate(w, s, 1, 1);
	case OP_DUP_X2:
		return duplicate(w, s, 1, 2);
	case OP_DUP2:
		return duplicate(w, s, 2, 0);
	case OP_DUP2_X1:
		return duplicate(w, s, 2, 1);
	case OP_DUP2_X2:
		return duplicate(w, s, 2, 2);
	case OP_SWAP:
		return duplicate(w, s, 1, 1) && pop(w, s, &what);
	}
	if (!op_stack(w->in->code, s->at, w->in->constants, &takes, &puts) || takes > s->depth ||
	    s->depth - takes + puts > w->in->stack)
		return false;
	s->depth -= takes;
	memset(s->slots + w->in->locals + s->depth, ANY, puts);
	s->depth += puts;
	return true;
}

static void branches(struct walk *w, const struct state *s, const struct op_switch *cases)
{
	const uint8_t *p = w->in->code + s->at;
	uint32_t i;

	if (op_is_branch(p[0])) {
		wait_at(w, (int64_t)s->at + (int16_t)class_u16(p + 1), s, false);
	} else if (p[0] == OP_GOTO_W) {
		wait_at(w, (int64_t)s->at + (int32_t)class_u32(p + 1), s, false);
	} else if (p[0] == OP_TABLESWITCH || p[0] == OP_LOOKUPSWITCH) {
		wait_at(w, (int64_t)s->at + (int32_t)class_u32(w->in->code + cases->base), s,
			false);
		for (i = 0; i < cases->n && !w->why; i++)
			wait_at(w,
				(int64_t)s->at + (int32_t)class_u32(w->in->code + cases->cases +
								    i * cases->step),
				s, false);
	}
}

static void into_handlers(struct walk *w, const struct state *s)
{
	uint32_t i;

	for (i = 0; i < w->in->handler_count && !w->why; i++) {
		const struct handler *h = &w->in->handlers[i];

		if (s->at >= h->start && s->at < h->end)
			wait_at(w, h->target, s, true);
	}
}

/* Follows a path from *s to a visited position, or to the call that initialises `this`. */
static void follow(struct walk *w, struct state *s, uint8_t *early)
{
	struct op_switch cases = { 0 };
	uint32_t length;

	while (!w->why && !w->seen[s->at]) {
		w->seen[s->at] = 1;
		early[s->at] = 1;
		length = op_length(w->in->code, w->in->size, s->at, &cases);
		if (!length || !w->in->locals || s->slots[0] != THIS) {
			w->why = length ? moves : odd;
			return;
		}
		into_handlers(w, s);
		if (initialises_this(w, s, w->in->code + s->at))
			return;
		if (!step(w, s)) {
			w->why = odd;
			return;
		}
		branches(w, s, &cases);
		if (op_ends(w->in->code[s->at]))
			return;
		s->at += length;
		if (s->at >= w->in->size) {
			w->why = odd;
			return;
		}
	}
}

const char *init_scan(const struct init_scan *scan, uint8_t *early)
{
	struct walk w = { .in = scan };
	struct state *s = calloc(1, sizeof(*s) + scan->locals + scan->stack);

	w.seen = calloc(1, scan->size + 1);
	if (!s || !w.seen)
		w.why = no_memory;
	else if (!scan->locals)
		w.why = odd;
	else
		s->slots[0] = THIS;
	if (!w.why)
		wait_at(&w, 0, s, false);
	free(s);
	while (w.waiting) {
		s = w.waiting;
		w.waiting = s->next;
		w.memory -= sizeof(*s) + scan->locals + scan->stack;
		follow(&w, s, early);
		free(s);
	}
	free(w.seen);
	return w.why;
}
