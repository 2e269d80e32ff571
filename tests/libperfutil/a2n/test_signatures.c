/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parameters of this program's own functions, by its DWARF: one parameter of each type, which is
 * also returned, its kind, its size and where the System V ABI of x86-64 passes it. (Compiled with
 * -g.) */
#include <complex.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "a2n/module_functions.h"
#include "unit.h"

#pragma GCC diagnostic ignored "-Wignored-qualifiers"
#pragma GCC diagnostic ignored "-Wpsabi"

/* ---- types ----------------------------------------------------------------------------------- */

typedef unsigned int named;
typedef const named named_twice;
typedef int (*called)(int);
#ifdef __SIZEOF_FLOAT128__
typedef __float128 quad;
#else
typedef long double quad;
#endif
typedef float four_floats __attribute__((vector_size(16)));
typedef unsigned char bytes32 __attribute__((vector_size(32)));
enum small { FIRST, SECOND };
enum negative { BELOW = -1, ABOVE };
struct nobody;

struct none {
};
struct floats {
	float a, b, c;
};
struct mixed_half {
	float a;
	int b;
};
struct real_whole {
	double a;
	long b;
};
struct whole_real {
	long a;
	double b;
};
struct reals {
	double a[2];
};
struct letters {
	char a[3];
};
struct sixteen {
	char a[16];
};
struct seventeen {
	char a[17];
};
struct rows {
	int a[2][2];
};
struct many_rows {
	int a[2][3];
};
struct packed_letters {
	char a;
	char b[8];
} __attribute__((packed));
struct packed_wide {
	char a;
	int b;
} __attribute__((packed));
struct wide_bits {
	unsigned long a : 40, b : 30;
};
struct late_bits {
	double a;
	unsigned int b : 3;
};
struct pointers {
	void *a;
	called b;
};
struct inner {
	float a;
};
struct outer {
	struct inner a[2];
	struct inner b;
	short c;
};
struct long_real {
	long double a;
};
struct both_complex {
	double _Complex a;
};
struct open_ended {
	int a;
	char rest[];
};
struct nothing_more {
	double a;
	int rest[0];
};
struct enumerated {
	enum small a;
	_Bool b;
};
union real_or_whole {
	double a;
	long b;
};
union real_or_floats {
	double a;
	float b[2];
};
union large {
	double a;
	char b[24];
};
/* As deep as is followed, and deeper. */
struct deep1 {
	double a;
};
#define DEEPER(n, m)              \
	struct deep##n {          \
		struct deep##m a; \
	}
DEEPER(2, 1);
DEEPER(3, 2);
DEEPER(4, 3);
DEEPER(5, 4);
DEEPER(6, 5);
DEEPER(7, 6);
DEEPER(8, 7);
/* As many members as are read, and more. */
#define EIGHT(p) \
	unsigned long p##0 : 1, p##1 : 1, p##2 : 1, p##3 : 1, p##4 : 1, p##5 : 1, p##6 : 1, p##7 : 1
struct most_members {
	EIGHT(a);
	EIGHT(b);
	EIGHT(c);
	EIGHT(d);
	EIGHT(e);
	EIGHT(f);
	EIGHT(g);
	EIGHT(h);
};
struct more_members {
	EIGHT(a);
	EIGHT(b);
	EIGHT(c);
	EIGHT(d);
	EIGHT(e);
	EIGHT(f);
	EIGHT(g);
	EIGHT(h);
	unsigned long one : 1;
};

enum { REGISTERS, MEMORY, UNKNOWN, MEMORY_UNKNOWN };

/* (name, type, kind, registers: general, vector, place) */
/* clang-format off */
#define TYPES(is) \
	is(int, int, SIGNED, 1, 0, REGISTERS) \
	is(named, named, UNSIGNED, 1, 0, REGISTERS) \
	is(twice, named_twice, UNSIGNED, 1, 0, REGISTERS) \
	is(volatile, volatile short, SIGNED, 1, 0, REGISTERS) \
	is(atomic, _Atomic long, SIGNED, 1, 0, REGISTERS) \
	is(letter, signed char, CHAR, 1, 0, REGISTERS) \
	is(byte, unsigned char, UNSIGNED, 1, 0, REGISTERS) \
	is(bool, _Bool, UNSIGNED, 1, 0, REGISTERS) \
	is(double_word, __int128, SIGNED, 2, 0, REGISTERS) \
	is(float, float, FLOAT, 0, 1, REGISTERS) \
	is(double, double, FLOAT, 0, 1, REGISTERS) \
	is(long_double, long double, FLOAT, 0, 0, MEMORY) \
	is(quad, quad, FLOAT, 0, 1, REGISTERS) \
	is(complex_float, float _Complex, OTHER, 0, 1, REGISTERS) \
	is(complex, double _Complex, OTHER, 0, 2, REGISTERS) \
	is(complex_long, long double _Complex, FLOAT, 0, 0, MEMORY) \
	is(small, enum small, UNSIGNED, 1, 0, REGISTERS) \
	is(negative, enum negative, SIGNED, 1, 0, REGISTERS) \
	is(text, char *, TEXT, 1, 0, REGISTERS) \
	is(const_text, const char *const, TEXT, 1, 0, REGISTERS) \
	is(bytes, const unsigned char *, TEXT, 1, 0, REGISTERS) \
	is(any, void *, POINTER, 1, 0, REGISTERS) \
	is(texts, char **, POINTER, 1, 0, REGISTERS) \
	is(bools, _Bool *, POINTER, 1, 0, REGISTERS) \
	is(shorts, short *, POINTER, 1, 0, REGISTERS) \
	is(nobody, struct nobody *, POINTER, 1, 0, REGISTERS) \
	is(called, called, POINTER, 1, 0, REGISTERS) \
	is(vector, four_floats, OTHER, 0, 1, REGISTERS) \
	is(long_vector, bytes32, OTHER, 0, 1, REGISTERS) \
	is(none, struct none, OTHER, 0, 0, REGISTERS) \
	is(floats, struct floats, OTHER, 0, 2, REGISTERS) \
	is(mixed_half, struct mixed_half, OTHER, 1, 0, REGISTERS) \
	is(real_whole, struct real_whole, OTHER, 1, 1, REGISTERS) \
	is(whole_real, struct whole_real, OTHER, 1, 1, REGISTERS) \
	is(reals, struct reals, OTHER, 0, 2, REGISTERS) \
	is(letters, struct letters, OTHER, 1, 0, REGISTERS) \
	is(sixteen, struct sixteen, OTHER, 2, 0, REGISTERS) \
	is(seventeen, struct seventeen, OTHER, 0, 0, MEMORY) \
	is(rows, struct rows, OTHER, 2, 0, REGISTERS) \
	is(many_rows, struct many_rows, OTHER, 0, 0, MEMORY) \
	is(packed_letters, struct packed_letters, OTHER, 2, 0, REGISTERS) \
	is(packed_wide, struct packed_wide, OTHER, 0, 0, MEMORY) \
	is(wide_bits, struct wide_bits, OTHER, 2, 0, REGISTERS) \
	is(late_bits, struct late_bits, OTHER, 1, 1, REGISTERS) \
	is(pointers, struct pointers, OTHER, 2, 0, REGISTERS) \
	is(outer, struct outer, OTHER, 1, 1, REGISTERS) \
	is(long_real, struct long_real, OTHER, 0, 0, MEMORY_UNKNOWN) \
	is(both_complex, struct both_complex, OTHER, 0, 2, REGISTERS) \
	is(open_ended, struct open_ended, OTHER, 1, 0, REGISTERS) \
	is(nothing_more, struct nothing_more, OTHER, 0, 1, REGISTERS) \
	is(enumerated, struct enumerated, OTHER, 1, 0, REGISTERS) \
	is(real_or_whole, union real_or_whole, OTHER, 1, 0, REGISTERS) \
	is(real_or_floats, union real_or_floats, OTHER, 0, 1, REGISTERS) \
	is(large, union large, OTHER, 0, 0, MEMORY) \
	is(deep, struct deep7, OTHER, 0, 1, REGISTERS) \
	is(deeper, struct deep8, OTHER, 0, 0, UNKNOWN) \
	is(most_members, struct most_members, OTHER, 1, 0, REGISTERS) \
	is(more_members, struct more_members, OTHER, 1, 0, UNKNOWN)
/* clang-format on */

#define FUNCTION(name, type, ...)                                       \
	static __attribute__((noinline, used)) type with_##name(type x) \
	{                                                               \
		__asm__ volatile("" ::: "memory");                      \
		return x;                                               \
	}
TYPES(FUNCTION)

static const struct {
	const char *name;
	const void *function;
	uint32_t size;
	enum value_kind kind;
	uint8_t general, vector, place;
} types[] = {
#define TYPE(name, type, kind, general, vector, place) \
	{ #name, (const void *)with_##name, sizeof(type), VALUE_##kind, general, vector, place },
	TYPES(TYPE)
};
enum { N_TYPES = sizeof(types) / sizeof(*types) };

/* ---- functions ------------------------------------------------------------------------------- */

/* A local type, and blocks below those that have parameters' siblings. */
static __attribute__((noinline, used)) void many(long a, char b, float c)
{
	struct local {
		int x;
	} l = { (int)a };

	for (int i = 0; i < b; i++) {
		double in_a_block = c;

		__asm__ volatile("" ::"m"(in_a_block), "m"(l));
	}
}

/* One more than are kept; the last that is kept is a letter, the one after it none. */
static __attribute__((noinline, used)) void most(int a0, int a1, int a2, int a3, int a4, int a5,
						 int a6, int a7, int b0, int b1, int b2, int b3,
						 int b4, int b5, int b6, int b7, int c0, int c1,
						 int c2, int c3, int c4, int c5, int c6, int c7,
						 int d0, int d1, int d2, int d3, int d4, int d5,
						 int d6, signed char d7, double more)
{
	__asm__ volatile("" ::"r"(a0 + a1 + a2 + a3 + a4 + a5 + a6 + a7 + b0 + b1 + b2 + b3 + b4 +
				  b5 + b6 + b7 + c0 + c1 + c2 + c3 + c4 + c5 + c6 + c7 + d0 + d1 +
				  d2 + d3 + d4 + d5 + d6 + d7),
			 "x"(more));
}

#ifndef __clang__
#define OPTIMIZED __attribute__((optimize("O2")))
#else
#define OPTIMIZED
#endif

/* Its code and its types are in different entries: it is inlined below, too. */
static OPTIMIZED int both_ways(unsigned char a, const char *b)
{
	__asm__ volatile("" ::"r"(b));
	return a + 1;
}

static OPTIMIZED __attribute__((noinline, used)) int inlines(int n)
{
	return both_ways((unsigned char)n, "x") + both_ways(2, "y");
}

static __attribute__((noinline, cold, used)) void rarely(long a)
{
	__asm__ volatile("" ::"r"(a) : "memory");
}

/* Its code is in two pieces: DW_AT_ranges. */
static OPTIMIZED __attribute__((noinline, used)) short in_pieces(long a, float b)
{
	if (__builtin_expect(a > 100, 0)) {
		rarely(a);
		rarely(a + 1);
	}
	return (short)(b > 1);
}

/* ---- this program ---------------------------------------------------------------------------- */

static struct a2n *a;
static struct a2n_module *module;

static uint64_t offset_of(const void *address)
{
	struct a2n_answer r;

	a2n_resolve(a, (uint32_t)getpid(), UINT64_MAX, (uintptr_t)address, false, &r);
	module = r.module;
	return r.module_offset;
}

#define MOST 8
struct got {
	struct signature s;
	unsigned int times;
};

static void take(void *arg, size_t i, const struct signature *s)
{
	struct got *to = arg;

	to[i].s = *s;
	to[i].times++;
}

static void ask(const uint64_t *offsets, size_t n, struct got *got)
{
	memset(got, 0, n * sizeof(*got));
	CU_ASSERT_EQUAL(inner_signatures(a, module, offsets, n, take, got), 0);
}

static void begin(void)
{
	const char *why = NULL;

	a = a2n_open(NULL);
	CU_ASSERT_PTR_NOT_NULL_FATAL(a);
	CU_ASSERT_EQUAL_FATAL(a2n_add_process(a, (uint32_t)getpid(), &why), 0);
}

/* ---- tests ----------------------------------------------------------------------------------- */

#ifdef __x86_64__
#define PLACES true /* they are those of this machine */
#else
#define PLACES false
#endif

static bool is_type(const struct passed_type *v, int i)
{
	bool is = v->kind == types[i].kind && v->size == types[i].size;
	uint8_t place = (uint8_t)((v->memory ? MEMORY : 0) + (v->unknown ? UNKNOWN : 0));

	if (PLACES) {
		is = is && place == types[i].place;
		if (place == REGISTERS)
			is = is && v->general == types[i].general && v->vector == types[i].vector;
	}
	if (!is)
		printf("# %s: kind %d, size %u, general %d, vector %d, memory %d, unknown %d\n",
		       types[i].name, v->kind, v->size, v->general, v->vector, v->memory,
		       v->unknown);
	return is;
}

static void each_type(void)
{
	static struct got got[N_TYPES];
	uint64_t offsets[N_TYPES];

	begin();
	for (int i = 0; i < N_TYPES; i++)
		offsets[i] = offset_of(types[i].function);
	ask(offsets, N_TYPES, got);
	for (int i = 0; i < N_TYPES; i++) {
		CU_ASSERT_EQUAL(got[i].times, 1);
		CU_ASSERT_EQUAL(got[i].s.n, 1);
		CU_ASSERT(!got[i].s.changed);
		CU_ASSERT(is_type(&got[i].s.parameter[0], i));
		CU_ASSERT(is_type(&got[i].s.result, i));
	}
	a2n_close(a);
}

static void their_order(void)
{
	static struct got got[MOST];
	uint64_t offsets[2];

	begin();
	offsets[0] = offset_of((const void *)many);
	offsets[1] = offset_of((const void *)most);
	ask(offsets, 2, got);
	CU_ASSERT_EQUAL_FATAL(got[0].s.n, 3);
	CU_ASSERT_EQUAL(got[0].s.result.kind, VALUE_NONE);
	CU_ASSERT(got[0].s.parameter[0].kind == VALUE_SIGNED && got[0].s.parameter[0].size == 8);
	CU_ASSERT_EQUAL(got[0].s.parameter[1].size, 1);
	CU_ASSERT(got[0].s.parameter[2].kind == VALUE_FLOAT && got[0].s.parameter[2].size == 4);
	CU_ASSERT_EQUAL_FATAL(got[1].s.n, SIGNATURE_MOST);
	CU_ASSERT_EQUAL(got[1].s.parameter[SIGNATURE_MOST - 2].kind, VALUE_SIGNED);
	CU_ASSERT_EQUAL(got[1].s.parameter[SIGNATURE_MOST - 1].kind, VALUE_CHAR);
	a2n_close(a);
}

/* In any order, one twice, and where no function begins. */
static void requests(void)
{
	static struct got got[MOST];
	uint64_t offsets[5];

	begin();
	offsets[0] = offset_of((const void *)with_double);
	offsets[1] = offset_of((const void *)with_int);
	offsets[2] = offsets[0] + 1;
	offsets[3] = offsets[0];
	offsets[4] = offset_of((const void *)with_texts);
	ask(offsets, 5, got);
	CU_ASSERT(got[0].times == 1 && got[1].times == 1 && got[3].times == 1 && got[4].times == 1);
	CU_ASSERT_EQUAL(got[2].times, 0);
	CU_ASSERT_EQUAL(got[0].s.parameter[0].kind, VALUE_FLOAT);
	CU_ASSERT_EQUAL(got[1].s.parameter[0].kind, VALUE_SIGNED);
	CU_ASSERT_EQUAL(got[3].s.parameter[0].kind, VALUE_FLOAT);
	CU_ASSERT_EQUAL(got[4].s.parameter[0].kind, VALUE_POINTER);
	got[0].times = 0;
	ask(offsets, 0, got);
	CU_ASSERT_EQUAL(got[0].times, 0);
	a2n_close(a);
}

static void in_other_entries(void)
{
	static struct got got[MOST];
	uint64_t offsets[3];

	begin();
	offsets[0] = offset_of((const void *)in_pieces);
	offsets[1] = offset_of((const void *)both_ways);
	offsets[2] = offset_of((const void *)inlines);
	ask(offsets, 3, got);
	CU_ASSERT_EQUAL_FATAL(got[0].s.n, 2);
	CU_ASSERT(got[0].s.result.kind == VALUE_SIGNED && got[0].s.result.size == 2);
	CU_ASSERT_EQUAL(got[0].s.parameter[1].kind, VALUE_FLOAT);
	CU_ASSERT_EQUAL_FATAL(got[1].s.n, 2);
	CU_ASSERT(got[1].s.result.kind == VALUE_SIGNED && got[1].s.result.size == 4);
	CU_ASSERT(got[1].s.parameter[0].kind == VALUE_UNSIGNED && got[1].s.parameter[0].size == 1);
	CU_ASSERT_EQUAL(got[1].s.parameter[1].kind, VALUE_TEXT);
	CU_ASSERT(got[2].times == 1 && got[2].s.n == 1);
	a2n_close(a);
}

/* ---- types in another file ------------------------------------------------------------------- */

/* Compiled twice, its types are in a file that both libraries share (dwz -m). */
static const char source[] =
	"struct large { long word[5]; char name[32]; struct large *next, *before; };\n"
	"struct pair { float a, b; long c; };\n"
	"enum below { LESS = -4, MORE };\n"
	"typedef unsigned short number;\n"
	"struct holder { struct large l; struct pair p; enum below e; number n; double d[4]; };\n"
	"struct pair NAME(struct large *l, struct pair p, enum below e, number n, double d, struct holder h)\n"
	"{ p.c += l->word[0] + e + n + (long)d + h.n; return p; }\n";

static void in_a_shared_file(void)
{
	static const enum value_kind kinds[] = { VALUE_POINTER,  VALUE_OTHER, VALUE_SIGNED,
						 VALUE_UNSIGNED, VALUE_FLOAT, VALUE_OTHER };
	static const uint32_t sizes[] = { sizeof(void *), 16, 4, 2, 8, 144 };
	char folder[] = "/tmp/test_signaturesXXXXXX", command[900];
	static struct got got[1];
	void *library, *function;
	uint64_t offset;
	FILE *f;

	if (system("command -v dwz >/dev/null")) {
		unit_skip(NULL, "dwz is not installed");
		return;
	}
	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(folder));
	snprintf(command, sizeof(command), "%s/s.c", folder);
	f = fopen(command, "w");
	CU_ASSERT_PTR_NOT_NULL_FATAL(f);
	fputs(source, f);
	fclose(f);
	snprintf(command, sizeof(command),
		 "cd %s && for n in one two; do gcc -g -O0 -fPIC -shared -nostdlib -DNAME=in_$n "
		 "-Wl,--build-id -o $n.so s.c || exit; done && dwz -m shared one.so two.so && "
		 "[ -s shared ]",
		 folder);
	CU_ASSERT_EQUAL_FATAL(system(command), 0);
	snprintf(command, sizeof(command), "%s/one.so", folder);
	library = dlopen(command, RTLD_NOW);
	CU_ASSERT_PTR_NOT_NULL_FATAL(library);
	function = dlsym(library, "in_one");
	CU_ASSERT_PTR_NOT_NULL_FATAL(function);
	begin();
	offset = offset_of(function);
	ask(&offset, 1, got);
	CU_ASSERT_EQUAL(got[0].times, 1);
	CU_ASSERT_EQUAL_FATAL(got[0].s.n, 6);
	for (int i = 0; i < 6; i++) {
		CU_ASSERT_EQUAL(got[0].s.parameter[i].kind, kinds[i]);
		CU_ASSERT_EQUAL(got[0].s.parameter[i].size, sizes[i]);
		CU_ASSERT(!got[0].s.parameter[i].unknown);
	}
	CU_ASSERT(got[0].s.result.kind == VALUE_OTHER && got[0].s.result.size == 16);
	a2n_close(a);
	dlclose(library);
	snprintf(command, sizeof(command), "rm -r %s", folder);
	CU_ASSERT_EQUAL(system(command), 0);
}

int main(void)
{
	static const struct unit_test tests[] = {
		{ "each_type", each_type },
		{ "their_order", their_order },
		{ "requests", requests },
		{ "in_other_entries", in_other_entries },
		{ "in_a_shared_file", in_a_shared_file },
		{},
	};

	return unit_run("signatures", tests);
}
