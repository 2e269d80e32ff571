/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Code that programs make themselves: loaded, overwritten in part, moved, given up, its memory
 * unmapped or made anew, through fork, clone and exec; and code that nobody told of. Checked case
 * by case, then against a plain model that keeps who owned each byte at each time.
 */
#include <errno.h>
#include <stdlib.h>

#include "a2n.h"
#include "unit.h"

static struct a2n *a;

static void begin(void)
{
	const struct a2n_map heap = { .start = 0x10000,
				      .length = 0x10000,
				      .path = "//anon",
				      .flags = A2N_MAP_ANON };

	if (a)
		a2n_close(a);
	a = a2n_open(NULL);
	CU_ASSERT_PTR_NOT_NULL_FATAL(a);
	CU_ASSERT_EQUAL(a2n_process(a, 1, 1, 5), 0);
	CU_ASSERT_EQUAL(a2n_add_map(a, 1, 1, &heap), 0);
}

static void load(uint64_t time, uint32_t pid, uint64_t address, uint64_t size, const char *name)
{
	CU_ASSERT_EQUAL(a2n_jit_load(a, time, pid, address, size, name, strlen(name)), 0);
}

static void map(uint64_t time, uint32_t pid, uint64_t start, uint64_t length, const char *path)
{
	const struct a2n_map map = { .start = start,
				     .length = length,
				     .path = path,
				     .flags = path ? 0 : A2N_MAP_ANON };

	CU_ASSERT_EQUAL(a2n_add_map(a, time, pid, &map), 0);
}

static struct a2n_answer ask(uint32_t pid, uint64_t time, uint64_t address)
{
	struct a2n_answer r;

	a2n_resolve(a, pid, time, address, false, &r);
	CU_ASSERT_PTR_NOT_NULL_FATAL(r.symbol);
	CU_ASSERT_PTR_EQUAL(r.symbol->module, r.module);
	return r;
}

static const char *at(uint32_t pid, uint64_t time, uint64_t address)
{
	return ask(pid, time, address).symbol->name;
}

#define IS(pid, time, address, name) CU_ASSERT_STRING_EQUAL(at(pid, time, address), name)

static void test_load(void)
{
	struct a2n_answer r;

	begin();
	load(10, 1, 0x11000, 0x100, "f");
	IS(1, 9, 0x11000, A2N_JIT_UNKNOWN);
	IS(1, 10, 0x10fff, A2N_JIT_UNKNOWN);
	IS(1, 10, 0x11000, "f");
	IS(1, 10, 0x110ff, "f");
	IS(1, 10, 0x11100, A2N_JIT_UNKNOWN);
	r = ask(1, 99, 0x11010);
	CU_ASSERT_EQUAL(r.result, A2N_OK);
	CU_ASSERT_STRING_EQUAL(r.module->name, A2N_JITCODE);
	CU_ASSERT_EQUAL(r.symbol_offset, 0x10);
	CU_ASSERT_NOT_EQUAL(r.module_offset, ask(1, 99, 0x11011).module_offset);
	r = ask(1, 10, 0x12000);
	CU_ASSERT_EQUAL(r.result, A2N_RESULT_JIT_UNKNOWN);
	CU_ASSERT_STRING_EQUAL(r.module->name, A2N_JITCODE);
	/* Another process has not. */
	IS(2, 10, 0x11000, A2N_NO_MODULE);
	/* Nothing that has no size, all that has the top of memory. */
	load(10, 1, 0x13000, 0, "nothing");
	IS(1, 10, 0x13000, A2N_JIT_UNKNOWN);
	load(10, 1, 0x7ffffffffffff000, UINT64_MAX, "top");
	IS(1, 10, 0x7fffffffffffffff, "top");
}

/* One name is one symbol, wherever its code is. */
static void test_names(void)
{
	begin();
	load(10, 1, 0x11000, 0x100, "f");
	load(10, 1, 0x12000, 0x100, "f");
	load(10, 1, 0x13000, 0x100, "g");
	CU_ASSERT_PTR_EQUAL(ask(1, 10, 0x11000).symbol, ask(1, 10, 0x12000).symbol);
	CU_ASSERT_PTR_NOT_EQUAL(ask(1, 10, 0x11000).symbol, ask(1, 10, 0x13000).symbol);
	CU_ASSERT_EQUAL(a2n_jit_load(a, 20, 1, 0x14000, 1, "endless", 3), 0);
	IS(1, 20, 0x14000, "end");
	CU_ASSERT_EQUAL(a2n_jit_load(a, 20, 1, 0x14000, 1, "", 0), 0);
	IS(1, 20, 0x14000, "");
}

static char told[256];

static void take_line(void *arg, size_t i, const struct a2n_frame *f, size_t n)
{
	size_t *seen = arg;

	CU_ASSERT(n == 1 && !f->inlined && i < 8);
	snprintf(told + strlen(told), sizeof(told) - strlen(told), "%zu:%s:%u ", i,
		 f->file ? f->file : "-", f->line);
	++*seen;
}

/* Lines of several codes at one address and with one name, looked up together. */
static void test_lines(void)
{
	static const struct a2n_jit_line first[] = {
		{ 0x11010, 2, "a" },
		{ 0x11000, 9, "a" },
		{ 0x11010, 3, "b" },
		{ 0x11020, 4, NULL },
	};
	static const struct a2n_jit_line second[] = { { 0x11000, 7, "c" } };
	static const struct a2n_jit_line outside[] = { { 0x12000, 7, "d" }, { 0x12101, 8, "d" } };
	uint64_t offset[8];
	size_t n = 0;

	begin();
	load(5, 1, 0x11000, 0, "of no size");
	CU_ASSERT_EQUAL(a2n_jit_lines(a, first, 4), 0);
	load(6, 1, 0x13000, 0x100, "without");
	offset[0] = ask(1, 6, 0x13000).module_offset;
	CU_ASSERT_EQUAL(a2n_lines(a, ask(1, 6, 0x13000).module, offset, 1, false, take_line, &n),
			-ENOENT);
	load(10, 1, 0x11000, 0x100, "f");
	CU_ASSERT_EQUAL(a2n_jit_lines(a, first, 4), 0);
	load(20, 1, 0x11000, 0x100, "f");
	CU_ASSERT_EQUAL(a2n_jit_lines(a, second, 1), 0);
	load(20, 1, 0x12000, 0x100, "wrong");
	CU_ASSERT_EQUAL(a2n_jit_lines(a, outside, 2), 0);
	CU_ASSERT_EQUAL(a2n_jit_move(a, 30, 1, 0x11000, 0x15000, 0x100), 0);
	offset[1] = ask(1, 10, 0x1100f).module_offset;
	offset[2] = ask(1, 10, 0x11010).module_offset;
	offset[3] = ask(1, 10, 0x110ff).module_offset;
	offset[4] = ask(1, 20, 0x11010).module_offset;
	offset[5] = ask(1, 30, 0x15010).module_offset;
	offset[6] = ask(1, 30, 0x12000).module_offset;
	offset[7] = ask(1, 30, 0x14000).module_offset;
	CU_ASSERT_EQUAL(a2n_lines(a, ask(1, 10, 0x11000).module, offset, 8, true, take_line, &n),
			0);
	CU_ASSERT_EQUAL(n, 5);
	CU_ASSERT_STRING_EQUAL(told, "1:a:9 2:b:3 3:-:4 4:c:7 5:c:7 ");
}

/* The place of a code, and its instructions if they were given: only by an offset of its module. */
static void test_code(void)
{
	static const uint8_t bytes[0x40] = { 0xc3 };
	struct a2n_code code = { 0 };
	uint64_t offset;

	begin();
	load(10, 1, 0x11000, 0x100, "f");
	load(10, 1, 0x12000, sizeof(bytes), "g");
	a2n_jit_bytes(a, bytes);
	offset = ask(1, 10, 0x11010).module_offset;
	CU_ASSERT_FATAL(a2n_code(a, offset, &code));
	CU_ASSERT(code.address == 0x11000 && code.size == 0x100);
	CU_ASSERT_PTR_NULL(code.bytes);
	offset = ask(1, 10, 0x12010).module_offset;
	CU_ASSERT_FATAL(a2n_code(a, offset, &code));
	CU_ASSERT(code.address == 0x12000 && code.size == sizeof(bytes));
	CU_ASSERT_PTR_EQUAL(code.bytes, bytes);
	CU_ASSERT(a2n_code(a, offset, NULL));
	/* An index that is a file's module, and one of a code that does not exist. */
	CU_ASSERT(!a2n_code(a, 0x10, &code));
	CU_ASSERT(!a2n_code(a, A2N_CODE | 2ull << 32, &code));
	CU_ASSERT(!a2n_code(a, A2N_CODE | 3ull << 32, &code));
	CU_ASSERT(!a2n_code(a, 1ull << 32, &code));
}

/* Two sources announce it, one of them with its instructions. */
static void test_twice(void)
{
	static const uint8_t bytes[0x40] = { 0xc3 }, others[0x40] = { 0x90 };
	struct a2n_code code = { 0 };

	begin();
	load(10, 1, 0x12000, sizeof(bytes), "g");
	a2n_jit_bytes(a, bytes);
	load(11, 1, 0x12000, sizeof(bytes), "g");
	CU_ASSERT_FATAL(a2n_code(a, ask(1, 11, 0x12010).module_offset, &code));
	CU_ASSERT(code.bytes == bytes && code.size == sizeof(bytes));
	/* Made anew there, with other instructions. */
	load(12, 1, 0x12000, sizeof(bytes), "g");
	a2n_jit_bytes(a, others);
	CU_ASSERT_FATAL(a2n_code(a, ask(1, 12, 0x12010).module_offset, &code));
	CU_ASSERT_PTR_EQUAL(code.bytes, others);
	CU_ASSERT_FATAL(a2n_code(a, ask(1, 11, 0x12010).module_offset, &code));
	CU_ASSERT_PTR_EQUAL(code.bytes, bytes);
	/* Another one, another's, a part of it, the same when it was given up: they have none. */
	load(13, 1, 0x12000, sizeof(bytes), "h");
	CU_ASSERT_FATAL(a2n_code(a, ask(1, 13, 0x12010).module_offset, &code));
	CU_ASSERT_PTR_NULL(code.bytes);
	a2n_jit_bytes(a, bytes);
	load(14, 2, 0x12000, sizeof(bytes), "h");
	CU_ASSERT_FATAL(a2n_code(a, ask(2, 14, 0x12010).module_offset, &code));
	CU_ASSERT_PTR_NULL(code.bytes);
	load(15, 1, 0x12000, sizeof(bytes) / 2, "h");
	CU_ASSERT_FATAL(a2n_code(a, ask(1, 15, 0x12010).module_offset, &code));
	CU_ASSERT_PTR_NULL(code.bytes);
	load(16, 1, 0x13000, sizeof(bytes), "k");
	a2n_jit_bytes(a, bytes);
	CU_ASSERT_EQUAL(a2n_jit_unload(a, 17, 1, 0x13000, sizeof(bytes)), 0);
	load(18, 1, 0x13000, sizeof(bytes), "k");
	CU_ASSERT_FATAL(a2n_code(a, ask(1, 18, 0x13010).module_offset, &code));
	CU_ASSERT_PTR_NULL(code.bytes);
}

static const void *bytes_at(uint64_t time)
{
	struct a2n_code code = { 0 };

	CU_ASSERT_FATAL(a2n_code(a, ask(1, time, 0x12010).module_offset, &code));
	return code.bytes;
}

/* The report without instructions is the earlier one: what ran between both has them, too; each
 * time that code is made anew. */
static void test_twice_late(void)
{
	static const uint8_t first[0x40] = { 0xc3 }, second[0x40] = { 0x90 }, third[0x40] = { 1 };
	const struct a2n_jit_line line = { .address = 0x12000, .line = 7, .file = "x" };
	uint64_t offset;
	size_t n = 0;

	begin();
	load(10, 1, 0x12000, sizeof(first), "g");
	CU_ASSERT_PTR_NULL(bytes_at(10));
	load(12, 1, 0x12000, sizeof(first), "g");
	a2n_jit_bytes(a, first);
	CU_ASSERT_EQUAL(a2n_jit_lines(a, &line, 1), 0);
	load(20, 1, 0x12000, sizeof(first), "g");
	load(22, 1, 0x12000, sizeof(first), "g");
	a2n_jit_bytes(a, second);
	CU_ASSERT_PTR_EQUAL(bytes_at(11), first);
	CU_ASSERT_PTR_EQUAL(bytes_at(13), first);
	CU_ASSERT_PTR_EQUAL(bytes_at(21), second);
	CU_ASSERT_PTR_EQUAL(bytes_at(23), second);
	offset = ask(1, 11, 0x12010).module_offset;
	*told = 0;
	CU_ASSERT_EQUAL(a2n_lines(a, ask(1, 11, 0x12010).module, &offset, 1, true, take_line, &n),
			0);
	CU_ASSERT_STRING_EQUAL(told, "0:x:7 ");
	/* The other order. */
	begin();
	load(10, 1, 0x12000, sizeof(first), "g");
	a2n_jit_bytes(a, first);
	load(12, 1, 0x12000, sizeof(first), "g");
	load(20, 1, 0x12000, sizeof(first), "g");
	a2n_jit_bytes(a, second);
	load(22, 1, 0x12000, sizeof(first), "g");
	load(30, 1, 0x12000, sizeof(first), "g");
	a2n_jit_bytes(a, third);
	CU_ASSERT_PTR_EQUAL(bytes_at(13), first);
	CU_ASSERT_PTR_EQUAL(bytes_at(21), second);
	CU_ASSERT_PTR_EQUAL(bytes_at(23), second);
	CU_ASSERT_PTR_EQUAL(bytes_at(31), third);
	/* A single source. */
	load(40, 1, 0x12000, sizeof(first), "g");
	a2n_jit_bytes(a, first);
	CU_ASSERT_PTR_EQUAL(bytes_at(35), third);
	CU_ASSERT_PTR_EQUAL(bytes_at(41), first);
}

/* Exactly the overlapped range is removed. */
static void test_overwrite(void)
{
	begin();
	load(10, 1, 0x11000, 0x1000, "old");
	load(20, 1, 0x11400, 0x100, "new");
	IS(1, 19, 0x11450, "old");
	IS(1, 20, 0x113ff, "old");
	IS(1, 20, 0x11400, "new");
	IS(1, 20, 0x114ff, "new");
	IS(1, 20, 0x11500, "old");
	CU_ASSERT_EQUAL(ask(1, 20, 0x11500).symbol_offset, 0x500);
}

/* f_old at A, f_new over it, f_new moved to B, code that nobody told of at A. */
static void test_move(void)
{
	begin();
	load(1000, 1, 0x11000, 0x80, "f_old");
	load(2000, 1, 0x11000, 0x80, "f_new");
	CU_ASSERT_EQUAL(a2n_jit_move(a, 3000, 1, 0x11000, 0x15000, 0x80), 0);
	IS(1, 1999, 0x11010, "f_old");
	IS(1, 2999, 0x11010, "f_new");
	IS(1, 2999, 0x15010, A2N_JIT_UNKNOWN);
	IS(1, 3000, 0x15010, "f_new");
	CU_ASSERT_EQUAL(ask(1, 3000, 0x15010).symbol_offset, 0x10);
	IS(1, 3000, 0x11010, A2N_JIT_UNKNOWN);
	CU_ASSERT_EQUAL(ask(1, 3000, 0x11010).result, A2N_RESULT_JIT_UNKNOWN);
	/* A move over itself; of unknown code; to its own place. */
	CU_ASSERT_EQUAL(a2n_jit_move(a, 4000, 1, 0x15000, 0x15040, 0x80), 0);
	IS(1, 4000, 0x1503f, A2N_JIT_UNKNOWN);
	IS(1, 4000, 0x15040, "f_new");
	IS(1, 4000, 0x150bf, "f_new");
	CU_ASSERT_EQUAL(a2n_jit_move(a, 5000, 1, 0x1a000, 0x15040, 0x80), 0);
	IS(1, 5000, 0x15040, A2N_JIT_UNKNOWN);
	load(6000, 1, 0x15040, 0x80, "back");
	CU_ASSERT_EQUAL(a2n_jit_move(a, 7000, 1, 0x15040, 0x15040, 0x80), 0);
	IS(1, 7000, 0x15040, "back");
}

static void test_unload(void)
{
	begin();
	load(10, 1, 0x11000, 0x100, "f");
	CU_ASSERT_EQUAL(a2n_jit_unload(a, 20, 1, 0x11000, 0x80), 0);
	IS(1, 19, 0x11000, "f");
	IS(1, 20, 0x11000, A2N_JIT_FREED);
	CU_ASSERT_EQUAL(ask(1, 20, 0x11000).result, A2N_RESULT_JIT_FREED);
	CU_ASSERT_STRING_EQUAL(ask(1, 20, 0x11000).module->name, A2N_JITCODE);
	IS(1, 20, 0x11080, "f");
	load(30, 1, 0x11000, 0x10, "g");
	IS(1, 30, 0x11000, "g");
	IS(1, 30, 0x11010, A2N_JIT_FREED);
	/* Code that was never announced cannot be freed. */
	CU_ASSERT_EQUAL(a2n_jit_unload(a, 40, 1, 0x12000, 0x80), 0);
	IS(1, 40, 0x12000, A2N_JIT_UNKNOWN);
	/* Its memory is unmapped and mapped again: code that is created in it is not announced. */
	CU_ASSERT_EQUAL(a2n_unmap(a, 50, 1, 0x11000, 0x1000), 0);
	IS(1, 50, 0x11010, A2N_NO_MODULE);
	map(60, 1, 0x11000, 0x1000, NULL);
	IS(1, 60, 0x11010, A2N_JIT_UNKNOWN);
	IS(1, 49, 0x11010, A2N_JIT_FREED);
}

static void load_late(uint64_t earliest, uint64_t time, uint64_t address, const char *name)
{
	CU_ASSERT_EQUAL(a2n_jit_load_late(a, earliest, time, 1, address, 0x100, name, strlen(name)),
			0);
}

/* Told when it had run already. */
static void test_told_late(void)
{
	struct a2n_answer r;

	begin();
	load_late(100, 150, 0x11000, "f");
	load_late(170, 200, 0x11080, "g");
	load_late(170, 200, 0x13000, "g");
	/* Nobody else was there: it is who came. */
	IS(1, 99, 0x11000, A2N_JIT_UNKNOWN);
	IS(1, 100, 0x11000, "f");
	IS(1, 100, 0x11090, "f");
	CU_ASSERT_EQUAL(ask(1, 100, 0x11090).symbol_offset, 0x90);
	/* One or the other. */
	IS(1, 169, 0x11080, "f");
	IS(1, 170, 0x11080, A2N_JIT_AMBIGUOUS);
	IS(1, 199, 0x11080, A2N_JIT_AMBIGUOUS);
	IS(1, 199, 0x1107f, "f");
	IS(1, 200, 0x11080, "g");
	r = ask(1, 180, 0x11080);
	CU_ASSERT_EQUAL(r.result, A2N_RESULT_JIT_AMBIGUOUS);
	CU_ASSERT_STRING_EQUAL(r.module->name, A2N_JITCODE);
	/* The first one's removal was announced. */
	CU_ASSERT_EQUAL(a2n_jit_unload(a, 300, 1, 0x11000, 0x180), 0);
	load_late(290, 320, 0x11000, "h");
	IS(1, 289, 0x11000, "f");
	IS(1, 290, 0x11000, A2N_JIT_AMBIGUOUS);
	IS(1, 300, 0x11000, "h");
	IS(1, 300, 0x11100, A2N_JIT_FREED);
	/* Two to come, of which either may have been there. */
	CU_ASSERT_EQUAL(a2n_jit_unload(a, 400, 1, 0x11000, 0x100), 0);
	load_late(405, 420, 0x11000, "i");
	load_late(410, 430, 0x11000, "j");
	IS(1, 404, 0x11000, A2N_JIT_FREED);
	IS(1, 409, 0x11000, "i");
	IS(1, 410, 0x11000, A2N_JIT_AMBIGUOUS);
	IS(1, 420, 0x11000, A2N_JIT_AMBIGUOUS);
	/* Two codes with the same name are indistinguishable for the reader. */
	load_late(470, 500, 0x11000, "j");
	IS(1, 480, 0x11000, "j");
	/* A code that is announced in time is certain. */
	load(600, 1, 0x11000, 0x100, "k");
	IS(1, 599, 0x11000, "j");
}

static void entry(uint64_t since, uint64_t time, uint64_t address, uint64_t size, const char *name)
{
	CU_ASSERT_EQUAL(a2n_jit_map(a, since, time, 1, address, size, name, strlen(name)), 0);
}

static void named(uint64_t time, uint64_t address, const char *name, bool unsure)
{
	struct a2n_answer r = ask(1, time, address);

	if (strcmp(r.symbol->name, name) != 0 || r.unsure != unsure)
		printf("# at %d, %#x: %s, unsure %d\n", (int)time, (unsigned int)address,
		       r.symbol->name, r.unsure);
	CU_ASSERT_STRING_EQUAL(r.symbol->name, name);
	CU_ASSERT_EQUAL(r.unsure, unsure);
}

/* Entries of a perf map, which was read at 100 and again at 200. */
static void test_of_map(void)
{
	begin();
	entry(0, 100, 0x11000, 0x100, "f");
	entry(0, 100, 0x12000, 0x100, "same");
	entry(100, 200, 0x11080, 0x100, "g");
	entry(100, 200, 0x12000, 0x100, "same");
	entry(100, 200, 0x13000, 0x100, "new");
	/* The first entries hold from the process's beginning. */
	named(2, 0x11000, "f", false);
	named(99, 0x110ff, "f", false);
	named(99, 0x11100, A2N_JIT_UNKNOWN, false);
	/* Between both it is one or the other. */
	named(99, 0x11080, "f", false);
	named(100, 0x11080, "g", true);
	named(199, 0x11080, "g", true);
	named(200, 0x11080, "g", false);
	named(200, 0x1107f, "f", false);
	/* Where nothing else was, it is sure, and so is an entry that is repeated. */
	named(99, 0x11120, A2N_JIT_UNKNOWN, false);
	named(100, 0x11120, "g", false);
	named(150, 0x12000, "same", false);
	named(300, 0x12000, "same", false);
	named(99, 0x13000, A2N_JIT_UNKNOWN, false);
	named(100, 0x13000, "new", false);
	CU_ASSERT_EQUAL(ask(1, 250, 0x11090).symbol_offset, 0x10);
	/* Nothing, and no name. */
	entry(100, 200, 0x14000, 0, "empty");
	named(200, 0x14000, A2N_JIT_UNKNOWN, false);
	CU_ASSERT_EQUAL(a2n_jit_map(a, 100, 200, 1, 0x14000, 16, NULL, 4), -EINVAL);
	named(200, 0x14000, A2N_JIT_UNKNOWN, false);
}

/* Entries of one reading that cover others: a blob and its parts, in either order; code that was
 * compiled anew in the same place; code that overlaps the end of another. */
static void test_of_map_overlaps(void)
{
	begin();
	entry(0, 100, 0x11000, 0x1000, "blob");
	entry(0, 100, 0x11100, 0x80, "part");
	entry(0, 100, 0x11180, 0x80, "next_part");
	named(50, 0x110ff, "blob", false);
	named(50, 0x11100, "part", false);
	named(50, 0x11180, "next_part", false);
	named(50, 0x11200, "blob", false);
	entry(0, 100, 0x13100, 0x80, "first");
	entry(0, 100, 0x13180, 0x80, "second");
	entry(0, 100, 0x13000, 0x1000, "around");
	named(50, 0x130ff, "around", false);
	named(50, 0x13100, "first", false);
	named(50, 0x13180, "second", false);
	named(50, 0x13200, "around", false);
	entry(0, 100, 0x15000, 0x100, "old");
	entry(0, 100, 0x15000, 0x80, "anew");
	named(99, 0x15000, "anew", true);
	named(100, 0x15000, "anew", false);
	named(50, 0x15080, "old", false);
	entry(0, 100, 0x16000, 0x100, "u");
	entry(0, 100, 0x16080, 0x100, "v");
	named(50, 0x1607f, "u", false);
	named(50, 0x16080, "v", true);
	named(100, 0x16080, "v", false);
	named(50, 0x16100, "v", false);
}

/* A blob behind its parts, which keep their names if they are listed right before it; one of them
 * alone that begins with it may be what was compiled before. */
static void test_of_map_parts(void)
{
	begin();
	entry(0, 100, 0x11000, 0x80, "alone");
	entry(0, 100, 0x11000, 0x100, "longer");
	named(99, 0x11000, "longer", true);
	named(100, 0x11000, "longer", false);
	named(50, 0x11080, "longer", false);
	entry(0, 100, 0x12040, 0x80, "inside");
	entry(0, 100, 0x12000, 0x100, "around_one");
	named(50, 0x1203f, "around_one", false);
	named(50, 0x12040, "inside", false);
	entry(0, 100, 0x13000, 0x80, "first");
	entry(0, 100, 0x13080, 0x80, "second");
	entry(0, 100, 0x13000, 0x200, "around_two");
	named(50, 0x13000, "first", false);
	named(50, 0x13080, "second", false);
	named(50, 0x13100, "around_two", false);
	/* Something else stands between them. */
	entry(0, 100, 0x14040, 0x80, "inside");
	entry(0, 100, 0x1f000, 0x10, "else");
	entry(0, 100, 0x14000, 0x100, "around");
	named(50, 0x14040, "inside", true);
	named(50, 0x14000, "around", false);
	named(50, 0x140c0, "around", false);
	entry(0, 100, 0x15000, 0x80, "before");
	entry(0, 100, 0x1f010, 0x10, "else");
	entry(0, 100, 0x15000, 0x100, "after");
	named(99, 0x15000, "after", true);
	named(100, 0x15000, "after", false);
	/* Those of another reading, or of another process, are not its parts. */
	entry(0, 100, 0x16040, 0x80, "early");
	entry(100, 200, 0x16000, 0x100, "late");
	named(99, 0x16040, "early", false);
	named(100, 0x16040, "late", true);
	named(200, 0x16040, "late", false);
}

/* The effects of mappings on generated code. */
static void test_memory(void)
{
	begin();
	load(10, 1, 0x11000, 0x100, "f");
	/* Protection that changes shows as the same memory again. */
	map(20, 1, 0x11000, 0x1000, NULL);
	IS(1, 20, 0x11000, "f");
	/* A file over a part of it. */
	map(30, 1, 0x11000, 0x80, "/lib.so");
	IS(1, 29, 0x11000, "f");
	CU_ASSERT_STRING_EQUAL(ask(1, 30, 0x11000).module->name, "/lib.so");
	IS(1, 30, 0x11080, "f");
	/* Code in a file's mapping (a memfd mapped twice) is found, and stays when the mapping is
	 * told again. */
	load(40, 1, 0x11000, 0x40, "g");
	IS(1, 40, 0x11000, "g");
	map(50, 1, 0x11000, 0x80, "/lib.so");
	IS(1, 50, 0x11000, "g");
	CU_ASSERT_EQUAL(a2n_unmap(a, 60, 1, 0x10000, 0x10000), 0);
	IS(1, 60, 0x11000, A2N_NO_MODULE);
	IS(1, 60, 0x11080, A2N_NO_MODULE);
	IS(1, 59, 0x11080, "f");
}

static void test_fork(void)
{
	begin();
	load(10, 1, 0x11000, 0x100, "f");
	CU_ASSERT_EQUAL(a2n_fork(a, 20, 1, 2, 6), 0);
	load(30, 1, 0x11000, 0x100, "parent");
	load(40, 2, 0x11000, 0x80, "child");
	IS(2, 25, 0x11000, "f");
	IS(2, 35, 0x11000, "f");
	IS(2, 40, 0x11000, "child");
	IS(2, 40, 0x11080, "f");
	IS(1, 40, 0x11000, "parent");
	/* Shared memory: an announcement by either applies to both, including the very first
	 * one. */
	begin();
	CU_ASSERT_EQUAL(a2n_clone(a, 20, 1, 2, 6), 0);
	load(30, 2, 0x11000, 0x100, "f");
	IS(1, 30, 0x11000, "f");
	/* exec clears, for the one that does it. */
	CU_ASSERT_EQUAL(a2n_process(a, 40, 2, 6), 0);
	map(40, 2, 0x10000, 0x10000, NULL);
	IS(2, 39, 0x11000, "f");
	IS(2, 40, 0x11000, A2N_JIT_UNKNOWN);
	IS(1, 40, 0x11000, "f");
	/* A walk that finds it alive forgets nothing. */
	CU_ASSERT_EQUAL(a2n_seen(a, 50, 1, 5), 0);
	map(50, 1, 0x10000, 0x10000, NULL);
	IS(1, 50, 0x11000, "f");
	CU_ASSERT_EQUAL(a2n_seen(a, 60, 1, 7), 0);
	map(60, 1, 0x10000, 0x10000, NULL);
	IS(1, 60, 0x11000, A2N_JIT_UNKNOWN);
}

/* Code that is announced late does not precede code that was announced there. */
static void test_late(void)
{
	begin();
	load(50, 1, 0x11000, 0x100, "b");
	load(40, 1, 0x11000, 0x100, "c");
	load(45, 1, 0x12000, 0x100, "d");
	IS(1, 49, 0x11000, A2N_JIT_UNKNOWN);
	IS(1, 50, 0x11000, "c");
	IS(1, 45, 0x12000, "d");
	load(0, 1, 0x13000, 0x100, "e");
	IS(1, 1, 0x13000, "e");
	load(UINT64_MAX, 1, 0x14000, 0x100, "f");
	IS(1, 1ull << 62, 0x14000, A2N_JIT_UNKNOWN);
}

#define CELLS 64
#define STEPS 600

static unsigned int seed;

static unsigned int next(unsigned int n)
{
	seed = seed * 1103515245 + 12345;
	return (seed >> 16) % n;
}

/* owner[t][i]: 0 nobody told, -1 given up, else the number of a function. */
static void test_model(void)
{
	static int owner[STEPS][CELLS];
	static unsigned int base[STEPS], length[STEPS]; /* where the function of a step is */
	unsigned int run, t, i;

	for (run = 0; run < 20; run++) {
		begin();
		seed = run;
		memset(owner, 0, sizeof(owner));
		for (t = 1; t < STEPS; t++) {
			unsigned int start = next(CELLS), size = 1 + next(CELLS - start), to;
			uint64_t at = 0x11000 + start * 16;
			char name[16];

			memcpy(owner[t], owner[t - 1], sizeof(owner[t]));
			switch (next(4)) {
			case 0:
			case 1:
				snprintf(name, sizeof(name), "f%u", t);
				load(t * 10, 1, at, size * 16, name);
				for (i = start; i < start + size; i++)
					owner[t][i] = (int)t;
				base[t] = start;
				length[t] = size;
				break;
			case 2:
				CU_ASSERT_EQUAL(a2n_jit_unload(a, t * 10, 1, at, size * 16), 0);
				for (i = start; i < start + size; i++)
					owner[t][i] = owner[t][i] ? -1 : 0;
				break;
			default:
				/* A whole function that is still whole moves. */
				if (owner[t][start] <= 0)
					break;
				to = (unsigned int)owner[t][start];
				start = base[to];
				/* The code after it may be a part of the same code from before a
				 * move. */
				for (size = 0;
				     size < length[to] && owner[t][start + size] == (int)to; size++)
					;
				if (!size)
					break;
				i = next(CELLS - size + 1);
				CU_ASSERT_EQUAL(a2n_jit_move(a, t * 10, 1, 0x11000 + start * 16,
							     0x11000 + i * 16, size * 16),
						0);
				if (i != start) {
					memset(&owner[t][start], 0, size * sizeof(int));
					for (unsigned int k = 0; k < size; k++)
						owner[t][i + k] = (int)to;
					/* Pieces elsewhere: none is asked. */
					base[to] = i;
					length[to] = size;
				}
				break;
			}
		}
		for (t = 1; t < STEPS; t += 7)
			for (i = 0; i < CELLS; i++) {
				char name[16];

				snprintf(name, sizeof(name), "f%d", owner[t][i]);
				IS(1, t * 10 + next(10), 0x11000 + i * 16 + next(16),
				   !owner[t][i]    ? A2N_JIT_UNKNOWN :
				   owner[t][i] < 0 ? A2N_JIT_FREED :
						     name);
			}
	}
	a2n_close(a);
	a = NULL;
}

int main(void)
{
	static const struct unit_test tests[] = {
		{ "load", test_load },
		{ "names", test_names },
		{ "lines", test_lines },
		{ "code", test_code },
		{ "twice", test_twice },
		{ "twice_late", test_twice_late },
		{ "overwrite", test_overwrite },
		{ "move", test_move },
		{ "unload", test_unload },
		{ "told_late", test_told_late },
		{ "of_map", test_of_map },
		{ "of_map_overlaps", test_of_map_overlaps },
		{ "of_map_parts", test_of_map_parts },
		{ "memory", test_memory },
		{ "fork", test_fork },
		{ "late", test_late },
		{ "model", test_model },
		{ NULL, NULL },
	};

	return unit_run("a2n_jit", tests);
}
