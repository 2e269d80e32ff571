/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "native_frames.h"

#include <elf.h>
#include <link.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <ucontext.h>

#include "guarded.h"
#include "rule_cache.h"

#define FILES_MOST 512
#define STEPS_MOST 4096 /* instructions of one function's table */
#define STATES     8    /* depth of DW_CFA_remember_state */
#define TABLE_MOST (1u << 20)

/* DWARF register numbers on x86-64. */
#define REG_FRAME  6
#define REG_STACK  7
#define REG_RETURN 16

static struct native_file file[FILES_MOST]; /* only grows: loads from unloaded files just fail */
static atomic_uint files;
static unsigned long long changes; /* dlpi_adds when the C library's list was last read */

static bool is_known(const struct native_file *f)
{
	for (unsigned int i = files; i; i--)
		if (file[i - 1].low == f->low && file[i - 1].high == f->high &&
		    file[i - 1].index == f->index)
			return true;
	return false;
}

void native_frames_add(const struct native_file *f)
{
	if (files == FILES_MOST || is_known(f))
		return;
	file[files] = *f;
	atomic_fetch_add_explicit(&files, 1, memory_order_release);
	rule_cache_clear();
}

static int add_file(struct dl_phdr_info *info, size_t size, void *arg)
{
	(void)size;
	changes = info->dlpi_adds;
	for (unsigned int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		uint64_t low = info->dlpi_addr + p->p_vaddr;

		if (p->p_type == PT_GNU_EH_FRAME)
			*(uint64_t *)arg = low;
	}
	for (unsigned int i = 0; *(uint64_t *)arg && i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		uint64_t low = info->dlpi_addr + p->p_vaddr;
		struct native_file f = { low, low + p->p_memsz, *(uint64_t *)arg };

		if (p->p_type == PT_LOAD && p->p_flags & PF_X)
			native_frames_add(&f);
	}
	*(uint64_t *)arg = 0;
	return 0;
}

static int see_changes(struct dl_phdr_info *info, size_t size, void *arg)
{
	(void)size;
	*(unsigned long long *)arg = info->dlpi_adds;
	return 1;
}

void native_frames_refresh(void)
{
	unsigned long long now = 0;
	uint64_t index = 0;

	dl_iterate_phdr(see_changes, &now);
	if (files && now == changes)
		return;
	dl_iterate_phdr(add_file, &index);
	rule_cache_clear();
}

/* Returns the latest match: an unloaded file may have had the same addresses. */
static const struct native_file *file_of(uint64_t pc)
{
	for (unsigned int i = atomic_load_explicit(&files, memory_order_acquire); i; i--)
		if (pc >= file[i - 1].low && pc < file[i - 1].high)
			return &file[i - 1];
	return NULL;
}

/* ---- the tables ------------------------------------------------------------------------------ */

struct reach {
	uint64_t at, end;
	bool failed;
};

static uint64_t take(struct reach *r, size_t n)
{
	uint64_t value = 0;

	if (r->failed || n > r->end - r->at || !guarded_copy(&value, r->at, n)) {
		r->failed = true;
		return 0;
	}
	r->at += n;
	return value;
}

static uint64_t take_unsigned(struct reach *r)
{
	uint64_t value = 0, byte;
	unsigned int shift = 0;

	do {
		byte = take(r, 1);
		if (shift < 64)
			value |= (byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80 && !r->failed);
	return value;
}

static int64_t take_signed(struct reach *r)
{
	uint64_t value = 0, byte;
	unsigned int shift = 0;

	do {
		byte = take(r, 1);
		if (shift < 64)
			value |= (byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80 && !r->failed);
	if (shift < 64 && byte & 0x40)
		value |= ~0ull << shift;
	return (int64_t)value;
}

/* Reads a pointer in the given encoding; supports those that compilers emit: 32 bits, absolute or
 * PC-relative, and 64 bits. */
static uint64_t take_pointer(struct reach *r, uint8_t how)
{
	uint64_t from = r->at, value;

	switch (how & 0x0f) {
	case 0x0b: /* 4 bytes, signed */
		value = (uint64_t)(int64_t)(int32_t)take(r, 4);
		break;
	case 0x03:
		value = take(r, 4);
		break;
	case 0x00:
	case 0x04:
	case 0x0c:
		value = take(r, 8);
		break;
	default:
		r->failed = true;
		return 0;
	}
	if ((how & 0x70) == 0x10)
		value += from;
	else if (how & 0x70)
		r->failed = true;
	return value;
}

/* Binary search in the file's index. Returns the function's table, 0 if there is none. */
static uint64_t table_of(const struct native_file *f, uint64_t pc)
{
	struct reach r = { f->index, UINT64_MAX, false };
	uint64_t version = take(&r, 1), how = take(&r, 1), count_how = take(&r, 1),
		 entry_how = take(&r, 1), count, low = 0, high, first;
	uint32_t pair[2];

	take_pointer(&r, (uint8_t)how);
	if (version != 1 || count_how != 0x03 || entry_how != 0x3b)
		return 0;
	count = take(&r, 4);
	first = r.at;
	if (r.failed || !count)
		return 0;
	for (high = count; high - low > 1;) {
		uint64_t middle = low + (high - low) / 2;

		if (!guarded_copy(pair, first + middle * 8, 4))
			return 0;
		if (f->index + (uint64_t)(int64_t)(int32_t)pair[0] <= pc)
			low = middle;
		else
			high = middle;
	}
	if (!guarded_copy(pair, first + low * 8, 8) ||
	    f->index + (uint64_t)(int64_t)(int32_t)pair[0] > pc)
		return 0;
	return f->index + (uint64_t)(int64_t)(int32_t)pair[1];
}

struct common {
	uint64_t code_factor;
	int64_t data_factor;
	uint8_t pointers;
	bool is_augmented, is_signal;
	struct reach program;
};

static bool begin_entry(struct reach *r, uint64_t at)
{
	uint64_t length;

	*r = (struct reach){ at, UINT64_MAX, false };
	length = take(r, 4);
	if (length == 0xffffffff || !length || length > TABLE_MOST || r->failed)
		return false;
	r->end = r->at + length;
	return true;
}

static bool read_common(uint64_t at, struct common *c)
{
	char letter[8] = "";
	unsigned int i = 0;
	struct reach r;

	if (!begin_entry(&r, at) || take(&r, 4))
		return false;
	if (take(&r, 1) != 1)
		return false;
	while (i < sizeof(letter) - 1 && (letter[i] = (char)take(&r, 1)))
		i++;
	if (letter[i] || i == sizeof(letter) - 1)
		return false;
	c->code_factor = take_unsigned(&r);
	c->data_factor = take_signed(&r);
	if (take_unsigned(&r) != REG_RETURN)
		return false;
	c->is_augmented = letter[0] == 'z';
	if (letter[0] && !c->is_augmented)
		return false;
	if (c->is_augmented) {
		uint64_t size = take_unsigned(&r), end;

		if (size > r.end - r.at)
			return false;
		end = r.at + size;
		for (i = 1; letter[i]; i++) {
			if (letter[i] == 'R')
				c->pointers = (uint8_t)take(&r, 1);
			else if (letter[i] == 'L')
				take(&r, 1);
			else if (letter[i] == 'P')
				take_pointer(&r, (uint8_t)take(&r, 1) & 0x7f);
			else if (letter[i] == 'S')
				c->is_signal = true;
			else
				break;
		}
		r.at = end;
	}
	c->program = r;
	return !r.failed;
}

/* ---- the rules ------------------------------------------------------------------------------- */

enum rule { RULE_SAME, RULE_AT, RULE_NONE, RULE_OTHER };

struct unwind_state {
	uint64_t stack_register; /* the caller's stack pointer is this register's value … */
	int64_t stack_offset;    /* … plus this offset */
	struct {
		enum rule how;
		int64_t offset; /* from the caller's stack pointer */
	} frame, back;
	bool is_plain; /* the rule of the stack pointer is not an expression */
};

/* Unsigned multiplication: a corrupt table may overflow it. */
static int64_t scaled(uint64_t n, const struct common *c)
{
	return (int64_t)(n * (uint64_t)c->data_factor);
}

static void set_rule(struct unwind_state *s, uint64_t number, enum rule how, int64_t offset)
{
	if (number == REG_FRAME) {
		s->frame.how = how;
		s->frame.offset = offset;
	} else if (number == REG_RETURN) {
		s->back.how = how;
		s->back.offset = offset;
	}
}

static void restore_rule(struct unwind_state *s, const struct unwind_state *first, uint64_t number)
{
	if (number == REG_FRAME)
		s->frame = first->frame;
	else if (number == REG_RETURN)
		s->back = first->back;
}

static void skip_block(struct reach *r)
{
	uint64_t size = take_unsigned(r);

	if (size > r->end - r->at)
		r->failed = true;
	else
		r->at += size;
}

/* Instructions that do not advance the address and are not encoded in the high two bits. */
static bool run_other(struct reach *r, const struct common *c, uint8_t op, struct unwind_state *s,
		      const struct unwind_state *first)
{
	uint64_t number;

	switch (op) {
	case 0x00:
		return true;
	case 0x05: /* offset_extended */
		number = take_unsigned(r);
		set_rule(s, number, RULE_AT, scaled(take_unsigned(r), c));
		return true;
	case 0x06: /* restore_extended */
		restore_rule(s, first, take_unsigned(r));
		return true;
	case 0x07: /* undefined */
		set_rule(s, take_unsigned(r), RULE_NONE, 0);
		return true;
	case 0x08: /* same_value */
		set_rule(s, take_unsigned(r), RULE_SAME, 0);
		return true;
	case 0x09: /* register */
		number = take_unsigned(r);
		take_unsigned(r);
		set_rule(s, number, RULE_OTHER, 0);
		return true;
	case 0x0c: /* def_cfa */
		s->stack_register = take_unsigned(r);
		s->stack_offset = (int64_t)take_unsigned(r);
		s->is_plain = true;
		return true;
	case 0x0d:
		s->stack_register = take_unsigned(r);
		return true;
	case 0x0e:
		s->stack_offset = (int64_t)take_unsigned(r);
		return true;
	case 0x0f: /* def_cfa_expression */
		skip_block(r);
		s->is_plain = false;
		return true;
	case 0x10: /* expression */
	case 0x16:
		number = take_unsigned(r);
		skip_block(r);
		set_rule(s, number, RULE_OTHER, 0);
		return true;
	case 0x11:
		number = take_unsigned(r);
		set_rule(s, number, RULE_AT, scaled((uint64_t)take_signed(r), c));
		return true;
	case 0x12:
		s->stack_register = take_unsigned(r);
		s->stack_offset = scaled((uint64_t)take_signed(r), c);
		s->is_plain = true;
		return true;
	case 0x13:
		s->stack_offset = scaled((uint64_t)take_signed(r), c);
		return true;
	case 0x2e: /* GNU_args_size */
		take_unsigned(r);
		return true;
	default:
		return false;
	}
}

/* Sets the number of bytes by which an advance instruction moves the address. */
static bool is_advance(struct reach *r, const struct common *c, uint8_t op, uint64_t *by)
{
	if (op >> 6 == 1)
		*by = op & 0x3f;
	else if (op == 0x02)
		*by = take(r, 1);
	else if (op == 0x03)
		*by = take(r, 2);
	else if (op == 0x04)
		*by = take(r, 4);
	else
		return false;
	*by *= c->code_factor;
	return true;
}

/* Runs the instructions from address `at` up to pc. */
static bool run(struct reach r, const struct common *c, uint64_t at, uint64_t pc,
		struct unwind_state *s, const struct unwind_state *first)
{
	struct unwind_state kept[STATES];
	unsigned int depth = 0, steps = 0;
	uint64_t by;

	while (r.at < r.end && steps++ < STEPS_MOST) {
		uint8_t op = (uint8_t)take(&r, 1);

		if (is_advance(&r, c, op, &by)) {
			at += by;
			if (at > pc)
				return !r.failed;
		} else if (op >> 6 == 2) {
			set_rule(s, op & 0x3f, RULE_AT, scaled(take_unsigned(&r), c));
		} else if (op >> 6 == 3) {
			restore_rule(s, first, op & 0x3f);
		} else if (op == 0x0a) {
			if (depth == STATES)
				return false;
			kept[depth++] = *s;
		} else if (op == 0x0b) {
			if (!depth)
				return false;
			*s = kept[--depth];
		} else if (!run_other(&r, c, op, s, first)) {
			return false;
		}
		if (r.failed)
			return false;
	}
	return r.at >= r.end;
}

static bool find_rules(uint64_t pc, struct unwind_state *s, bool *is_signal)
{
	const struct native_file *f = file_of(pc);
	uint64_t table = f ? table_of(f, pc) : 0, begin, size, back, at;
	struct common c = { 0 };
	struct unwind_state first;
	struct reach r;

	if (!table || !begin_entry(&r, table))
		return false;
	at = r.at;
	back = take(&r, 4);
	if (!back || r.failed || !read_common(at - back, &c))
		return false;
	begin = take_pointer(&r, c.pointers);
	size = take_pointer(&r, c.pointers & 0x0f);
	if (c.is_augmented)
		skip_block(&r);
	if (r.failed || pc < begin || pc - begin >= size)
		return false;
	*is_signal = c.is_signal;
	*s = (struct unwind_state){ .back = { RULE_SAME, 0 }, .frame = { RULE_SAME, 0 } };
	if (!run(c.program, &c, 0, UINT64_MAX, s, s))
		return false;
	first = *s;
	return run(r, &c, begin, pc, s, &first);
}

/* Restores the interrupted registers of a signal frame, which the kernel saved on the stack. */
static enum native_step leave_signal(struct walk_registers *r)
{
#ifdef __x86_64__
	uint64_t at = r->sp + offsetof(ucontext_t, uc_mcontext.gregs);

	if (!guarded_load(at + REG_RIP * 8, &r->pc) || !guarded_load(at + REG_RBP * 8, &r->fp) ||
	    !guarded_load(at + REG_RSP * 8, &r->sp))
		return NATIVE_LOST;
	r->is_exact = true;
	return NATIVE_CALLER;
#else
	(void)r;
	return NATIVE_LOST;
#endif
}

/* Finds the rule of a supported function; false: none. */
static bool look_up(const struct walk_registers *r, struct frame_rule *rule)
{
	struct unwind_state s;
	bool is_signal;

	/* A call may be a function's last instruction, so pc - 1 is looked up; the return address
	 * of a signal handler follows no call. */
	if (!find_rules(r->is_exact ? r->pc : r->pc - 1, &s, &is_signal) &&
	    (r->is_exact || !find_rules(r->pc, &s, &is_signal) || !is_signal))
		return false;
	*rule = (struct frame_rule){
		.kind = is_signal               ? FRAME_SIGNAL :
			s.back.how == RULE_NONE ? FRAME_LAST :
						  FRAME_CALL,
	};
	if (rule->kind != FRAME_CALL)
		return true;
	if (!s.is_plain || s.back.how != RULE_AT ||
	    (s.stack_register != REG_STACK && s.stack_register != REG_FRAME))
		return false;
	rule->by_frame = s.stack_register == REG_FRAME;
	rule->saves_frame = s.frame.how == RULE_AT;
	rule->stack = s.stack_offset;
	rule->back = s.back.offset;
	rule->frame = rule->saves_frame ? s.frame.offset : 0;
	return true;
}

static bool rule_of(const struct walk_registers *r, struct frame_rule *rule)
{
	uint64_t key = rule_cache_key(r->pc, r->is_exact);

	if (rule_cache_find(key, rule))
		return true;
	if (!look_up(r, rule))
		return false;
	rule_cache_put(key, rule);
	return true;
}

enum native_step native_step(struct walk_registers *r)
{
	struct walk_registers caller = { 0 };
	struct frame_rule rule;
	uint64_t above;

	if (!rule_of(r, &rule))
		return NATIVE_LOST;
	if (rule.kind == FRAME_SIGNAL)
		return leave_signal(r);
	if (rule.kind == FRAME_LAST)
		return NATIVE_LAST;
	above = (rule.by_frame ? r->fp : r->sp) + (uint64_t)rule.stack;
	if (above <= r->sp || !guarded_load(above + (uint64_t)rule.back, &caller.pc))
		return NATIVE_LOST;
	caller.sp = above;
	caller.fp = r->fp;
	if (rule.saves_frame && !guarded_load(above + (uint64_t)rule.frame, &caller.fp))
		return NATIVE_LOST;
	if (!caller.pc)
		return NATIVE_LAST;
	*r = caller;
	return NATIVE_CALLER;
}
