/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Kernel names: reach of symbols, modules that come and go, hidden addresses, odd text. */
#include <stdlib.h>

#include "a2n.h"
#include "unit.h"

static struct a2n *a;
static uint32_t warnings;
static char warned[256];

static void remember(void *arg, const char *module, const char *message)
{
	(void)arg;
	snprintf(warned, sizeof(warned), "%s: %s", module, message);
	warnings++;
}

static void begin(void)
{
	const struct a2n_options options = { .warn = remember, .demangle = true };

	a2n_close(a);
	a = a2n_open(&options);
	CU_ASSERT_PTR_NOT_NULL_FATAL(a);
	warnings = 0;
	warned[0] = 0;
}

static void kallsyms(const char *text)
{
	/* A copy of just its size, for the sanitizer. */
	size_t size = strlen(text);
	char *copy = malloc(size ? size : 1);

	CU_ASSERT_PTR_NOT_NULL_FATAL(copy);
	memcpy(copy, text, size);
	CU_ASSERT_EQUAL(a2n_kallsyms(a, copy, size), 0);
	free(copy);
}

static void modules(const char *text)
{
	size_t size = strlen(text);
	char *copy = malloc(size ? size : 1);

	CU_ASSERT_PTR_NOT_NULL_FATAL(copy);
	memcpy(copy, text, size);
	CU_ASSERT_EQUAL(a2n_modules(a, copy, size), 0);
	free(copy);
}

static struct a2n_answer ask(uint64_t time, uint64_t address)
{
	struct a2n_answer r;

	a2n_resolve(a, 0, time, address, true, &r);
	CU_ASSERT_PTR_NOT_NULL_FATAL(r.module);
	CU_ASSERT_PTR_NOT_NULL_FATAL(r.symbol);
	CU_ASSERT_PTR_EQUAL(r.symbol->module, r.module);
	CU_ASSERT_FALSE(r.unsure);
	return r;
}

#define MODULE(time, address, m) CU_ASSERT_STRING_EQUAL(ask(time, address).module->name, m)
#define SYMBOL(time, address, s) CU_ASSERT_STRING_EQUAL(ask(time, address).symbol->name, s)
#define NO_CODE(time, address)   SYMBOL(time, address, A2N_NO_SYMBOL_FOUND)
#define NONE(time, address)      MODULE(time, address, A2N_NO_MODULE)

static const char text[] = "0000000000000000 A fixed_percpu_data\n"
			   "0000000000001000 D per_cpu_thing\n"
			   "ffffffff81000000 T startup_64\n"
			   "ffffffff81000000 T _stext\n"
			   "ffffffff81000000 T _text\n"
			   "ffffffff81000100 t helper\n"
			   "ffffffff81000200 T shared_long\n"
			   "ffffffff81000200 t shared\n"
			   "ffffffff81000200 W __shared\n"
			   "ffffffff81000200 T shared_up\n"
			   "ffffffff81000300 W weak_one\n"
			   "ffffffff81000400 T __entry_text_start\n"
			   "ffffffff81000400 t entry\n"
			   "ffffffff81000480 T __entry_text_end\n"
			   "ffffffff81000500 T last_function\n"
			   "ffffffff81000600 T _etext\n"
			   "ffffffff81001000 R rodata\n"
			   "ffffffff82000000 T _sinittext\n"
			   "ffffffff82000000 t early\n"
			   "ffffffff82000100 T last_init\n"
			   "ffffffff82000180 T _einittext\n"
			   "ffffffff82001000 D data\n"
			   "ffffffff82fff000 B _end\n"
			   "ffffffffc0100000 t ext4_open\t[ext4]\n"
			   "ffffffffc0100040 T ext4_read\t[ext4]\n"
			   "ffffffffc0100100 r ext4_table\t[ext4]\n"
			   "ffffffffc0100200 t ext4_tail\t[ext4]\n"
			   "ffffffffc0108000 t nf_hook\t[nf]\n"
			   "ffffffffc0200000 t bpf_prog_0123456789abcdef_x\t[bpf]\n"
			   "ffffffffc0200100 t bpf_prog_fedcba9876543210_y\t[bpf]\n";

static const char ranges[] = "ext4 4096 1 - Live 0xffffffffc0100000\n"
			     "nf 8192 3 a,b, Live 0xffffffffc0108000 (OE)\n"
			     "nosyms 4096 0 - Live 0xffffffffc0300000\n";

static void test_image(void)
{
	struct a2n_answer r;

	begin();
	kallsyms(text);
	modules(ranges);
	r = ask(0, 0xffffffff81000000);
	CU_ASSERT_EQUAL(r.result, A2N_OK);
	CU_ASSERT_STRING_EQUAL(r.module->name, A2N_KERNEL);
	CU_ASSERT_STRING_EQUAL(r.symbol->name, "startup_64");
	CU_ASSERT_EQUAL(r.symbol->size, 0x100);
	SYMBOL(0, 0xffffffff810000ff, "startup_64");
	r = ask(5, 0xffffffff81000123);
	CU_ASSERT_STRING_EQUAL(r.symbol->name, "helper");
	CU_ASSERT_EQUAL(r.symbol_offset, 0x23);
	CU_ASSERT_EQUAL(r.module_offset, 0xffffffff81000123);
	CU_ASSERT_EQUAL(r.symbol->value, 0xffffffff81000100);
	CU_ASSERT_PTR_EQUAL(r.symbol, ask(9, 0xffffffff81000100).symbol);
	/* Aliases: global, then fewer underscores, then the shorter. */
	SYMBOL(0, 0xffffffff81000200, "shared_up");
	SYMBOL(0, 0xffffffff81000300, "weak_one");
	/* Marks of the linker script give way, and the end of something is not code. */
	SYMBOL(0, 0xffffffff81000400, "entry");
	SYMBOL(0, 0xffffffff8100047f, "entry");
	NO_CODE(0, 0xffffffff81000480);
	SYMBOL(0, 0xffffffff810005ff, "last_function");
	NO_CODE(0, 0xffffffff81000600);
	NO_CODE(0, 0xffffffff81001000);
	NO_CODE(0, 0xffffffff81fff000);
	SYMBOL(0, 0xffffffff82000000, "early");
	SYMBOL(0, 0xffffffff8200017f, "last_init");
	NO_CODE(0, 0xffffffff82000180);
	NO_CODE(0, 0xffffffff82001000);
	NONE(0, 0xffffffff83000000);
	NONE(0, 0xffffffff80ffffff);
	NONE(0, 0xffff888000000000);
	NONE(0, 0x1000);
	CU_ASSERT_EQUAL(warnings, 0);
	/* The top half is always the kernel's. */
	a2n_resolve(a, 1, 0, 0xffffffff81000100, false, &r);
	CU_ASSERT_STRING_EQUAL(r.symbol->name, "helper");
}

static void test_modules(void)
{
	struct a2n_answer r;

	begin();
	kallsyms(text);
	modules(ranges);
	MODULE(0, 0xffffffffc0100000, "[ext4]");
	SYMBOL(0, 0xffffffffc010003f, "ext4_open");
	r = ask(0, 0xffffffffc0100050);
	CU_ASSERT_STRING_EQUAL(r.symbol->name, "ext4_read");
	CU_ASSERT_EQUAL(r.symbol_offset, 0x10);
	CU_ASSERT_EQUAL(r.module_offset, 0x50);
	CU_ASSERT_EQUAL(r.symbol->value, 0x40);
	SYMBOL(0, 0xffffffffc01000ff, "ext4_read");
	NO_CODE(0, 0xffffffffc0100100);
	SYMBOL(0, 0xffffffffc0100fff, "ext4_tail");
	/* Never across the module's end, though the next symbol is far away. */
	NONE(0, 0xffffffffc0101000);
	SYMBOL(0, 0xffffffffc0109fff, "nf_hook");
	NONE(0, 0xffffffffc010a000);
	r = ask(0, 0xffffffffc0300010);
	CU_ASSERT_STRING_EQUAL(r.module->name, "[nosyms]");
	CU_ASSERT_EQUAL(r.result, A2N_RESULT_NO_SYMBOLS);
	/* Code of unknown size. */
	SYMBOL(0, 0xffffffffc02000ff, "bpf_prog_0123456789abcdef_x");
	SYMBOL(0, 0xffffffffc0200100, "bpf_prog_fedcba9876543210_y");
	MODULE(0, 0xffffffffc0200100, "[bpf]");
	NONE(0, 0xffffffffc0210000);
	NONE(0, 0xffffffffc01fffff);
}

static void test_load_unload(void)
{
	begin();
	kallsyms(text);
	modules(ranges);
	a2n_kernel_unload(a, 100, "ext4");
	a2n_kernel_load(a, 200, "ext4", 0xffffffffc0500000, 0x1000);
	a2n_kernel_load(a, 300, "late", 0xffffffffc0100000, 0x1000);
	a2n_kernel_unload(a, 400, "late");
	a2n_kernel_unload(a, 400, "never_loaded");
	kallsyms("ffffffffc0100010 t late_one\t[late]\n"
		 "ffffffffc0500000 t ext4_open\t[ext4]\n");
	SYMBOL(99, 0xffffffffc0100000, "ext4_open");
	NONE(100, 0xffffffffc0100000);
	NONE(199, 0xffffffffc0500000);
	SYMBOL(200, 0xffffffffc0500000, "ext4_open");
	CU_ASSERT_PTR_EQUAL(ask(99, 0xffffffffc0100000).module,
			    ask(200, 0xffffffffc0500000).module);
	MODULE(300, 0xffffffffc0100000, "[late]");
	NO_CODE(300, 0xffffffffc0100000);
	SYMBOL(300, 0xffffffffc0100010, "late_one");
	SYMBOL(399, 0xffffffffc0100fff, "late_one");
	NONE(400, 0xffffffffc0100010);
	SYMBOL(500, 0xffffffffc0108000, "nf_hook");
	/* More events after the first question. */
	{
		const struct a2n_symbol *before = ask(300, 0xffffffffc0100010).symbol;

		a2n_kernel_unload(a, 600, "nf");
		NONE(600, 0xffffffffc0108000);
		SYMBOL(599, 0xffffffffc0108000, "nf_hook");
		CU_ASSERT_PTR_EQUAL(before, ask(300, 0xffffffffc0100010).symbol);
	}
	/* Back at its old place. */
	a2n_kernel_load(a, 700, "nf", 0xffffffffc0108000, 0x2000);
	NONE(699, 0xffffffffc0108000);
	SYMBOL(700, 0xffffffffc0108000, "nf_hook");
	SYMBOL(0, 0xffffffffc0108000, "nf_hook");
}

#define ONE         "ffffffffc0100000 t mod_one\t[mod]\nffffffffc0100400 t mod_one_more\t[mod]\n"
#define TWO         "ffffffffc0100000 t mod_two\t[mod]\n"
#define IN_THE_LIST "mod 4096 0 - Live 0xffffffffc0100000\n"

/* Two builds at one place, as texts in their order show them. */
static void test_builds(void)
{
	begin();
	kallsyms(ONE);
	modules(IN_THE_LIST);
	a2n_kernel_unload(a, 100, "mod");
	a2n_kernel_load(a, 200, "mod", 0xffffffffc0100000, 0x1000);
	kallsyms(TWO);
	SYMBOL(50, 0xffffffffc0100500, "mod_one_more");
	NONE(150, 0xffffffffc0100500);
	SYMBOL(250, 0xffffffffc0100500, "mod_two");
	MODULE(250, 0xffffffffc0100500, "[mod]");
	a2n_kernel_unload(a, 300, "mod");
	NONE(300, 0xffffffffc0100500);
	/* One more load, without kallsyms: only the one at the beginning is certain. */
	a2n_kernel_load(a, 400, "mod", 0xffffffffc0100000, 0x1000);
	SYMBOL(50, 0xffffffffc0100500, "mod_one_more");
	CU_ASSERT_EQUAL(ask(250, 0xffffffffc0100500).result, A2N_RESULT_NO_SYMBOLS);
	CU_ASSERT_EQUAL(ask(450, 0xffffffffc0100500).result, A2N_RESULT_NO_SYMBOLS);
	MODULE(450, 0xffffffffc0100500, "[mod]");
	/* … until one does. */
	kallsyms(ONE);
	SYMBOL(250, 0xffffffffc0100500, "mod_two");
	SYMBOL(450, 0xffffffffc0100500, "mod_one_more");
	a2n_kernel_unload(a, 500, "mod");
	NONE(500, 0xffffffffc0100500);
}

/* A module frees its initial code, which does not make it another build; it is loaded again
 * unchanged. */
static void test_same_build(void)
{
	begin();
	a2n_kernel_load(a, 100, "mod", 0xffffffffc0100000, 0x1000);
	kallsyms(ONE "ffffffffc0180000 t mod_init\t[mod]\n");
	kallsyms(ONE);
	a2n_kernel_unload(a, 200, "mod");
	a2n_kernel_load(a, 300, "mod", 0xffffffffc0100000, 0x1000);
	kallsyms(ONE);
	SYMBOL(150, 0xffffffffc0100500, "mod_one_more");
	NONE(250, 0xffffffffc0100500);
	SYMBOL(350, 0xffffffffc0100500, "mod_one_more");
	CU_ASSERT_PTR_EQUAL(ask(150, 0xffffffffc0100500).symbol,
			    ask(350, 0xffffffffc0100500).symbol);
}

/* More builds than are kept: no names, and no end of memory. */
static void test_too_many_builds(void)
{
	char one[64];

	begin();
	for (int i = 0; i < 400; i++) {
		snprintf(one, sizeof(one), "ffffffffc0100000 t build_%d\t[mod]\n", i);
		kallsyms(one);
		a2n_kernel_load(a, 100 + 2 * (uint64_t)i, "mod", 0xffffffffc0100000, 0x1000);
		a2n_kernel_unload(a, 101 + 2 * (uint64_t)i, "mod");
	}
	CU_ASSERT_EQUAL(ask(100, 0xffffffffc0100500).result, A2N_RESULT_NO_SYMBOLS);
	CU_ASSERT_EQUAL(ask(898, 0xffffffffc0100500).result, A2N_RESULT_NO_SYMBOLS);
}

/* Its code and its initial code: all of it is removed at once, except what another module has by
 * then. */
static void test_two_pieces(void)
{
	begin();
	kallsyms("ffffffffc0100000 t two_one\t[two]\n"
		 "ffffffffc0200000 t two_start\t[two]\n"
		 "ffffffffc0201000 t other_one\t[other]\n");
	a2n_kernel_load(a, 100, "two", 0xffffffffc0100000, 0x1000);
	a2n_kernel_load(a, 100, "two", 0xffffffffc0200000, 0x3000);
	a2n_kernel_load(a, 200, "other", 0xffffffffc0201000, 0x1000);
	a2n_kernel_unload(a, 300, "two");
	SYMBOL(250, 0xffffffffc0100000, "two_one");
	SYMBOL(150, 0xffffffffc0200000, "two_start");
	NONE(300, 0xffffffffc0100000);
	NONE(300, 0xffffffffc0200000);
	NONE(300, 0xffffffffc0202000);
	SYMBOL(300, 0xffffffffc0201000, "other_one");
	a2n_kernel_unload(a, 400, "two");
	SYMBOL(400, 0xffffffffc0201000, "other_one");
	a2n_kernel_unload(a, 500, "other");
	NONE(500, 0xffffffffc0201000);
}

static void test_loaded_while_on(void)
{
	begin();
	kallsyms(text);
	/* Loaded while tracing; a snapshot at the end lists it, too. */
	a2n_kernel_load(a, 100, "mod", 0xffffffffc0700000, 0x800);
	modules(ranges);
	modules("mod 16384 0 - Live 0xffffffffc0700000\n"
		"next 4096 0 - Live 0xffffffffc0702000\n");
	kallsyms("ffffffffc0700000 t mod_a\t[mod]\nffffffffc0702000 t next_a\t[next]\n");
	NONE(99, 0xffffffffc0700000);
	SYMBOL(100, 0xffffffffc0700000, "mod_a");
	SYMBOL(100, 0xffffffffc07007ff, "mod_a");
	NONE(100, 0xffffffffc0700800);
	/* The size in /proc/modules may be that of areas elsewhere: not into the neighbour. */
	SYMBOL(100, 0xffffffffc0702000, "next_a");
	/* Told twice. */
	kallsyms(text);
	kallsyms("ffffffffc0700000 t mod_a\t[mod]\n");
	SYMBOL(100, 0xffffffffc0700001, "mod_a");
}

static void test_overlapping_sizes(void)
{
	begin();
	kallsyms("ffffffff81000000 T _stext\nffffffff81000600 T _etext\n"
		 "ffffffffc0700000 t first_a\t[first]\nffffffffc0702000 t second_a\t[second]\n");
	modules("second 4096 0 - Live 0xffffffffc0702000\n"
		"first 16384 0 - Live 0xffffffffc0700000\n");
	SYMBOL(0, 0xffffffffc0701fff, "first_a");
	SYMBOL(0, 0xffffffffc0702000, "second_a");
	NONE(0, 0xffffffffc0703000);
}

static void test_hidden(void)
{
	struct a2n_answer r;

	begin();
	kallsyms("0000000000000000 T _stext\n0000000000000000 t a\n0000000000000000 T _etext\n"
		 "0000000000000000 t b\t[ext4]\n");
	modules("ext4 4096 1 - Live 0x0000000000000000\n");
	r = ask(0, 0xffffffff81000000);
	CU_ASSERT_STRING_EQUAL(r.module->name, A2N_KERNEL);
	CU_ASSERT_EQUAL(r.result, A2N_RESULT_NO_SYMBOLS);
	CU_ASSERT_PTR_NOT_NULL(strstr(r.module->symbols_from, "kptr_restrict"));
	CU_ASSERT_EQUAL(warnings, 1);
	ask(0, 0xffffffff82000000);
	CU_ASSERT_EQUAL(warnings, 1);
	/* Ranges of modules may be known from events all the same. */
	a2n_kernel_load(a, 100, "mod", 0xffffffffc0700000, 0x1000);
	a2n_kernel_unload(a, 200, "mod");
	MODULE(150, 0xffffffffc0700000, "[mod]");
	NONE(200, 0xffffffffc0700000);
	MODULE(200, 0xffffffffc0800000, A2N_KERNEL);
	CU_ASSERT_EQUAL(warnings, 1);

	begin();
	r = ask(0, 0xffffffff81000000);
	CU_ASSERT_STRING_EQUAL(r.module->name, A2N_KERNEL);
	CU_ASSERT_EQUAL(r.result, A2N_RESULT_NO_SYMBOLS);
	CU_ASSERT_EQUAL(warnings, 0);
	/* A text without a line, and a list without one, hide nothing. */
	for (int i = 0; i < 2; i++) {
		begin();
		kallsyms(i ? "" : "\n");
		modules("");
		r = ask(0, 0xffffffff81000000);
		CU_ASSERT_STRING_EQUAL(r.module->symbols_from,
				       i ? "no kallsyms" :
					   "kallsyms hides its addresses (kptr_restrict, no CAP_SYSLOG)");
		CU_ASSERT_EQUAL(warnings, !i);
	}
}

static void test_rust_names(void)
{
	begin();
	kallsyms("ffffffff81000000 T _stext\n"
		 "ffffffff81000010 t _RNvCsd7G3NqVjvVv_6kernel4init\n"
		 "ffffffff81000020 T _etext\n");
	SYMBOL(0, 0xffffffff81000010, "kernel::init");
	CU_ASSERT_STRING_EQUAL(ask(0, 0xffffffff81000010).symbol->raw_name,
			       "_RNvCsd7G3NqVjvVv_6kernel4init");
}

static void test_no_bounds(void)
{
	/* Without _stext and _etext the last symbol is bounded by its page or so. */
	begin();
	kallsyms("c0008000 T first\nc0008100 T second\n");
	SYMBOL(0, 0xc00080ff, "first");
	SYMBOL(0, 0xc0008100, "second");
	NONE(0, 0xc0008100 + 0x10000);
	NONE(0, 0xc0007fff);
}

static void test_odd_text(void)
{
	static const char *const texts[] = {
		"",
		"\n\n\n",
		"ffffffff81000000",
		"ffffffff81000000 ",
		"ffffffff81000000 T",
		"ffffffff81000000 T ",
		"x y z\n",
		"ffffffff81000000 TT name\n",
		"fffffffffffffffffff T too_long\n",
		"ffffffffffffffff T at_the_end",
		"ffffffff81000000 T a\t[\n",
		"ffffffff81000000 T a\t[]\n",
		"ffffffff81000000 T a\t[m\n",
		"-1 T a\n",
		"0x10 T a\n",
		"ffffffffffffffff t last\t[m]\n",
		"1 t a [m]\n1 t a [m]\n1 T a [m]",
		"ffffffff81000000 T _etext\nffffffff81000000 T _stext\n",
		"ffffffff81000000 T _etext\nffffffff82000000 T _stext\n",
	};
	static const char *const lists[] = {
		"",
		"\n",
		"ext4",
		"ext4 ",
		"ext4 x",
		"ext4 10 1 - Live",
		"ext4 0 1 - Live 0x10\n",
		"ext4 18446744073709551615 1 - Live 0xffffffffffffffff\n",
		"ext4 18446744073709551616 1 - Live 0x10\n",
		"ext4 10 1 - Live 0xzz\n",
		"m 4096 1 - Live 0xffffffffffffffff\nm 1 1 - Live 0x1\n",
	};
	static const uint64_t at[] = { 0,
				       1,
				       0xffffffff81000000,
				       0xffffffff81000001,
				       UINT64_MAX,
				       UINT64_MAX - 1,
				       0xffffffffc0100000 };
	uint32_t i, k, m;

	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		for (k = 0; k < sizeof(lists) / sizeof(lists[0]); k++) {
			begin();
			kallsyms(texts[i]);
			modules(lists[k]);
			for (m = 0; m < sizeof(at) / sizeof(at[0]); m++)
				ask(0, at[m]);
		}
	begin();
	a2n_kernel_load(a, 10, "m", UINT64_MAX, UINT64_MAX);
	a2n_kernel_load(a, 5, "n", 0, UINT64_MAX);
	a2n_kernel_load(a, 20, "", 10, 0);
	MODULE(10, UINT64_MAX, "[m]");
	MODULE(10, 77, "[n]");
	MODULE(9, 77 + (1ull << 63), A2N_KERNEL);
}

/* Code of unknown size ends where the next code begins, whoever it belongs to. */
static void test_parts_between(void)
{
	begin();
	kallsyms("ffffffff81000000 T _stext\nffffffff81001000 T _etext\n"
		 "ffffffffc0200000 t bpf_one\t[bpf]\nffffffffc0200200 t bpf_two\t[bpf]\n"
		 "ffffffffc0200100 t ftrace_one\t[__builtin__ftrace]\n"
		 "ffffffffc0200300 t ftrace_two\t[__builtin__ftrace]\n"
		 "ffffffffc0200280 t probe\t[__builtin__kprobes]\n");
	SYMBOL(0, 0xffffffffc0200000, "bpf_one");
	SYMBOL(0, 0xffffffffc02000ff, "bpf_one");
	SYMBOL(0, 0xffffffffc0200100, "ftrace_one");
	SYMBOL(0, 0xffffffffc02001ff, "ftrace_one");
	SYMBOL(0, 0xffffffffc0200200, "bpf_two");
	SYMBOL(0, 0xffffffffc020027f, "bpf_two");
	SYMBOL(0, 0xffffffffc0200280, "probe");
	SYMBOL(0, 0xffffffffc02002ff, "probe");
	SYMBOL(0, 0xffffffffc0200300, "ftrace_two");
	CU_ASSERT_EQUAL(ask(0, 0xffffffffc0200000).symbol->size, 0x100);
	CU_ASSERT_EQUAL(ask(0, 0xffffffffc0200210).symbol->size, 0x80);
}

/* If texts name the code at an address differently, the first counts, for each address. */
static void test_first_of_texts(void)
{
	begin();
	kallsyms("ffffffff81000000 T _stext\nffffffff81001000 T _etext\n"
		 "ffffffffc0200000 t z_first\t[bpf]\n");
	kallsyms("ffffffffc0200000 t second\t[bpf]\nffffffffc0200100 t second_more\t[bpf]\n");
	kallsyms("ffffffffc0200100 t another\t[bpf]\n");
	SYMBOL(0, 0xffffffffc0200000, "z_first");
	SYMBOL(0, 0xffffffffc0200010, "z_first");
	SYMBOL(0, 0xffffffffc0200100, "another");
}

/* Another build of a module, which is loaded into what was the end of the first one's memory: each
 * has its own symbols, up to the end of its own memory. */
static void test_loaded_over(void)
{
	begin();
	kallsyms("ffffffff81000000 T _stext\nffffffff81001000 T _etext\n"
		 "ffffffffc0100000 t old_one\t[m]\nffffffffc0100100 t old_two\t[m]\n");
	modules("m 4096 1 - Live 0xffffffffc0100000\n");
	a2n_kernel_unload(a, 100, "m");
	a2n_kernel_load(a, 200, "m", 0xffffffffc0100800, 0x1000);
	kallsyms("ffffffffc0100800 t new_one\t[m]\nffffffffc0100c00 t new_two\t[m]\n");
	SYMBOL(50, 0xffffffffc01000ff, "old_one");
	SYMBOL(50, 0xffffffffc01007ff, "old_two");
	SYMBOL(50, 0xffffffffc0100900, "old_two");
	SYMBOL(50, 0xffffffffc0100fff, "old_two");
	NONE(50, 0xffffffffc0101000);
	NONE(150, 0xffffffffc0100900);
	NONE(250, 0xffffffffc01007ff);
	SYMBOL(250, 0xffffffffc0100900, "new_one");
	SYMBOL(250, 0xffffffffc0100fff, "new_two");
	SYMBOL(250, 0xffffffffc01017ff, "new_two");
	NONE(250, 0xffffffffc0101800);
}

/* Text that begins where the image's ends is the kernel's, too. */
static void test_behind_text(void)
{
	begin();
	kallsyms("ffffffff81000000 T _stext\nffffffff81000010 T first\n"
		 "ffffffff81001000 T _etext\nffffffff81001000 t trampoline\n"
		 "ffffffff81002000 t far_one\n");
	SYMBOL(0, 0xffffffff81000fff, "first");
	SYMBOL(0, 0xffffffff81001000, "trampoline");
	SYMBOL(0, 0xffffffff81001fff, "trampoline");
	MODULE(0, 0xffffffff81001800, A2N_KERNEL);
	SYMBOL(0, 0xffffffff81002000, "far_one");
}

/* Code that the kernel generated has its own name for as long as it exists. */
static void test_made_code(void)
{
	static const char bpf[] = "bpf_prog_1_one", other[] = "bpf_prog_2_two";

	begin();
	kallsyms("ffffffff81000000 T _stext\nffffffff81001000 T _etext\n"
		 "ffffffffc0000500 t bpf_prog_3_old\t[bpf]\n");
	a2n_kernel_code(a, 10, bpf, 0xffffffffc0000100, 0x40);
	a2n_kernel_code(a, 10, bpf, 0xffffffffc0000200, 0x40);
	a2n_kernel_code_gone(a, 20, bpf, 0xffffffffc0000100, 0x40);
	a2n_kernel_code(a, 30, other, 0xffffffffc0000100, 0x80);
	a2n_kernel_code_gone(a, 30, "bpf_prog_3_old", 0xffffffffc0000500, 0x40);
	CU_ASSERT_STRING_EQUAL(ask(9, 0xffffffffc0000100).module->name, A2N_NO_MODULE);
	CU_ASSERT_STRING_EQUAL(ask(10, 0xffffffffc000013f).symbol->name, bpf);
	CU_ASSERT_STRING_EQUAL(ask(10, 0xffffffffc000013f).module->name, "[bpf_prog_1_one]");
	CU_ASSERT_EQUAL(ask(10, 0xffffffffc0000108).symbol_offset, 8);
	CU_ASSERT_STRING_EQUAL(ask(19, 0xffffffffc0000140).module->name, A2N_NO_MODULE);
	CU_ASSERT_STRING_EQUAL(ask(25, 0xffffffffc0000100).module->name, A2N_NO_MODULE);
	CU_ASSERT_STRING_EQUAL(ask(30, 0xffffffffc000017f).symbol->name, other);
	/* The other one of its name stays. */
	CU_ASSERT_STRING_EQUAL(ask(40, 0xffffffffc0000200).symbol->name, bpf);
	CU_ASSERT_STRING_EQUAL(ask(29, 0xffffffffc0000500).symbol->name, "bpf_prog_3_old");
	CU_ASSERT_STRING_EQUAL(ask(30, 0xffffffffc0000500).module->name, A2N_NO_MODULE);
	/* A code without a length is ignored. */
	a2n_kernel_code(a, 50, "none", 0xffffffffc0000300, 0);
	CU_ASSERT_STRING_EQUAL(ask(60, 0xffffffffc0000300).module->name, A2N_NO_MODULE);
}

/* A text of another time does not say what was where code came while the trace was on; what went
 * was there from the beginning, whoever told of its coming. */
static void test_made_code_before(void)
{
	static const char page[] = "kprobe_insn_page", ftrace[] = "ftrace_trampoline";

	begin();
	kallsyms("ffffffff81000000 T _stext\nffffffff81001000 T _etext\n"
		 "ffffffffc0000000 t later_one\t[bpf]\nffffffffc0000800 t later_two\t[bpf]\n");
	a2n_kernel_code(a, 10, page, 0xffffffffc0000000, 0x400);
	a2n_kernel_code_gone(a, 20, page, 0xffffffffc0000000, 0x400);
	a2n_kernel_code_gone(a, 20, ftrace, 0xffffffffc0001000, 0x100);
	a2n_kernel_code(a, 30, page, 0xffffffffc0001000, 0x1000);
	SYMBOL(0, 0xffffffffc0000800, "later_two");
	NONE(9, 0xffffffffc0000010);
	SYMBOL(10, 0xffffffffc0000010, page);
	NONE(20, 0xffffffffc0000010);
	SYMBOL(0, 0xffffffffc0001010, ftrace);
	SYMBOL(19, 0xffffffffc0001010, ftrace);
	NONE(20, 0xffffffffc0001010);
	SYMBOL(30, 0xffffffffc0001010, page);
	/* It is removed where another one is by now: that one stays. */
	a2n_kernel_code_gone(a, 40, ftrace, 0xffffffffc0001000, 0x100);
	SYMBOL(40, 0xffffffffc0001010, page);
	/* Not before what was there first. */
	a2n_kernel_code_gone(a, 50, ftrace, 0xffffffffc0000200, 0x100);
	NONE(9, 0xffffffffc0000210);
	SYMBOL(15, 0xffffffffc0000210, page);
}

static void test_large(void)
{
	const uint32_t n = 200000;
	char *big = malloc(n * 64ull), *p = big;
	uint64_t address = 0xffffffff81000000;
	uint32_t i, wrong = 0;
	char name[32];

	CU_ASSERT_PTR_NOT_NULL_FATAL(big);
	p += sprintf(p, "%016lx T _stext\n", (long)address);
	for (i = 0; i < n; i++)
		p += sprintf(p, "%016lx t function_%u\n", (long)(address + i * 32ull), i);
	p += sprintf(p, "%016lx T _etext\n", (long)(address + n * 32ull));
	begin();
	CU_ASSERT_EQUAL(a2n_kallsyms(a, big, (size_t)(p - big)), 0);
	free(big);
	for (i = 0; i < n; i += 7) {
		snprintf(name, sizeof(name), "function_%u", i);
		wrong += strcmp(ask(0, address + i * 32ull + i % 32).symbol->name, name) != 0;
	}
	CU_ASSERT_EQUAL(wrong, 0);
}

int main(void)
{
	static const struct unit_test tests[] = { { "image", test_image },
						  { "modules", test_modules },
						  { "load_unload", test_load_unload },
						  { "two_pieces", test_two_pieces },
						  { "builds", test_builds },
						  { "same_build", test_same_build },
						  { "too_many_builds", test_too_many_builds },
						  { "loaded_while_on", test_loaded_while_on },
						  { "overlapping_sizes", test_overlapping_sizes },
						  { "hidden", test_hidden },
						  { "rust_names", test_rust_names },
						  { "no_bounds", test_no_bounds },
						  { "odd_text", test_odd_text },
						  { "parts_between", test_parts_between },
						  { "loaded_over", test_loaded_over },
						  { "behind_text", test_behind_text },
						  { "first_of_texts", test_first_of_texts },
						  { "made_code", test_made_code },
						  { "made_code_before", test_made_code_before },
						  { "large", test_large },
						  { NULL, NULL } };
	int r = unit_run("a2n_kallsyms", tests);

	a2n_close(a);
	return r;
}
