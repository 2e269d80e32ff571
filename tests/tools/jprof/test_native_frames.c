/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Callers of native functions by unwind tables: made ones, with each instruction, each form of a
 * header and of a pointer, whole and cut; and this program's own stack, compared with the C
 * library's backtrace(). */
#include <dlfcn.h>
#include <execinfo.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "guarded.h"
#include "native_frames.h"
#include "rule_cache.h"
#include "unit.h"

#ifdef __x86_64__
/* ---- made tables ----------------------------------------------------------------------------- */

#define CODE_SIZE 4096
#define HEAD_ROOM 4096
#define ROOM      65536
#define FUNCTIONS 16

static uint8_t *image; /* below 4 GB: 32 bits are enough for an address */
static uint8_t *code, *at;
static uint64_t head;
static uint32_t functions;
static struct {
	uint64_t begin;
	uint8_t *table;
} function[FUNCTIONS];

static void put(uint64_t value, unsigned int size)
{
	memcpy(at, &value, size);
	at += size;
}

static void put_bytes(const uint8_t *p, size_t n)
{
	memcpy(at, p, n);
	at += n;
}

/* A new image: whatever was known of the old one's addresses is forgotten. */
static void begin(void)
{
	memset(image, 0, ROOM);
	code = image;
	head = (uint64_t)(uintptr_t)image + CODE_SIZE;
	at = image + CODE_SIZE + HEAD_ROOM;
	functions = 0;
	rule_cache_clear();
}

static void end_entry(uint8_t *entry)
{
	uint32_t length = (uint32_t)(at - entry - 4);

	memcpy(entry, &length, 4);
}

/* A usual CIE: the caller's stack pointer is 8 above ours, the return address is below it. */
#define USUAL 0x0c, 7, 8, 0x90, 1

struct made {
	const char *letters;
	uint8_t version, code_factor, data_factor, column; /* the data's: SLEB of a byte */
	uint8_t data[16];                                  /* behind the columns */
	unsigned int n_data;
	uint8_t program[16];
	unsigned int n_program;
};
static const struct made usual = { "zR", 1, 1, 0x78, 16, { 1, 0x1b }, 2, { USUAL }, 5 };

static uint8_t *put_common(const struct made *m)
{
	uint8_t *entry = at;

	put(0, 4);
	put(0, 4);
	put(m->version, 1);
	put_bytes((const uint8_t *)m->letters, strlen(m->letters) + 1);
	put(m->code_factor, 1);
	put(m->data_factor, 1);
	put(m->column, 1);
	put_bytes(m->data, m->n_data);
	put_bytes(m->program, m->n_program);
	end_entry(entry);
	return entry;
}

static void put_pointer(uint8_t how, uint64_t value)
{
	uint64_t from = (how & 0x70) == 0x10 ? (uint64_t)(uintptr_t)at : 0;

	put(value - from, (how & 0x0f) == 0x0b || (how & 0x0f) == 0x03 ? 4 : 8);
}

/* A function of that many bytes of the code; augmentation < 0: it has none. */
static void put_function(const uint8_t *common, uint8_t how, uint32_t from, uint32_t size,
			 int augmentation, const uint8_t *program, size_t n)
{
	uint8_t *entry = at;

	function[functions].begin = (uint64_t)(uintptr_t)(code + from);
	function[functions++].table = entry;
	put(0, 4);
	put((uint64_t)(at - common), 4);
	put_pointer(how, (uint64_t)(uintptr_t)(code + from));
	put_pointer(how & 0x0f, size);
	if (augmentation >= 0) {
		put((uint64_t)augmentation, 1);
		memset(at, 0xff, (size_t)augmentation);
		at += augmentation;
	}
	put_bytes(program, n);
	end_entry(entry);
}

struct head {
	uint8_t version, how, count, entries;
	uint32_t n;
};

static void put_head(const struct head *h)
{
	at = image + CODE_SIZE;
	put(h->version, 1);
	put(h->how, 1);
	put(h->count, 1);
	put(h->entries, 1);
	put(0, (h->how & 0x0f) == 0x0b || (h->how & 0x0f) == 0x03 ? 4 : 8);
	put(h->n, 4);
	for (uint32_t i = 0; i < functions; i++) {
		put(function[i].begin - head, 4);
		put((uint64_t)(uintptr_t)function[i].table - head, 4);
	}
}

/* The usual head, and the file is announced. */
static void end(void)
{
	struct native_file f = { (uint64_t)(uintptr_t)code, (uint64_t)(uintptr_t)code + CODE_SIZE,
				 head };

	put_head(&(struct head){ 1, 0x1b, 3, 0x3b, functions });
	native_frames_add(&f);
}

/* ---- steps ----------------------------------------------------------------------------------- */

#define WORDS 256
#define HERE  64
static uint64_t stack[WORDS];

#define FRAME 100 /* the frame pointer is the address of this word */

static struct walk_registers at_pc(uint64_t pc, bool is_exact)
{
	for (unsigned int i = 0; i < WORDS; i++)
		stack[i] = 0xc000 + i;
	return (struct walk_registers){ .pc = pc,
					.sp = (uint64_t)(uintptr_t)&stack[HERE],
					.fp = (uint64_t)(uintptr_t)&stack[FRAME],
					.is_exact = is_exact };
}

static uint64_t code_at(uint32_t offset)
{
	return (uint64_t)(uintptr_t)(code + offset);
}

/* How many words above ours is the caller's stack pointer, which words are its pc and its frame
 * pointer? */
#define SAME 0
static bool steps(struct walk_registers r, unsigned int up, unsigned int pc, unsigned int frame)
{
	uint64_t fp = frame == SAME ? r.fp : 0xc000 + frame;
	uint64_t sp = r.sp + 8 * up;

	return native_step(&r) == NATIVE_CALLER && r.sp == sp && r.pc == 0xc000 + pc &&
	       r.fp == fp && !r.is_exact;
}

/* Registers that are not known stay as they are. */
static bool ends(struct walk_registers r, enum native_step how)
{
	struct walk_registers before = r;

	return native_step(&r) == how && r.pc == before.pc && r.sp == before.sp &&
	       r.fp == before.fp && r.is_exact == before.is_exact;
}

#define LOST 0
#define LAST 1
/* A function's instructions, and what they say of its 16th byte; up LOST or LAST: nothing, as pc
 * says. */
struct program {
	uint8_t byte[24];
	uint8_t n, up, pc, frame;
};
#define P(...) { __VA_ARGS__ }, sizeof((uint8_t[]){ __VA_ARGS__ })
#define NONE   {}, 0

static const struct program programs[] = {
	{ NONE, 1, HERE, SAME },
	{ P(0x00), 1, HERE, SAME },
	/* Advances: 15 and 16 bytes are reached, 17 are not. */
	{ P(0x4f, 0x0e, 16), 2, HERE + 1, SAME },
	{ P(0x50, 0x0e, 16), 2, HERE + 1, SAME },
	{ P(0x51, 0x0e, 16), 1, HERE, SAME },
	{ P(0x48, 0x48, 0x0e, 16), 2, HERE + 1, SAME },
	{ P(0x48, 0x49, 0x0e, 16), 1, HERE, SAME },
	{ P(0x02, 16, 0x0e, 16), 2, HERE + 1, SAME },
	{ P(0x02, 17, 0x0e, 16), 1, HERE, SAME },
	{ P(0x03, 16, 0, 0x0e, 16), 2, HERE + 1, SAME },
	{ P(0x03, 0, 1, 0x0e, 16), 1, HERE, SAME },
	{ P(0x04, 16, 0, 0, 0, 0x0e, 16), 2, HERE + 1, SAME },
	{ P(0x04, 0, 0, 1, 0, 0x0e, 16), 1, HERE, SAME },
	/* Where the caller's stack pointer is. */
	{ P(0x0c, 7, 24), 3, HERE + 2, SAME },
	{ P(0x0c, 6, 16), FRAME + 2 - HERE, FRAME + 1, SAME },
	{ P(0x0d, 6), FRAME + 1 - HERE, FRAME, SAME },
	{ P(0x0d, 6, 0x0d, 7), 1, HERE, SAME },
	{ P(0x0e, 0x80, 0x01), 16, HERE + 15, SAME },
	{ P(0x12, 7, 0x7e), 2, HERE + 1, SAME },
	{ P(0x12, 6, 0x7f), FRAME + 1 - HERE, FRAME, SAME },
	{ P(0x13, 0x7d), 3, HERE + 2, SAME },
	{ P(0x13, 0x40, 0x13, 0xc0, 0x7f), 64, HERE + 63, SAME },
	{ P(0x0f, 1, 0x97), LOST, LOST, SAME },
	{ P(0x0f, 1, 0x97, 0x0c, 7, 16), 2, HERE + 1, SAME },
	{ P(0x0f, 2, 0x97, 0x0e, 0x12, 7, 0x7e), 2, HERE + 1, SAME },
	{ P(0x0f, 1, 0x97, 0x0e, 16), LOST, LOST, SAME },
	{ P(0x0c, 12, 8), LOST, LOST, SAME },
	{ P(0x0e, 0), LOST, LOST, SAME },
	{ P(0x13, 1), LOST, LOST, SAME },
	/* Where the return address and the frame pointer are. */
	{ P(0x0e, 32, 0x90, 3), 4, HERE + 1, SAME },
	{ P(0x0e, 32, 0x86, 2), 4, HERE + 3, HERE + 2 },
	{ P(0x0e, 32, 0x83, 2, 0x8c, 4), 4, HERE + 3, SAME },
	{ P(0x0e, 32, 0x05, 16, 4), 4, HERE, SAME },
	{ P(0x0e, 32, 0x05, 6, 4), 4, HERE + 3, HERE },
	{ P(0x0e, 32, 0x11, 16, 2), 4, HERE + 2, SAME },
	{ P(0x11, 6, 0x7f), 1, HERE, HERE + 2 },
	{ P(0x07, 16), LOST, LAST, SAME },
	{ P(0x86, 2, 0x07, 6), 1, HERE, SAME },
	{ P(0x08, 16), LOST, LOST, SAME },
	{ P(0x86, 2, 0x08, 6), 1, HERE, SAME },
	{ P(0x09, 16, 3), LOST, LOST, SAME },
	{ P(0x86, 2, 0x09, 6, 3), 1, HERE, SAME },
	{ P(0x09, 3, 16, 0x0e, 16), 2, HERE + 1, SAME },
	{ P(0x10, 16, 2, 0x0e, 0x0e), LOST, LOST, SAME },
	{ P(0x10, 3, 2, 0x0e, 0x0e, 0x0e, 16), 2, HERE + 1, SAME },
	{ P(0x86, 2, 0x16, 6, 1, 0x0e), 1, HERE, SAME },
	{ P(0x16, 16, 1, 0x0e), LOST, LOST, SAME },
	/* Rules of before, and those at the function's begin. */
	{ P(0x0e, 32, 0x90, 3, 0xd0), 4, HERE + 3, SAME },
	{ P(0x0e, 32, 0x90, 3, 0x06, 16), 4, HERE + 3, SAME },
	{ P(0x0e, 32, 0x86, 2, 0xc6), 4, HERE + 3, SAME },
	{ P(0x0e, 32, 0x86, 2, 0x06, 6), 4, HERE + 3, SAME },
	{ P(0x0e, 32, 0x86, 2, 0x90, 3, 0xc3, 0x06, 3), 4, HERE + 1, HERE + 2 },
	{ P(0x0a, 0x0e, 32, 0x86, 2, 0x0b), 1, HERE, SAME },
	{ P(0x0e, 24, 0x0a, 0x0e, 32, 0x0a, 0x0e, 40, 0x0b), 4, HERE + 3, SAME },
	{ P(0x0e, 24, 0x0a, 0x0e, 32, 0x0a, 0x0e, 40, 0x0b, 0x0b), 3, HERE + 2, SAME },
	{ P(0x0a, 0x0a, 0x0a, 0x0a, 0x0a, 0x0a, 0x0a, 0x0a, 0x0e, 16), 2, HERE + 1, SAME },
	{ P(0x0a, 0x0a, 0x0a, 0x0a, 0x0a, 0x0a, 0x0a, 0x0a, 0x0a), LOST, LOST, SAME },
	{ P(0x0b), LOST, LOST, SAME },
	{ P(0x0a, 0x0b, 0x0b), LOST, LOST, SAME },
	/* Instructions that are skipped, and unknown ones. */
	{ P(0x2e, 0x90, 0x01, 0x0e, 16), 2, HERE + 1, SAME },
	{ P(0x01), LOST, LOST, SAME },
	{ P(0x14), LOST, LOST, SAME },
	{ P(0x2d), LOST, LOST, SAME },
	{ P(0x51, 0x2d), 1, HERE, SAME },
	/* Cut. */
	{ P(0x0e), LOST, LOST, SAME },
	{ P(0x0e, 0x90), LOST, LOST, SAME },
	{ P(0x0c, 7), LOST, LOST, SAME },
	{ P(0x86), LOST, LOST, SAME },
	{ P(0x02), LOST, LOST, SAME },
	{ P(0x03, 99), LOST, LOST, SAME },
	{ P(0x04, 99, 0, 0), LOST, LOST, SAME },
	{ P(0x13), LOST, LOST, SAME },
	{ P(0x10, 3, 2, 0), LOST, LOST, SAME },
	{ P(0x10, 3, 1, 0), 1, HERE, SAME },
};

static void each_instruction(void)
{
	for (size_t i = 0; i < sizeof(programs) / sizeof(*programs); i++) {
		const struct program *p = &programs[i];
		struct walk_registers r;
		bool is;

		begin();
		put_function(put_common(&usual), 0x1b, 64, 32, 0, p->byte, p->n);
		end();
		r = at_pc(code_at(64 + 16), true);
		is = p->up ? steps(r, p->up, p->pc, p->frame) :
			     ends(r, p->pc == LAST ? NATIVE_LAST : NATIVE_LOST);
		if (!is)
			printf("# program %zu: %#x %#x %#x\n", i, p->byte[0], p->byte[1],
			       p->byte[2]);
		CU_ASSERT(is);
		/* A rule that is kept is the same. */
		is = p->up ? steps(r, p->up, p->pc, p->frame) :
			     ends(r, p->pc == LAST ? NATIVE_LAST : NATIVE_LOST);
		CU_ASSERT(is);
	}
}

/* Instructions count in units of the code, and there may be many, but not any number. */
static void factors(void)
{
	static const uint8_t units[] = { 0x44, 0x0e, 16 }, far[] = { 0x45, 0x0e, 16 };
	static uint8_t many[4096 + 1];
	struct made m = usual;

	m.code_factor = 4;
	m.data_factor = 0x7c;
	m.program[4] = 2;
	begin();
	put_function(put_common(&m), 0x1b, 64, 32, 0, units, sizeof(units));
	end();
	CU_ASSERT(steps(at_pc(code_at(64 + 16), true), 2, HERE + 1, SAME));
	CU_ASSERT(steps(at_pc(code_at(64 + 15), true), 1, HERE, SAME));
	begin();
	put_function(put_common(&m), 0x1b, 64, 32, 0, far, sizeof(far));
	end();
	CU_ASSERT(steps(at_pc(code_at(64 + 16), true), 1, HERE, SAME));
	for (int more = 0; more < 2; more++) {
		begin();
		put_function(put_common(&usual), 0x1b, 64, 32, 0, many, 4096 + (size_t)more);
		end();
		CU_ASSERT(more ? ends(at_pc(code_at(64), true), NATIVE_LOST) :
				 steps(at_pc(code_at(64), true), 1, HERE, SAME));
	}
}

/* Where a function begins and ends: an interrupted instruction, and a return address. */
static void bounds(void)
{
	static const uint8_t third[] = { 0x0e, 24 };
	uint8_t *common;

	begin();
	common = put_common(&usual);
	put_function(common, 0x1b, 64, 32, 0, NULL, 0);
	put_function(common, 0x1b, 96, 16, 0, third, sizeof(third));
	put_function(common, 0x1b, 128, 16, 0, NULL, 0);
	end();
	CU_ASSERT(ends(at_pc(code_at(63), true), NATIVE_LOST));
	CU_ASSERT(steps(at_pc(code_at(64), true), 1, HERE, SAME));
	CU_ASSERT(steps(at_pc(code_at(95), true), 1, HERE, SAME));
	CU_ASSERT(steps(at_pc(code_at(96), true), 3, HERE + 2, SAME));
	CU_ASSERT(steps(at_pc(code_at(111), true), 3, HERE + 2, SAME));
	CU_ASSERT(ends(at_pc(code_at(112), true), NATIVE_LOST));
	CU_ASSERT(steps(at_pc(code_at(143), true), 1, HERE, SAME));
	CU_ASSERT(ends(at_pc(code_at(144), true), NATIVE_LOST));
	CU_ASSERT(ends(at_pc(code_at(64), false), NATIVE_LOST));
	CU_ASSERT(steps(at_pc(code_at(65), false), 1, HERE, SAME));
	CU_ASSERT(steps(at_pc(code_at(96), false), 1, HERE, SAME));
	CU_ASSERT(steps(at_pc(code_at(97), false), 3, HERE + 2, SAME));
	CU_ASSERT(steps(at_pc(code_at(112), false), 3, HERE + 2, SAME));
	CU_ASSERT(ends(at_pc(code_at(113), false), NATIVE_LOST));
	/* Beyond the file. */
	CU_ASSERT(ends(at_pc(code_at(0) - 1, true), NATIVE_LOST));
	CU_ASSERT(ends(at_pc(code_at(CODE_SIZE), true), NATIVE_LOST));
}

/* Each function of many is found. */
static void index_of_many(void)
{
	for (uint32_t n = 1; n <= 9; n++) {
		uint8_t *common;

		begin();
		common = put_common(&usual);
		for (uint32_t i = 0; i < n; i++) {
			const uint8_t program[] = { 0x0e, (uint8_t)(8 * (i + 1)) };

			put_function(common, 0x1b, 64 + 16 * i, 16, 0, program, 2);
		}
		end();
		for (uint32_t i = 0; i < n; i++) {
			CU_ASSERT(steps(at_pc(code_at(64 + 16 * i), true), i + 1, HERE + i, SAME));
			CU_ASSERT(steps(at_pc(code_at(79 + 16 * i), true), i + 1, HERE + i, SAME));
		}
	}
}

/* Heads of an index that are not understood, and those that are. */
static void heads(void)
{
	static const struct {
		struct head h;
		bool is;
	} all[] = {
		{ { 1, 0x1b, 3, 0x3b, 1 }, true },  { { 1, 0x03, 3, 0x3b, 1 }, true },
		{ { 1, 0x04, 3, 0x3b, 1 }, true },  { { 2, 0x1b, 3, 0x3b, 1 }, false },
		{ { 1, 0x1b, 4, 0x3b, 1 }, false }, { { 1, 0x1b, 3, 0x33, 1 }, false },
		{ { 1, 0x1b, 3, 0x3b, 0 }, false }, { { 1, 0x01, 3, 0x3b, 1 }, false },
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		begin();
		put_function(put_common(&usual), 0x1b, 64, 32, 0, NULL, 0);
		end();
		put_head(&all[i].h);
		CU_ASSERT(all[i].is ? steps(at_pc(code_at(70), true), 1, HERE, SAME) :
				      ends(at_pc(code_at(70), true), NATIVE_LOST));
	}
}

/* Forms of a CIE, and of the pointers that it names; -1: the function has no augmentation. */
static void commons(void)
{
	static const struct {
		struct made m;
		uint8_t how;
		int augmentation;
		bool is;
	} all[] = {
		{ { "zR", 1, 1, 0x78, 16, { 1, 0x1b }, 2, { USUAL }, 5 }, 0x1b, 0, true },
		{ { "zR", 1, 1, 0x78, 16, { 1, 0x1b }, 2, { USUAL }, 5 }, 0x1b, 5, true },
		{ { "zR", 1, 1, 0x78, 16, { 1, 0x0b }, 2, { USUAL }, 5 }, 0x0b, 0, true },
		{ { "zR", 1, 1, 0x78, 16, { 1, 0x03 }, 2, { USUAL }, 5 }, 0x03, 0, true },
		{ { "zR", 1, 1, 0x78, 16, { 1, 0x04 }, 2, { USUAL }, 5 }, 0x04, 0, true },
		{ { "zR", 1, 1, 0x78, 16, { 1, 0x1c }, 2, { USUAL }, 5 }, 0x1c, 0, true },
		{ { "zR", 1, 1, 0x78, 16, { 1, 0x00 }, 2, { USUAL }, 5 }, 0x00, 0, true },
		{ { "zR", 1, 1, 0x78, 16, { 1, 0x01 }, 2, { USUAL }, 5 }, 0x00, 0, false },
		{ { "zR", 1, 1, 0x78, 16, { 1, 0x3b }, 2, { USUAL }, 5 }, 0x0b, 0, false },
		/* A longer augmentation's rest is skipped. */
		{ { "zR", 1, 1, 0x78, 16, { 3, 0x1b, 1, 1 }, 4, { USUAL }, 5 }, 0x1b, 0, true },
		{ { "z", 1, 1, 0x78, 16, { 0 }, 1, { USUAL }, 5 }, 0x00, 3, true },
		{ { "", 1, 1, 0x78, 16, {}, 0, { USUAL }, 5 }, 0x00, -1, true },
		{ { "zPLR", 1, 1, 0x78, 16, { 7, 0x9b, 1, 2, 3, 4, 0x1b, 0x1b }, 8, { USUAL }, 5 },
		  0x1b,
		  4,
		  true },
		{ { "zLR", 1, 1, 0x78, 16, { 2, 0x0b, 0x1b }, 3, { USUAL }, 5 }, 0x1b, 4, true },
		{ { "zRB", 1, 1, 0x78, 16, { 1, 0x1b }, 2, { USUAL }, 5 }, 0x1b, 0, true },
		{ { "zBR", 1, 1, 0x78, 16, { 1, 0x1b }, 2, { USUAL }, 5 }, 0x00, 0, true },
		{ { "zRLLLL", 1, 1, 0x78, 16, { 5, 0x1b }, 6, { USUAL }, 5 }, 0x1b, 0, true },
		{ { "zRLLLLL", 1, 1, 0x78, 16, { 6, 0x1b }, 7, { USUAL }, 5 }, 0x1b, 0, false },
		{ { "eh", 1, 1, 0x78, 16, { 1, 0x1b }, 2, { USUAL }, 5 }, 0x1b, 0, false },
		{ { "zR", 3, 1, 0x78, 16, { 1, 0x1b }, 2, { USUAL }, 5 }, 0x1b, 0, false },
		{ { "zR", 1, 1, 0x78, 17, { 1, 0x1b }, 2, { USUAL }, 5 }, 0x1b, 0, false },
		{ { "zR", 1, 1, 0x78, 16, { 7, 0x1b }, 2, { USUAL }, 5 }, 0x1b, 0, false },
		{ { "zR", 1, 1, 0x78, 16, { 6, 0x1b }, 2, { USUAL }, 5 }, 0x1b, 0, false },
		{ { "zR", 1, 1, 0x78, 16, { 1, 0x1b }, 2, { 0x0c, 7, 8, 0x2d }, 4 },
		  0x1b,
		  0,
		  false },
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		bool is;

		begin();
		put_function(put_common(&all[i].m), all[i].how, 64, 32, all[i].augmentation, NULL,
			     0);
		end();
		is = all[i].is ? steps(at_pc(code_at(70), true), 1, HERE, SAME) :
				 ends(at_pc(code_at(70), true), NATIVE_LOST);
		if (!is)
			printf("# CIE %zu\n", i);
		CU_ASSERT(is);
	}
}

static void set_length(uint8_t *entry, uint32_t length)
{
	begin();
	put_function(put_common(&usual), 0x1b, 64, 32, 0, NULL, 0);
	end();
	memcpy(entry ? entry : function[0].table, &length, 4);
}

/* Lengths, and the way from a function to its CIE. */
static void lengths(void)
{
	static const uint32_t bad[] = { 0, 1, 4, 12, 0xffffffff, (1u << 20) + 1 };
	uint8_t *common = image + CODE_SIZE + HEAD_ROOM;
	const uint32_t none = 0, one = 1;

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		set_length(NULL, bad[i]);
		CU_ASSERT(ends(at_pc(code_at(70), true), NATIVE_LOST));
		set_length(common, bad[i]);
		CU_ASSERT(ends(at_pc(code_at(70), true), NATIVE_LOST));
	}
	/* It is a CIE itself. */
	set_length(NULL, 13);
	CU_ASSERT(steps(at_pc(code_at(70), true), 1, HERE, SAME));
	memcpy(function[0].table + 4, &none, 4);
	rule_cache_clear();
	CU_ASSERT(ends(at_pc(code_at(70), true), NATIVE_LOST));
	/* And it refers to what is none. */
	set_length(NULL, 13);
	memcpy(common + 4, &one, 4);
	CU_ASSERT(ends(at_pc(code_at(70), true), NATIVE_LOST));
}

/* The stack cannot be read, or ends. */
static void odd_stacks(void)
{
	static const uint8_t frame[] = { 0x0e, 16, 0x86, 2 };
	struct walk_registers r;
	uint64_t *page = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			      0);

	CU_ASSERT_PTR_NOT_EQUAL_FATAL(page, MAP_FAILED);
	CU_ASSERT_EQUAL_FATAL(mprotect((char *)page + 4096, 4096, PROT_NONE), 0);
	begin();
	put_function(put_common(&usual), 0x1b, 64, 32, 0, frame, sizeof(frame));
	end();
	r = at_pc(code_at(70), true);
	CU_ASSERT(steps(r, 2, HERE + 1, HERE));
	stack[HERE + 1] = 0;
	CU_ASSERT(ends(r, NATIVE_LAST));
	page[510] = 0xd1;
	page[511] = 0xd2;
	r.sp = (uint64_t)(uintptr_t)&page[510];
	CU_ASSERT(native_step(&r) == NATIVE_CALLER && r.pc == 0xd2 && r.fp == 0xd1);
	r = at_pc(code_at(70), true);
	r.sp = (uint64_t)(uintptr_t)&page[511];
	CU_ASSERT(ends(r, NATIVE_LOST));
	r.sp = (uint64_t)(uintptr_t)&page[512];
	CU_ASSERT(ends(r, NATIVE_LOST));
	munmap(page, 8192);
}

/* The registers that the kernel saved of an interrupted function; a return address before its entry
 * leads there, too. */
static void signals(void)
{
	const struct made m = { "zRS", 1, 1, 0x78, 16, { 1, 0x1b }, 2, { USUAL }, 5 };
	static ucontext_t context;
	struct walk_registers r;

	begin();
	put_function(put_common(&m), 0x1b, 64, 32, 0, NULL, 0);
	end();
	for (uint32_t from = 64; from <= 66; from++) {
		context.uc_mcontext.gregs[REG_RIP] = 0x1111;
		context.uc_mcontext.gregs[REG_RSP] = 0x2222;
		context.uc_mcontext.gregs[REG_RBP] = 0x3333;
		r = at_pc(code_at(from), false);
		r.sp = (uint64_t)(uintptr_t)&context;
		CU_ASSERT_EQUAL(native_step(&r), NATIVE_CALLER);
		CU_ASSERT(r.pc == 0x1111 && r.sp == 0x2222 && r.fp == 0x3333 && r.is_exact);
	}
	r = at_pc(code_at(63), false);
	CU_ASSERT(ends(r, NATIVE_LOST));
	r = at_pc(code_at(66), false);
	r.sp = 8;
	CU_ASSERT_EQUAL(native_step(&r), NATIVE_LOST);
}

/* ---- files ----------------------------------------------------------------------------------- */

struct walked {
	uint64_t pc[64];
	int n;
	enum native_step how;
};

static __attribute__((noinline)) void walk(struct walked *w, void *by_library[64], int *n)
{
	struct walk_registers r = { .is_exact = true };

	__asm__ volatile("leaq 0(%%rip), %0\n\tmovq %%rsp, %1\n\tmovq %%rbp, %2"
			 : "=r"(r.pc), "=r"(r.sp), "=r"(r.fp));
	w->n = 0;
	while (w->n < 64 && (w->how = native_step(&r)) == NATIVE_CALLER)
		w->pc[w->n++] = r.pc;
	*n = backtrace(by_library, 64);
}

static void own_stack(void)
{
	void *by_library[64];
	struct walked w;
	int n, same = 0;

	native_frames_refresh();
	walk(&w, by_library, &n);
	/* The library's begins with walk() itself. */
	CU_ASSERT(w.n > 3);
	CU_ASSERT_EQUAL(w.n, n - 1);
	for (int i = 0; i < w.n && i + 1 < n; i++)
		same += w.pc[i] == (uintptr_t)by_library[i + 1];
	CU_ASSERT_EQUAL(same, w.n);
	CU_ASSERT_EQUAL(w.how, NATIVE_LAST);
}

/* A library that was loaded since is looked at by the next refresh. */
static void later_files(void)
{
	void *library, *function_there;

	native_frames_refresh();
	CU_ASSERT_PTR_NULL(dlopen("libBrokenLocale.so.1", RTLD_NOLOAD | RTLD_NOW));
	library = dlopen("libm.so.6", RTLD_NOLOAD | RTLD_NOW);
	if (library) {
		dlclose(library);
		unit_skip(NULL, "libm is loaded from the start");
		return;
	}
	library = dlopen("libm.so.6", RTLD_NOW);
	CU_ASSERT_PTR_NOT_NULL_FATAL(library);
	function_there = dlsym(library, "carg");
	CU_ASSERT_PTR_NOT_NULL_FATAL(function_there);
	CU_ASSERT(ends(at_pc((uintptr_t)function_there, true), NATIVE_LOST));
	native_frames_refresh();
	CU_ASSERT(steps(at_pc((uintptr_t)function_there, true), 1, HERE, SAME));
	dlclose(library);
}

/* The last one with an address counts; there is room for 512, and the same one takes no more. */
static void many_files(void)
{
	static const uint8_t other[] = { 0x0e, 16 };
	uint64_t low = (uint64_t)(uintptr_t)image, first_head;
	struct native_file f;

	begin();
	put_function(put_common(&usual), 0x1b, 64, 32, 0, NULL, 0);
	end();
	first_head = head;
	f = (struct native_file){ low, low + CODE_SIZE, first_head };
	for (int i = 0; i < 600; i++)
		native_frames_add(&f);
	CU_ASSERT(steps(at_pc(code_at(70), true), 1, HERE, SAME));
	/* Another index of the same code, in the same image behind the first. */
	at = image + ROOM / 2 + HEAD_ROOM;
	functions = 0;
	put_function(put_common(&usual), 0x1b, 64, 32, 0, other, sizeof(other));
	head = (uint64_t)(uintptr_t)(image + ROOM / 2);
	at = image + ROOM / 2;
	put(0x3b031b01, 4);
	put(0, 4);
	put(1, 4);
	put(function[0].begin - head, 4);
	put((uint64_t)(uintptr_t)function[0].table - head, 4);
	f.index = head;
	native_frames_add(&f);
	CU_ASSERT(steps(at_pc(code_at(70), true), 2, HERE + 1, SAME));
	/* Known already: what is found stays. */
	f.index = first_head;
	native_frames_add(&f);
	CU_ASSERT(steps(at_pc(code_at(70), true), 2, HERE + 1, SAME));
	/* Other ranges are other files; those beyond the room are left out. */
	for (uint64_t i = 0; i < 600; i++)
		native_frames_add(&(struct native_file){ low + i, low + i + 1, 8 });
	CU_ASSERT(ends(at_pc(code_at(70), true), NATIVE_LOST));
	CU_ASSERT(steps(at_pc(code_at(70) + 512, true), 2, HERE + 1, SAME) ||
		  ends(at_pc(code_at(70) + 512, true), NATIVE_LOST));
}

static const struct unit_test tests[] = {
	{ "each_instruction", each_instruction },
	{ "factors", factors },
	{ "bounds", bounds },
	{ "index_of_many", index_of_many },
	{ "heads", heads },
	{ "commons", commons },
	{ "lengths", lengths },
	{ "odd_stacks", odd_stacks },
	{ "signals", signals },
	{ "own_stack", own_stack },
	{ "later_files", later_files },
	{ "many_files", many_files },
	{},
};

static bool prepare(void)
{
	image = mmap(NULL, ROOM, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT,
		     -1, 0);
	return image != MAP_FAILED && !guarded_begin();
}
#else
static void elsewhere(void)
{
	unit_skip(NULL, "native frames are walked on x86-64 only");
}

static const struct unit_test tests[] = { { "elsewhere", elsewhere }, {} };

static bool prepare(void)
{
	return true;
}
#endif

int main(void)
{
	return prepare() ? unit_run("native_frames", tests) : 1;
}
