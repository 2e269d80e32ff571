/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions of a module by its DWARF: this program's own. What is inlined in them and where, and
 * what they are given and return. (Compiled with -g.) */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "a2n/module_functions.h"
#include "unit.h"

struct large {
	long word[5];
};

static inline __attribute__((always_inline)) int twice(int x)
{
	__asm__ volatile("" : "+r"(x));
	return x + x;
}

enum { NESTED = __LINE__ + 3 };
static inline __attribute__((always_inline)) int four_times(int x)
{
	return twice(x) * 2;
}

enum { FIRST = __LINE__ + 5 };
static __attribute__((noinline)) int calls_both(int n)
{
	int sum = 0;

	sum += twice(n);
	sum += four_times(n);
	return sum;
}

static __attribute__((noinline)) double calls_none(const char *text, unsigned int n, double x,
						   struct large large, signed char c)
{
	__asm__ volatile("" ::: "memory");
	return text ? n * x + (double)large.word[0] + c : 0;
}

struct bits {
	unsigned int few : 17, more : 10;
};
struct both {
	double real;
	int whole;
};
struct __attribute__((packed)) crooked {
	char one;
	int four;
};

static __attribute__((noinline)) int passed_whole(struct bits b, struct both m, struct crooked c,
						  struct large large)
{
	__asm__ volatile("" ::: "memory");
	return (int)b.more + m.whole + c.four + (int)large.word[0];
}

static __attribute__((noinline)) void nothing(void)
{
	__asm__ volatile("");
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

static void begin(void)
{
	const char *why = NULL;

	a = a2n_open(NULL);
	CU_ASSERT_PTR_NOT_NULL_FATAL(a);
	CU_ASSERT_EQUAL_FATAL(a2n_add_process(a, (uint32_t)getpid(), &why), 0);
}

static const void *const functions[] = { (const void *)calls_none, (const void *)calls_both,
					 (const void *)nothing, (const void *)passed_whole };
enum { FUNCTIONS = sizeof(functions) / sizeof(*functions) };
static uint64_t offsets[FUNCTIONS];

static void look(void)
{
	for (int i = 0; i < FUNCTIONS; i++)
		offsets[i] = offset_of(functions[i]);
}

/* ---- inlined functions ----------------------------------------------------------------------- */

struct inlined {
	unsigned int n, twice_there, twice_nested, four_there;
	bool wrong;
};

static void take_inlined(void *arg, size_t i, const struct a2n_frame *f, size_t n)
{
	struct inlined *t = arg;

	t->n++;
	if (i != 1 || n != 2 || !f[0].function || !f[1].file ||
	    !strstr(f[1].file, "test_module_functions.c")) {
		t->wrong = true;
		return;
	}
	if (!strcmp(f[0].function, "four_times"))
		t->four_there += f[1].line == FIRST + 1;
	else if (!strcmp(f[0].function, "twice")) {
		t->twice_there += f[1].line == FIRST;
		t->twice_nested += f[1].line == NESTED;
	}
}

static void inlined(void)
{
	struct inlined t = { 0 };

	begin();
	look();
	CU_ASSERT_EQUAL(inner_inlined(a, module, offsets, FUNCTIONS, take_inlined, &t), 0);
	CU_ASSERT(!t.wrong);
	CU_ASSERT_EQUAL(t.n, 3);
	CU_ASSERT_EQUAL(t.twice_there, 1);
	CU_ASSERT_EQUAL(t.twice_nested, 1);
	CU_ASSERT_EQUAL(t.four_there, 1);
	/* Where nothing is inlined, and for nobody. */
	t = (struct inlined){ 0 };
	CU_ASSERT_EQUAL(inner_inlined(a, module, offsets, 1, take_inlined, &t), 0);
	CU_ASSERT_EQUAL(inner_inlined(a, module, offsets, 0, take_inlined, &t), 0);
	CU_ASSERT_EQUAL(t.n, 0);
	a2n_close(a);
}

/* ---- signatures ------------------------------------------------------------------------------ */

static void take_signature(void *arg, size_t i, const struct signature *s)
{
	struct signature *to = arg;

	CU_ASSERT_FATAL(i < FUNCTIONS);
	to[i] = *s;
}

static void signatures(void)
{
	static const enum value_kind kinds[] = { VALUE_TEXT, VALUE_UNSIGNED, VALUE_FLOAT,
						 VALUE_OTHER, VALUE_SIGNED };
	static const uint32_t sizes[] = { sizeof(char *), 4, 8, sizeof(struct large), 1 };
	static struct signature got[FUNCTIONS];

	begin();
	look();
	memset(got, 0xff, sizeof(got));
	CU_ASSERT_EQUAL(inner_signatures(a, module, offsets, FUNCTIONS, take_signature, got), 0);
	CU_ASSERT_EQUAL_FATAL(got[0].n, 5);
	for (int i = 0; i < 5; i++) {
		bool is = got[0].parameter[i].kind == kinds[i] ||
			  (i == 4 && got[0].parameter[i].kind == VALUE_CHAR);

		CU_ASSERT(is);
		CU_ASSERT_EQUAL(got[0].parameter[i].size, sizes[i]);
	}
	CU_ASSERT(got[0].result.kind == VALUE_FLOAT && got[0].result.size == 8);
	CU_ASSERT(got[1].n == 1 && got[1].parameter[0].kind == VALUE_SIGNED);
	CU_ASSERT(got[1].result.kind == VALUE_SIGNED && got[1].result.size == 4);
	CU_ASSERT(got[2].n == 0 && got[2].result.kind == VALUE_NONE);
	CU_ASSERT_EQUAL_FATAL(got[3].n, 4);
#ifdef __x86_64__
	/* Bits, though their place is odd, are in a register; what is not aligned and what is large
	 * is not. */
	{
		const struct passed_type *p = got[3].parameter;

		CU_ASSERT(!p[0].memory && p[0].general == 1 && !p[0].vector && p[0].size == 4);
		CU_ASSERT(!p[1].memory && p[1].general == 1 && p[1].vector == 1 && p[1].size == 16);
		CU_ASSERT(p[2].memory && p[2].size == 5);
		CU_ASSERT(p[3].memory && p[3].size == sizeof(struct large));
	}
#else
	unit_skip(NULL, "the registers are those of x86-64");
#endif
	a2n_close(a);
}

/* ---- where they begin ------------------------------------------------------------------------ */

static void take_start(void *arg, uint64_t module_offset)
{
	unsigned int *found = arg;

	for (int i = 0; i < FUNCTIONS; i++)
		found[i] += offsets[i] == module_offset;
}

static void starts(void)
{
	unsigned int found[FUNCTIONS] = { 0 };

	begin();
	look();
	inner_starts(module, take_start, found);
	for (int i = 0; i < FUNCTIONS; i++)
		CU_ASSERT(found[i] > 0);
	a2n_close(a);
}

int main(void)
{
	static const struct unit_test tests[] = {
		{ "inlined", inlined },
		{ "signatures", signatures },
		{ "starts", starts },
		{},
	};
	const struct large large = { { 1 } };

	/* They must not be left out. */
	const struct bits bits = { 1, 2 };
	const struct both both = { 1, 2 };
	const struct crooked crooked = { 1, 2 };

	if (passed_whole(bits, both, crooked, large) != 7 || calls_both(2) != 12 ||
	    calls_none("", 2, 3, large, 4) < 0)
		return 1;
	nothing();
	return unit_run("module_functions", tests);
}
