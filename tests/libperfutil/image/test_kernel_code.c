/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which pages of the kernel's text are kept, from when on they hold; kcore is a file of ours. */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
#include "image/kernel_code.h"
#include "file/record_walk.h"
#include "file/segment.h"
#include "unit.h"

#define PAGE    KERNEL_CODE_PAGE
#define TEXT    0xffffffff81000000ull
#define MODULES 0xffffffffc0000000ull
#define PAGES   8 /* of each */

/* ---- kcore ----------------------------------------------------------------------------------- */

static char core_path[64], trace_path[64];
static int core;

static void fill(unsigned int page, int byte) /* 0 to 7 text, 8 to 15 modules */
{
	uint8_t bytes[PAGE];

	memset(bytes, byte, sizeof(bytes));
	CU_ASSERT_EQUAL_FATAL(pwrite(core, bytes, PAGE, (1 + page) * PAGE), PAGE);
}

static void make_core(void)
{
	Elf64_Ehdr e = { .e_phoff = sizeof(e), .e_phentsize = sizeof(Elf64_Phdr), .e_phnum = 3 };
	Elf64_Phdr p[3] = {
		{ .p_type = PT_NOTE },
		{ .p_type = PT_LOAD, .p_vaddr = TEXT, .p_offset = PAGE, .p_filesz = PAGES * PAGE },
		{ .p_type = PT_LOAD,
		  .p_vaddr = MODULES,
		  .p_offset = (1 + PAGES) * PAGE,
		  .p_filesz = PAGES * PAGE },
	};

	snprintf(core_path, sizeof(core_path), "/tmp/pitrace-core-%d", getpid());
	snprintf(trace_path, sizeof(trace_path), "/tmp/pitrace-code-%d", getpid());
	memcpy(e.e_ident, ELFMAG, SELFMAG);
	e.e_ident[EI_CLASS] = ELFCLASS64;
	core = open(core_path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	CU_ASSERT_FATAL(core >= 0);
	CU_ASSERT_EQUAL_FATAL(pwrite(core, &e, sizeof(e), 0), sizeof(e));
	CU_ASSERT_EQUAL_FATAL(pwrite(core, p, sizeof(p), sizeof(e)), sizeof(p));
	for (unsigned int i = 0; i < 2 * PAGES; i++)
		fill(i, (int)i + 1);
	fill(7, 0);
}

/* ---- a trace --------------------------------------------------------------------------------- */

static struct kernel_code *code;
static struct pifile_writer *writer;
static struct segment_out out;

static int scan(void *arg, const void *segment, size_t size)
{
	(void)arg;
	kernel_code_scan(code, segment, size);
	return 0;
}

static void begin(void)
{
	struct pifile_header h = { .clock = PITRACE_CLOCK_MONOTONIC, .ncpus = 1 };

	make_core();
	out = (struct segment_out){ .session = 1, .ring = PITRACE_RING_TRACE, .size = 32768 };
	unlink(trace_path);
	writer = pifile_create(trace_path, &h);
	code = kernel_code_new(core_path);
	CU_ASSERT_FATAL(writer && code);
}

static void branch(uint64_t stamp, uint16_t major, uint32_t flags, uint32_t count, uint64_t from,
		   uint64_t to)
{
	struct pitrace_branch b = { 1, 1, count, from, to };
	int err;

	memcpy(segment_put(&out, major, PITRACE_BRANCH_JUMP | flags, PITRACE_TYPE_STRUCT, sizeof(b),
			   stamp, scan, NULL, &err),
	       &b, sizeof(b));
}

static void breaks(uint64_t stamp, uint64_t at, uint64_t to)
{
	struct pitrace_break_rec b = { 1, 1, 0, 3, at, to };
	int err;

	memcpy(segment_put(&out, PITRACE_BREAK_KERNEL, PITRACE_BREAK_INTERRUPT, PITRACE_TYPE_STRUCT,
			   sizeof(b), stamp, scan, NULL, &err),
	       &b, sizeof(b));
}

static void put_module(uint64_t stamp, uint32_t minor, uint64_t start, uint64_t length,
		       uint32_t flags)
{
	struct pitrace_mte_map m = { .flags = flags, .start = start, .length = length };
	int err;

	memcpy(segment_put(&out, PITRACE_MTE, minor, PITRACE_TYPE_STRUCT, sizeof(m) + 4, stamp,
			   scan, NULL, &err),
	       &m, sizeof(m));
}

static void module(uint64_t stamp, uint32_t minor, unsigned int page, unsigned int pages)
{
	put_module(stamp, minor, MODULES + page * PAGE, pages * PAGE, PITRACE_MAP_KERNEL);
}

static void drain(void)
{
	CU_ASSERT_EQUAL(segment_close(&out, scan, NULL), 0);
	CU_ASSERT_EQUAL(kernel_code_flush(code, writer), 0);
}

/* Returns the content of the file: "PAGE=BYTE@STAMP " for each T and M, with + where a change is
 * recorded. */
static const char *kept(void)
{
	static char text[1024];
	struct pifile *f;
	struct pimerge *m;
	struct pirecord r;
	size_t n = 0;

	text[0] = '\0';
	CU_ASSERT_EQUAL(pifile_finish(writer), 0);
	f = pifile_open(trace_path, NULL);
	m = f ? pimerge_open(f, PIMERGE_MTE) : NULL;
	CU_ASSERT_PTR_NOT_NULL_FATAL(m);
	while (pimerge_next(m, &r)) {
		const struct pitrace_code *c = r.data;
		const uint8_t *bytes = (const uint8_t *)(c + 1);
		bool is_text = c->address < MODULES;
		uint64_t page = (c->address - (is_text ? TEXT : MODULES)) / PAGE;

		CU_ASSERT_EQUAL(r.major, PITRACE_CODE);
		CU_ASSERT(r.snapshot && !c->pid && c->bytes == PAGE && r.size == PAGE + sizeof(*c));
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%c%u=%u@%u", n ? " " : "",
				      is_text ? 'T' : 'M', (unsigned int)page, bytes[PAGE - 1],
				      (unsigned int)r.stamp);
		if (r.minor == PITRACE_CODE_CHANGED)
			n += (size_t)snprintf(text + n, sizeof(text) - n, "+");
	}
	CU_ASSERT_EQUAL(pifile_faults(f, NULL), 0);
	pimerge_close(m);
	pifile_close(f);
	kernel_code_free(code);
	segment_free(&out);
	close(core);
	unlink(core_path);
	unlink(trace_path);
	return text;
}

/* Pages stand in an order of the table's own. */
static bool has_all(const char *text, const char *const *want)
{
	size_t n = 0, spaces = 0;

	for (; want[n]; n++)
		if (!strstr(text, want[n]))
			return false;
	for (; *text; text++)
		spaces += *text == ' ';
	return n ? spaces == n - 1 : !spaces;
}
#define HAS(...)                                                  \
	do {                                                      \
		const char *const want[] = { __VA_ARGS__, NULL }; \
		CU_ASSERT(has_all(kept(), want));                 \
	} while (0)

/* ---- tests ----------------------------------------------------------------------------------- */

static void what_was_executed(void)
{
	begin();
	branch(5, PITRACE_BRANCH_USER, 0, 3, 0x401000, 0x402000); /* no kernel */
	branch(6, PITRACE_BRANCH_USER, PITRACE_BRANCH_CROSS, 3, 0x401000, TEXT + 8);
	branch(7, PITRACE_BRANCH_KERNEL, 0, 2, TEXT + PAGE - 4, TEXT + 3 * PAGE); /* 2 */
	branch(8, PITRACE_BRANCH_KERNEL, 0, 400, TEXT + 5 * PAGE + 8, TEXT);      /* far */
	branch(9, PITRACE_BRANCH_KERNEL, PITRACE_BRANCH_CROSS, 1, TEXT + 9, 0x401002);
	drain();
	branch(12, PITRACE_BRANCH_KERNEL, 0, 1, TEXT + 9, TEXT + 10);
	drain();
	HAS("T0=1@9", "T1=2@9", "T3=4@9", "T4=5@9", "T5=6@9");
}

static void breaks_too(void)
{
	begin();
	breaks(4, TEXT + 2 * PAGE, MODULES);
	drain();
	HAS("T2=3@4", "M0=9@4");
}

static void nothing_there(void)
{
	begin();
	branch(5, PITRACE_BRANCH_KERNEL, 0, 1, TEXT + 7 * PAGE, TEXT + 6 * PAGE); /* zeros */
	branch(6, PITRACE_BRANCH_KERNEL, 0, 1, TEXT + 8 * PAGE, 0x1000); /* behind, before */
	branch(7, PITRACE_BRANCH_KERNEL, 0, UINT32_MAX, UINT64_MAX, UINT64_MAX - 20);
	drain();
	HAS("T6=7@7");
}

/* Other code comes to where code was read; what was executed before it holds until then. */
static void a_module_after_another(void)
{
	begin();
	branch(5, PITRACE_BRANCH_KERNEL, 0, 1, MODULES + 8, MODULES + PAGE);
	drain();
	module(10, PITRACE_MTE_UNLOAD, 0, 2);
	module(20, PITRACE_MTE_MODULE, 0, 1);
	fill(8, 77);
	drain();
	HAS("M0=9@5", "M1=10@5", "M0=77@20");
}

/* … and what was not read before it went never is, whichever the drain sees first. */
static void gone_before_it_was_read(void)
{
	begin();
	branch(5, PITRACE_BRANCH_KERNEL, 0, 1, MODULES + 8, MODULES + 16);
	module(10, PITRACE_MTE_UNLOAD, 0, 2);
	drain();
	branch(11, PITRACE_BRANCH_KERNEL, 0, 1, TEXT + 8, TEXT + 16);
	drain();
	HAS("T0=1@11");
	begin();
	module(10, PITRACE_MTE_UNLOAD, 2, 1);
	segment_close(&out, scan, NULL);
	out.last = 0;
	branch(5, PITRACE_BRANCH_KERNEL, 0, 1, MODULES + 2 * PAGE + 8, MODULES + 2 * PAGE);
	branch(15, PITRACE_BRANCH_KERNEL, 0, 1, MODULES + 4 * PAGE, MODULES + 4 * PAGE);
	branch(16, PITRACE_BRANCH_KERNEL, 0, 1, MODULES + 3 * PAGE, MODULES + 3 * PAGE);
	drain();
	HAS("M4=13@16", "M3=12@16");
}

/* The page that was seen last is not looked up again, only its neighbours. */
static void in_any_order(void)
{
	static const uint64_t orders[][7] = {
		{ 0, 1, 2, 3, 4, 5, 6 },
		{ 6, 5, 4, 3, 2, 1, 0 },
		{ 6, 3, 5, 2, 4, 1, 0 },
		{ 0, 2, 4, 6, 1, 3, 5 },
	};

	for (size_t i = 0; i < sizeof(orders) / sizeof(orders[0]); i++) {
		begin();
		for (int n = 0; n < 7; n++)
			branch(5, PITRACE_BRANCH_KERNEL, 0, 1, TEXT + orders[i][n] * PAGE,
			       TEXT + orders[i][n] * PAGE);
		drain();
		HAS("T0=1@5", "T1=2@5", "T2=3@5", "T3=4@5", "T4=5@5", "T5=6@5", "T6=7@5");
	}
}

/* Modules that no code is of, the kernel's list of them, and mappings of processes change nothing;
 * a page is of each module that has a byte of it. */
static void other_modules(void)
{
	static const struct {
		uint64_t start, length;
		uint32_t flags;
		bool read_again;
	} modules[] = {
		{ 0, 16 * 1024 * PAGE, PITRACE_MAP_KERNEL, false },
		{ MODULES, 8 * PAGE, 0, false },
		{ MODULES, 8 * PAGE, PITRACE_MAP_KERNEL | PITRACE_MAP_WALK, false },
		{ MODULES, 3 * PAGE, PITRACE_MAP_KERNEL, false },
		{ MODULES, 3 * PAGE + 1, PITRACE_MAP_KERNEL, true },
		{ MODULES + 4 * PAGE, PAGE, PITRACE_MAP_KERNEL, false },
		{ MODULES + 4 * PAGE - 1, 1, PITRACE_MAP_KERNEL, true },
	};

	for (size_t i = 0; i < sizeof(modules) / sizeof(modules[0]); i++) {
		begin();
		branch(5, PITRACE_BRANCH_KERNEL, 0, 1, MODULES + 3 * PAGE, MODULES + 3 * PAGE);
		drain();
		put_module(8, PITRACE_MTE_UNLOAD, modules[i].start, modules[i].length,
			   modules[i].flags);
		put_module(9, PITRACE_MTE_MODULE, modules[i].start, modules[i].length,
			   modules[i].flags);
		branch(10, PITRACE_BRANCH_KERNEL, 0, 1, TEXT,
		       TEXT); /* whose number + 1 is 1 in its last byte */
		branch(11, PITRACE_BRANCH_KERNEL, 0, 1, TEXT + PAGE, TEXT + 2 * PAGE);
		drain();
		if (modules[i].read_again)
			HAS("M3=12@5", "M3=12@9", "T0=1@11", "T1=2@11", "T2=3@11");
		else
			HAS("M3=12@5", "T0=1@11", "T1=2@11", "T2=3@11");
	}
}

/* The last 64 removed ones are remembered, each with its time. */
static void many_went(void)
{
	for (unsigned int others = 63; others < 65; others++) {
		begin();
		module(10, PITRACE_MTE_UNLOAD, 2, 1);
		for (unsigned int i = 0; i < others; i++)
			module(10 + i, PITRACE_MTE_UNLOAD, 9, 1);
		CU_ASSERT_EQUAL(segment_close(&out, scan, NULL), 0);
		out.last = 0;
		branch(9, PITRACE_BRANCH_KERNEL, 0, 1, MODULES + 2 * PAGE, MODULES + 2 * PAGE);
		branch(10, PITRACE_BRANCH_KERNEL, 0, 1, MODULES + 4 * PAGE, MODULES + 4 * PAGE);
		drain();
		if (others == 63)
			HAS("M4=13@72");
		else
			HAS("M2=11@73", "M4=13@73");
	}
	begin();
	module(10, PITRACE_MTE_UNLOAD, 2, 1);
	CU_ASSERT_EQUAL(segment_close(&out, scan, NULL), 0);
	out.last = 0;
	branch(10, PITRACE_BRANCH_KERNEL, 0, 1, MODULES + 2 * PAGE, MODULES + 2 * PAGE);
	drain();
	HAS("M2=11@10");
}

static void changes_are_told(void)
{
	begin();
	branch(5, PITRACE_BRANCH_KERNEL, 0, 1, TEXT + 8, TEXT + PAGE);
	branch(6, PITRACE_BRANCH_KERNEL, 0, 1, TEXT + 2 * PAGE, TEXT + 2 * PAGE);
	drain();
	fill(1, 99);
	CU_ASSERT_EQUAL(kernel_code_check(code, writer), 0);
	CU_ASSERT_EQUAL(kernel_code_check(code, writer), 0); /* not again */
	HAS("T0=1@6", "T1=2@6", "T2=3@6", "T1=99@6+");
}

/* Read where there is no file yet: what is written later is what was there. */
static void kept_in_memory(void)
{
	begin();
	branch(5, PITRACE_BRANCH_KERNEL, 0, 1, TEXT + 8, MODULES + PAGE);
	CU_ASSERT_EQUAL(segment_close(&out, scan, NULL), 0);
	CU_ASSERT_EQUAL(kernel_code_flush(code, NULL), 0);
	module(20, PITRACE_MTE_MODULE, 1, 1);
	fill(9, 77);
	CU_ASSERT_EQUAL(segment_close(&out, scan, NULL), 0);
	CU_ASSERT_EQUAL(kernel_code_flush(code, NULL), 0);
	fill(0, 99);
	CU_ASSERT_EQUAL(kernel_code_write(code, writer), 0);
	HAS("T0=1@5", "M1=10@5", "M1=77@20");
}

static void bounded(void)
{
	begin();
	for (uint64_t i = 0; i < 2 * KERNEL_CODE_PAGES; i++)
		branch(i, PITRACE_BRANCH_KERNEL, 0, 1, 0x100000000ull + i * PAGE,
		       0x100000000ull + i * PAGE);
	branch(UINT32_MAX, PITRACE_BRANCH_KERNEL, 0, 1, TEXT, TEXT);
	drain();
	CU_ASSERT_STRING_EQUAL(kept(), "");
}

/* A kcore that ends with the headers of its parts: whether it is read, and why not. */
static int error_of(Elf64_Ehdr e, size_t parts)
{
	Elf64_Phdr p = { .p_type = PT_LOAD };
	struct kernel_code *k;
	int err;

	snprintf(core_path, sizeof(core_path), "/tmp/pitrace-core-%d", getpid());
	core = open(core_path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	CU_ASSERT_FATAL(core >= 0);
	CU_ASSERT_EQUAL_FATAL(pwrite(core, &e, sizeof(e), 0), sizeof(e));
	for (size_t i = 0; i < parts; i++)
		CU_ASSERT_EQUAL_FATAL(pwrite(core, &p, sizeof(p),
					     (off_t)(sizeof(e) + i * sizeof(p))),
				      sizeof(p));
	k = kernel_code_new(core_path);
	err = k ? 0 : errno;
	kernel_code_free(k);
	close(core);
	unlink(core_path);
	return err;
}

static void headers(void)
{
	const Elf64_Ehdr good = {
		.e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64 },
		.e_phoff = sizeof(good),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = 2,
	};
	Elf64_Ehdr bad = good;

	CU_ASSERT_EQUAL(error_of(good, 2), 0);
	CU_ASSERT_EQUAL(error_of(good, 1), EIO);
	bad.e_ident[EI_CLASS] = ELFCLASS32;
	CU_ASSERT_EQUAL(error_of(bad, 2), EBADMSG);
	bad = good;
	bad.e_ident[0] = 0;
	CU_ASSERT_EQUAL(error_of(bad, 2), EBADMSG);
	bad = good;
	bad.e_phentsize++;
	CU_ASSERT_EQUAL(error_of(bad, 2), EBADMSG);
	bad = good;
	bad.e_phnum = UINT16_MAX;
	CU_ASSERT_EQUAL(error_of(bad, 2), EBADMSG);
}

static void refused(void)
{
	CU_ASSERT_PTR_NULL(kernel_code_new("/nowhere/kcore"));
	CU_ASSERT_EQUAL(errno, ENOENT);
	CU_ASSERT_PTR_NULL(kernel_code_new("/dev/null"));
	CU_ASSERT_EQUAL(errno, EIO);
	CU_ASSERT_PTR_NULL(kernel_code_new("/dev/zero"));
	CU_ASSERT_EQUAL(errno, EBADMSG);
}

int main(void)
{
	static const struct unit_test tests[] = {
		{ "what_was_executed", what_was_executed },
		{ "breaks_too", breaks_too },
		{ "nothing_there", nothing_there },
		{ "a_module_after_another", a_module_after_another },
		{ "gone_before_it_was_read", gone_before_it_was_read },
		{ "in_any_order", in_any_order },
		{ "other_modules", other_modules },
		{ "many_went", many_went },
		{ "changes_are_told", changes_are_told },
		{ "kept_in_memory", kept_in_memory },
		{ "bounded", bounded },
		{ "headers", headers },
		{ "refused", refused },
		{ NULL, NULL },
	};

	return unit_run("kernel_code", tests);
}
