// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Where idle CPUs wait, in kallsyms of the test's own: which functions, how far they reach, tables
 * of any length; without memory what was read so far. (Linked with --wrap=fopen64,realloc.)
 */
#include <errno.h>
#include <stdlib.h>
#include "collect/perf/perf_idle.h"
#include "unit.h"

static char *text;
static size_t length, room;
static bool is_file;
static unsigned int reallocs, realloc_fails; /* at this call */

FILE *__wrap_fopen64(const char *path, const char *mode);
void *__real_realloc(void *p, size_t n);
void *__wrap_realloc(void *p, size_t n);

FILE *__wrap_fopen64(const char *path, const char *mode)
{
	CU_ASSERT_STRING_EQUAL(path, "/proc/kallsyms");
	CU_ASSERT_STRING_EQUAL(mode, "re");
	return is_file ? fmemopen(text, length, "r") : NULL;
}

void *__wrap_realloc(void *p, size_t n)
{
	if (++reallocs == realloc_fails)
		return NULL;
	if (p)
		return __real_realloc(p, n);
	/* Any entry that nobody wrote there would end the function that is looked for. */
	p = __real_realloc(p, n);
	for (size_t i = 0; p && i < n / sizeof(uint64_t); i++)
		((uint64_t *)p)[i] = 0x1001;
	return p;
}

static void begin(void)
{
	length = 0;
	is_file = true;
	reallocs = realloc_fails = 0;
}

static void line(const char *of)
{
	size_t n = strlen(of);

	if (length + n + 1 > room) {
		room = 2 * room + n + 4096;
		text = __real_realloc(text, room);
	}
	memcpy(text + length, of, n + 1);
	length += n;
}

static void symbol(uint64_t at, char type, const char *name)
{
	char s[200];

	snprintf(s, sizeof(s), "%016llx %c %s\n", (unsigned long long)at, type, name);
	line(s);
}

static struct perf_idle idle;

static void read_it(void)
{
	memset(&idle, 0x5a, sizeof(idle));
	perf_idle_read(&idle);
}

static bool is_range(size_t i, uint64_t start, uint64_t end)
{
	return i < idle.n && idle.range[i].start == start && idle.range[i].end == end;
}

/* Each reaches to the next symbol, whatever the order, and no farther than 4096 bytes. */
static void ranges(void)
{
	begin();
	symbol(0x3000, 'T', "do_idle");
	symbol(0x1000, 't', "default_idle");
	symbol(0x1040, 'T', "after");
	symbol(0x1040, 'T', "alias");
	symbol(0x0500, 'T', "before");
	symbol(0x1010, 'D', "data");
	symbol(0x1020, 'b', "bss");
	symbol(0x5000, 'w', "poll_idle");
	symbol(0x6000, 'W', "cpu_idle_poll");
	symbol(0x6fff, 'W', "soon");
	symbol(0x9000, 't', "mwait_idle\t[module]");
	symbol(0xb000, 'T', "do_idle_not");
	symbol(0xc000, 'T', "do_idl");
	symbol(0xd000, 'D', "intel_idle");
	symbol(0, 'T', "native_halt");
	line("bad line\n");
	line("\n");
	line("e000 T acpi_safe_halt"); /* no newline */
	read_it();
	CU_ASSERT_EQUAL(idle.n, 6);
	CU_ASSERT(is_range(0, 0x3000, 0x4000)); /* the next is at 0x5000 */
	CU_ASSERT(is_range(1, 0x1000, 0x1040));
	CU_ASSERT(is_range(2, 0x5000, 0x6000));
	CU_ASSERT(is_range(3, 0x6000, 0x6fff));
	CU_ASSERT(is_range(4, 0x9000, 0xa000));
	CU_ASSERT(is_range(5, 0xe000, 0xf000));
	CU_ASSERT(perf_idle_at(&idle, 0x3000) && perf_idle_at(&idle, 0x3fff));
	CU_ASSERT(!perf_idle_at(&idle, 0x2fff) && !perf_idle_at(&idle, 0x4000));
	CU_ASSERT(perf_idle_at(&idle, 0xefff) && !perf_idle_at(&idle, 0xf000));
	CU_ASSERT(perf_idle_at(&idle, 0x103f) && !perf_idle_at(&idle, 0x1040));
}

/* No file, hidden addresses, nothing in it: no sample counts as idle. */
static void none(void)
{
	begin();
	is_file = false;
	read_it();
	CU_ASSERT(!idle.n && !perf_idle_at(&idle, 0));
	begin();
	symbol(0, 'T', "do_idle");
	read_it();
	CU_ASSERT(!idle.n && !perf_idle_at(&idle, 0));
}

/* As many as there is room for. */
static void most(void)
{
	begin();
	for (unsigned int i = 0; i < 40; i++)
		symbol(0x1000 + 0x10000ull * i, 'T', "do_idle");
	symbol(0x1000 + 0x10000ull * 31 + 0x20, 'T', "next");
	read_it();
	CU_ASSERT_EQUAL(idle.n, 32);
	CU_ASSERT(is_range(31, 0x1000 + 0x10000ull * 31, 0x1020 + 0x10000ull * 31));
	for (unsigned int i = 0; i < 31; i++)
		CU_ASSERT(is_range(i, 0x1000 + 0x10000ull * i, 0x2000 + 0x10000ull * i));
}

/* More symbols than the table has room for at first: the last of them ends a function. */
static void many(void)
{
	static const unsigned int counts[] = { 65535, 65536, 65537, 131072, 131073 };

	for (size_t k = 0; k < sizeof(counts) / sizeof(*counts); k++) {
		begin();
		symbol(0x1000, 'T', "do_idle");
		for (unsigned int i = 2; i < counts[k]; i++)
			symbol(0x100000 + 16ull * i, 'T', "f");
		symbol(0x1100, 'T', "last");
		read_it();
		CU_ASSERT_EQUAL(idle.n, 1);
		CU_ASSERT(is_range(0, 0x1000, 0x1100));
		CU_ASSERT(reallocs > 1);
	}
	/* Without memory: what there is. */
	reallocs = 0;
	realloc_fails = 2;
	read_it();
	CU_ASSERT(idle.n == 1 && is_range(0, 0x1000, 0x2000));
	reallocs = 0;
	realloc_fails = 1;
	read_it();
	CU_ASSERT_EQUAL(idle.n, 0);
}

int main(void)
{
	static const struct unit_test tests[] = {
		{ "ranges", ranges }, { "none", none }, { "most", most }, { "many", many }, {},
	};
	int code = unit_run("perf_idle", tests);

	free(text);
	return code;
}
