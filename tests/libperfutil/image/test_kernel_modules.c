/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Kernel modules that come and go while a trace is written: what a look at /proc/modules adds to
 * the file, and what liba2n makes of it. /proc is this test's: modules come and go as it likes.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "a2n.h"
#include "image/kernel_modules.h"
#include "pifile.h"
#include "pitrace.h"
#include "session/sysinfo.h"
#include "unit.h"

#define A      "a 8192 0 - Live 0xffffffffc0000000\n"
#define A_HIGH "a 8192 0 - Live 0xffffffffc0100000\n"
#define B_OVER "b 8192 1 x,y, Live 0xffffffffc0001000 (OE)\n"
#define A_NEAR "a 8192 0 - Live 0xffffffffc0001000\n"
#define C      "c 16384 0 - Live 0xffffffffc0200000\n"
#define C_USED "c 16384 3 x, Live 0xffffffffc0200000\n"
#define D_NEAR "d 4096 0 - Live 0xffffffffc0202000\n"

static const char *modules, *kallsyms;
static unsigned int loads_of_a; /* so often it came, or came again, so far */

/* fopen, with files of any size. */
FILE *__real_fopen64(const char *path, const char *mode);
FILE *__wrap_fopen64(const char *path, const char *mode);

FILE *__wrap_fopen64(const char *path, const char *mode)
{
	const char *text = !strcmp(path, "/proc/modules")  ? modules :
			   !strcmp(path, "/proc/kallsyms") ? kallsyms :
							     NULL;
	FILE *f;

	if (!text)
		return __real_fopen64(path, mode);
	f = tmpfile();
	if (f) {
		fputs(text, f);
		rewind(f);
	}
	return f;
}

/* … and folders of sysfs: new ones each time. */
int __real_stat64(const char *path, struct stat *st);
int __wrap_stat64(const char *path, struct stat *st);

int __wrap_stat64(const char *path, struct stat *st)
{
	if (strncmp(path, "/sys/module/", 12) != 0)
		return __real_stat64(path, st);
	memset(st, 0, sizeof(*st));
	st->st_ino = strcmp(path, "/sys/module/a") ? 1000 : 2000 + loads_of_a;
	if (strcmp(path, "/sys/module/d"))
		return 0;
	errno = ENOENT;
	return -1;
}

static void test_same(void)
{
	CU_ASSERT_TRUE(kernel_modules_same(A C, A C_USED));
	CU_ASSERT_TRUE(kernel_modules_same(A C, C A));
	CU_ASSERT_TRUE(kernel_modules_same("", ""));
	CU_ASSERT_TRUE(kernel_modules_same(NULL, NULL));
	CU_ASSERT_FALSE(kernel_modules_same(A, NULL));
	CU_ASSERT_FALSE(kernel_modules_same(A C, A));
	CU_ASSERT_FALSE(kernel_modules_same(A, A C));
	/* Loaded anew: the list looks the same but for the place. */
	CU_ASSERT_FALSE(kernel_modules_same(A C, A_HIGH C));
	/* … or for what sysfs tells. */
	CU_ASSERT_FALSE(
		kernel_modules_same("a 1 0 - Live 0x10 #7\n", "a 1 0 - Live 0x10 (OE) #8\n"));
	CU_ASSERT_TRUE(
		kernel_modules_same("a 1 0 - Live 0x10 #7\n", "a 1 0 - Live 0x10 (OE) #7\n"));
	CU_ASSERT_TRUE(kernel_modules_same("a 1 0 - Live 0x10 #7\n", "a 1 0 - Live 0x10 #0\n"));
	/* To who may not see places another size is another module. */
	CU_ASSERT_TRUE(kernel_modules_same("a 1 0 - Live 0x0000\n", "a 1 5 - Live 0x0000\n"));
	CU_ASSERT_FALSE(kernel_modules_same("a 1 0 - Live 0x0\n", "a 2 0 - Live 0x0\n"));
	/* Lines that are none. */
	CU_ASSERT_TRUE(kernel_modules_same("a\nb x\nc 1 2\n\n" A, A));
}

/* ---- a trace --------------------------------------------------------------------------------- */

#define KERNEL     "ffffffff81000000 T _text\nffffffff81001000 T work\nffffffff82000000 T _etext\n"
#define SYM_A      "ffffffffc0000000 t a_begin\t[a]\nffffffffc0001100 t a_work\t[a]\n"
#define SYM_A2     "ffffffffc0100000 t a_begin\t[a]\nffffffffc0101100 t a_work\t[a]\n"
#define SYM_B      "ffffffffc0001000 t b_work\t[b]\n"
#define SYM_A_NEW  "ffffffffc0000000 t a_begin\t[a]\nffffffffc0000500 t a_new\t[a]\n"
#define SYM_A_NEAR "ffffffffc0001000 t a_begin\t[a]\nffffffffc0001080 t a_near\t[a]\n"
#define SYM_C      "ffffffffc0200000 t c_work\t[c]\n"
#define SYM_D      "ffffffffc0202000 t d_work\t[d]\n"
#define AT_A       0xffffffffc0001110ull
#define AT_A2      0xffffffffc0101110ull
#define AT_C       0xffffffffc0200010ull
#define AT_D       0xffffffffc0202010ull

static char path[64];
static struct pifile_writer *writer;
static char *seen;
static struct a2n *a2n;
static uint64_t last;

static void begin(const char *m, const char *k)
{
	const struct pifile_header h = {
		.clock = PITRACE_CLOCK_MONOTONIC,
		.clock_hz = 1000000000,
		.ncpus = 1,
	};
	const struct trace_config config = { 0 };
	const struct trace_info info = { 0 };

	snprintf(path, sizeof(path), "/tmp/pitrace-modules-%d", (int)getpid());
	unlink(path);
	writer = pifile_create(path, &h);
	CU_ASSERT_PTR_NOT_NULL_FATAL(writer);
	modules = m;
	kallsyms = k;
	last = 1000;
	loads_of_a = 0;
	CU_ASSERT_EQUAL(sysinfo_write(writer, &config, "", &info, &seen), 0);
}

static void look(const char *m, const char *k, uint64_t time)
{
	modules = m;
	kallsyms = k;
	CU_ASSERT_EQUAL(sysinfo_update(writer, 0, &seen, last, time), 0);
	last = time ? time : last;
}

static void feed(struct pifile *f, const struct pirecord *r)
{
	struct pitrace_mte_map m;
	char name[64];

	if (r->major != PITRACE_MTE || r->size < sizeof(m))
		return;
	memcpy(&m, r->data, sizeof(m));
	CU_ASSERT_TRUE(m.flags & PITRACE_MAP_KERNEL && m.path_len < sizeof(name));
	snprintf(name, sizeof(name), "%s", (const char *)r->data + sizeof(m));
	CU_ASSERT_EQUAL(strlen(name), m.path_len);
	if (r->minor == PITRACE_MTE_MODULE)
		a2n_kernel_load(a2n, r->time, name, m.start, m.length);
	else
		a2n_kernel_unload(a2n, r->time, name);
	(void)f;
}

/* All that the file has is told to liba2n. Returns how often it has modules. */
static unsigned int end(void)
{
	struct pifile_fault fault;
	struct pifile *f;
	struct pimerge *m;
	struct pirecord r;
	unsigned int n = 0;

	CU_ASSERT_EQUAL(sysinfo_final(writer, &seen), 0);
	CU_ASSERT_EQUAL(pifile_finish(writer), 0);
	a2n = a2n_open(NULL);
	f = pifile_open(path, &fault);
	CU_ASSERT_FATAL(a2n && f);
	for (size_t i = 0; i < pifile_sections(f); i++) {
		uint32_t type = pifile_section(f, i)->type;
		void *buffer = NULL;
		size_t size;
		const void *text = pifile_payload(f, i, &buffer, &size);

		n += type == PIFILE_SEC_MODULES;
		if (text && type == PIFILE_SEC_MODULES)
			a2n_modules(a2n, text, size);
		else if (text && type == PIFILE_SEC_KALLSYMS)
			a2n_kallsyms(a2n, text, size);
		free(buffer);
	}
	m = pimerge_open(f, PIMERGE_MTE);
	CU_ASSERT_PTR_NOT_NULL_FATAL(m);
	while (pimerge_next(m, &r) > 0)
		feed(f, &r);
	pimerge_close(m);
	pifile_close(f);
	unlink(path);
	return n;
}

static const char *name_at(uint64_t time, uint64_t address)
{
	struct a2n_answer answer;

	a2n_resolve(a2n, 0, time, address, true, &answer);
	return answer.symbol->name;
}

static void test_gone(void)
{
	begin(C, KERNEL SYM_C);
	look(C, KERNEL SYM_C, 2000);
	look(C A, KERNEL SYM_C SYM_A, 3000);
	look(C_USED A, KERNEL SYM_C SYM_A, 4000);
	look(C, KERNEL SYM_C, 5000);
	look(C, KERNEL SYM_C, 6000);
	/* At first, as it came, as it went. */
	CU_ASSERT_EQUAL(end(), 3);
	CU_ASSERT_STRING_EQUAL(name_at(2500, AT_A), "a_work");
	CU_ASSERT_STRING_EQUAL(name_at(4500, AT_A), "a_work");
	CU_ASSERT_STRING_NOT_EQUAL(name_at(1500, AT_A), "a_work");
	CU_ASSERT_STRING_NOT_EQUAL(name_at(5500, AT_A), "a_work");
	CU_ASSERT_STRING_EQUAL(name_at(1500, AT_C), "c_work");
	CU_ASSERT_STRING_EQUAL(name_at(5500, AT_C), "c_work");
	CU_ASSERT_STRING_EQUAL(name_at(5500, 0xffffffff81001010ull), "work");
	a2n_close(a2n);
}

/* One that was there from the beginning. */
static void test_goes(void)
{
	begin(C A, KERNEL SYM_C SYM_A);
	look(C, KERNEL SYM_C, 2000);
	CU_ASSERT_EQUAL(end(), 2);
	CU_ASSERT_STRING_EQUAL(name_at(500, AT_A), "a_work");
	CU_ASSERT_STRING_EQUAL(name_at(1500, AT_A), "a_work");
	CU_ASSERT_STRING_NOT_EQUAL(name_at(2500, AT_A), "a_work");
	a2n_close(a2n);
}

static void test_elsewhere(void)
{
	begin(A C, KERNEL SYM_A SYM_C);
	look(A C, KERNEL SYM_A SYM_C, 2000);
	look(A_HIGH C, KERNEL SYM_A2 SYM_C, 3000);
	CU_ASSERT_EQUAL(end(), 2);
	CU_ASSERT_STRING_EQUAL(name_at(1500, AT_A), "a_work");
	CU_ASSERT_STRING_EQUAL(name_at(3500, AT_A2), "a_work");
	CU_ASSERT_STRING_NOT_EQUAL(name_at(3500, AT_A), "a_work");
	CU_ASSERT_STRING_NOT_EQUAL(name_at(1500, AT_A2), "a_work");
	a2n_close(a2n);
}

/* At the end only, too: names, order and number of modules are the same. */
static void test_elsewhere_at_end(void)
{
	begin(A C, KERNEL SYM_A SYM_C);
	modules = A_HIGH C;
	kallsyms = KERNEL SYM_A2 SYM_C;
	CU_ASSERT_EQUAL(end(), 2);
	CU_ASSERT_STRING_EQUAL(name_at(3500, AT_A2), "a_work");
	a2n_close(a2n);
}

/* Another one over the place of one that went: never the other's name, none where nobody knows. */
static void test_over(void)
{
	begin(A C, KERNEL SYM_A SYM_C);
	look(A C, KERNEL SYM_A SYM_C, 2000);
	look(B_OVER C, KERNEL SYM_B SYM_C, 3000);
	look(C, KERNEL SYM_C, 4000);
	CU_ASSERT_EQUAL(end(), 3);
	CU_ASSERT_STRING_EQUAL(name_at(1500, AT_A), "a_work");
	CU_ASSERT_STRING_NOT_EQUAL(name_at(2500, AT_A), "a_work");
	CU_ASSERT_STRING_NOT_EQUAL(name_at(2500, AT_A), "b_work");
	CU_ASSERT_STRING_EQUAL(name_at(3500, AT_A), "b_work");
	CU_ASSERT_STRING_NOT_EQUAL(name_at(4500, AT_A), "b_work");
	CU_ASSERT_STRING_NOT_EQUAL(name_at(4500, AT_A), "a_work");
	a2n_close(a2n);
}

/* The same place, another build: each has its own names, and nobody knows whose the code between
 * two looks was. */
static void test_another_build(void)
{
	begin(A C, KERNEL SYM_A SYM_C);
	look(A C, KERNEL SYM_A SYM_C, 2000);
	loads_of_a++;
	look(A C, KERNEL SYM_A_NEW SYM_C, 3000);
	look(A C, KERNEL SYM_A_NEW SYM_C, 4000);
	CU_ASSERT_EQUAL(end(), 2);
	CU_ASSERT_STRING_EQUAL(name_at(500, AT_A), "a_work");
	CU_ASSERT_STRING_EQUAL(name_at(1500, AT_A), "a_work");
	CU_ASSERT_STRING_NOT_EQUAL(name_at(2500, AT_A), "a_work");
	CU_ASSERT_STRING_NOT_EQUAL(name_at(2500, AT_A), "a_new");
	CU_ASSERT_STRING_EQUAL(name_at(3500, AT_A), "a_new");
	CU_ASSERT_STRING_EQUAL(name_at(3500, 0xffffffffc0000010ull), "a_begin");
	CU_ASSERT_STRING_EQUAL(name_at(3500, AT_C), "c_work");
	a2n_close(a2n);
}

static void test_another_build_at_end(void)
{
	begin(A C, KERNEL SYM_A SYM_C);
	look(A C, KERNEL SYM_A SYM_C, 2000);
	loads_of_a++;
	modules = A C;
	kallsyms = KERNEL SYM_A_NEW SYM_C;
	CU_ASSERT_EQUAL(end(), 2);
	/* When it came nobody saw. */
	CU_ASSERT_STRING_NOT_EQUAL(name_at(3500, AT_A), "a_new");
	CU_ASSERT_STRING_NOT_EQUAL(name_at(3500, AT_A), "a_work");
	CU_ASSERT_STRING_EQUAL(name_at(3500, AT_C), "c_work");
	a2n_close(a2n);
}

/* It came back as it was, and then as another one. */
static void test_back_and_another(void)
{
	begin(A C, KERNEL SYM_A SYM_C);
	look(C, KERNEL SYM_C, 2000);
	loads_of_a++;
	look(A C, KERNEL SYM_A_NEW SYM_C, 3000);
	loads_of_a++;
	look(A C, KERNEL SYM_A SYM_C, 4000);
	CU_ASSERT_EQUAL(end(), 4);
	CU_ASSERT_STRING_EQUAL(name_at(1500, AT_A), "a_work");
	CU_ASSERT_STRING_NOT_EQUAL(name_at(2100, AT_A), "a_work");
	CU_ASSERT_STRING_EQUAL(name_at(2500, AT_A), "a_new");
	CU_ASSERT_STRING_NOT_EQUAL(name_at(3500, AT_A), "a_work");
	CU_ASSERT_STRING_EQUAL(name_at(4500, AT_A), "a_work");
	a2n_close(a2n);
}

/* Elsewhere, where its old place was in part. */
static void test_near(void)
{
	begin(A C, KERNEL SYM_A SYM_C);
	look(C, KERNEL SYM_C, 2000);
	loads_of_a++;
	look(A_NEAR C, KERNEL SYM_A_NEAR SYM_C, 3000);
	CU_ASSERT_EQUAL(end(), 3);
	CU_ASSERT_STRING_EQUAL(name_at(1500, AT_A), "a_work");
	CU_ASSERT_STRING_EQUAL(name_at(1500, 0xffffffffc00010f0ull), "a_begin");
	CU_ASSERT_STRING_EQUAL(name_at(3500, AT_A), "a_near");
	CU_ASSERT_STRING_EQUAL(name_at(3500, 0xffffffffc0001010ull), "a_begin");
	CU_ASSERT_STRING_NOT_EQUAL(name_at(3500, 0xffffffffc0000010ull), "a_begin");
	a2n_close(a2n);
}

/* A size that counts areas elsewhere does not reach into the next module. */
static void test_sizes(void)
{
	begin(D_NEAR, KERNEL SYM_D);
	look(D_NEAR C, KERNEL SYM_D SYM_C, 2000);
	CU_ASSERT_EQUAL(end(), 2);
	CU_ASSERT_STRING_EQUAL(name_at(2500, AT_C), "c_work");
	CU_ASSERT_STRING_EQUAL(name_at(2500, AT_D), "d_work");
	a2n_close(a2n);
}

/* The driver's records tell the times: texts alone are added. */
static void test_texts_alone(void)
{
	struct pifile_fault fault;
	struct pimerge *m;
	struct pirecord r;
	struct pifile *f;

	begin(C, KERNEL SYM_C);
	look(C A, KERNEL SYM_C SYM_A, 0);
	look(C, KERNEL SYM_C, 0);
	free(seen);
	seen = NULL;
	CU_ASSERT_EQUAL(pifile_finish(writer), 0);
	f = pifile_open(path, &fault);
	CU_ASSERT_PTR_NOT_NULL_FATAL(f);
	m = pimerge_open(f, PIMERGE_MTE);
	CU_ASSERT_EQUAL(pimerge_next(m, &r), 0);
	pimerge_close(m);
	pifile_close(f);
	unlink(path);
}

static void test_many(void)
{
	static char many[200000], other[200000];
	size_t n = 0, k = 0;

	for (int i = 0; i < 1000; i++) {
		n += (size_t)sprintf(many + n, "m%d 4096 0 - Live 0x%x\n", i,
				     0x10000000 + i * 4096);
		k += (size_t)sprintf(other + k, "n%d 4096 0 - Live 0x%x\n", i,
				     0x10000000 + i * 4096);
	}
	begin(many, "");
	look(other, "", 2000);
	CU_ASSERT_EQUAL(end(), 2);
	a2n_close(a2n);
}

int main(void)
{
	static const struct unit_test tests[] = {
		{ "same", test_same },
		{ "gone", test_gone },
		{ "goes", test_goes },
		{ "elsewhere", test_elsewhere },
		{ "elsewhere_at_end", test_elsewhere_at_end },
		{ "over", test_over },
		{ "another_build", test_another_build },
		{ "another_build_at_end", test_another_build_at_end },
		{ "back_and_another", test_back_and_another },
		{ "near", test_near },
		{ "sizes", test_sizes },
		{ "texts_alone", test_texts_alone },
		{ "many", test_many },
		{ NULL, NULL },
	};

	return unit_run("kernel_modules", tests);
}
