/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calls told apart by their values: each format of a value, in each of its places; texts that
 * cannot be read, or only in part; the same values again, and more of them than are kept. */
#include <errno.h>
#include <sys/mman.h>

#include "hook_arguments.h"
#include "hook_values.h"
#include "unit.h"

static uint64_t stack[64];
static uint8_t vectors[160 + 8 * 16];

#define HERE       32
#define RESULT     stack[HERE - 2]
#define GENERAL(n) stack[HERE - 3 - (n)]
#define ABOVE(n)   stack[HERE + 1 + (n)]

static const struct call_state state = { (uintptr_t)&stack[HERE], vectors };
static struct call_values values = { .name = "f" };
static struct hook_function *f;

static void put_vector(int number, const void *p, size_t n)
{
	memcpy(vectors + 160 + 16 * number, p, n);
}

static struct hook_function *call_of(struct call_values v)
{
	struct hook_function *found;

	v.name = "f";
	values = v;
	errno = E2BIG;
	found = arguments_find(f, &state);
	CU_ASSERT_PTR_NOT_NULL_FATAL(found);
	CU_ASSERT_EQUAL(errno, E2BIG);
	CU_ASSERT(found->number && found->was == f->was && found->values == &values);
	return found;
}

static const char *one(struct given_value g)
{
	return call_of((struct call_values){ .n = 1, .argument = { g } })->name;
}

static const char *general(char format, uint8_t bits, uint64_t value)
{
	GENERAL(2) = value;
	return one((struct given_value){ GIVEN_GENERAL, format, bits, 2 });
}

static void numbers(void)
{
	CU_ASSERT_STRING_EQUAL(general('i', 32, 0xffffffff), "f(-1)");
	CU_ASSERT_STRING_EQUAL(general('i', 32, 0x7000000080000000), "f(-2147483648)");
	CU_ASSERT_STRING_EQUAL(general('i', 8, 0x180), "f(-128)");
	CU_ASSERT_STRING_EQUAL(general('i', 16, 0x17fff), "f(32767)");
	CU_ASSERT_STRING_EQUAL(general('i', 64, UINT64_MAX - 1), "f(-2)");
	CU_ASSERT_STRING_EQUAL(general('u', 8, 0x1ff), "f(255)");
	CU_ASSERT_STRING_EQUAL(general('u', 64, UINT64_MAX), "f(18446744073709551615)");
	CU_ASSERT_STRING_EQUAL(general('x', 16, 0x12345), "f(0x2345)");
	CU_ASSERT_STRING_EQUAL(general('x', 64, 0xfedcba9876543210), "f(0xfedcba9876543210)");
	CU_ASSERT_STRING_EQUAL(general('c', 8, 'A'), "f('A')");
	CU_ASSERT_STRING_EQUAL(general('c', 8, 0x100 + ' '), "f(' ')");
	CU_ASSERT_STRING_EQUAL(general('c', 8, 0x80), "f(-128)");
	CU_ASSERT_STRING_EQUAL(general('c', 8, '\n'), "f(10)");
	CU_ASSERT_STRING_EQUAL(general('v', 64, 1), "f({...})");
}

static void places(void)
{
	const double real = -2.5;
	const float small = 0.1f;
	const long double longest = 1e300L * 1e300L;

	for (unsigned int i = 0; i < 6; i++)
		GENERAL(i) = 100 + i;
	for (unsigned int i = 0; i < 6; i++) {
		char want[20];

		snprintf(want, sizeof(want), "f(%u)", 100 + i);
		CU_ASSERT_STRING_EQUAL(one((struct given_value){ GIVEN_GENERAL, 'i', 32,
								 (uint16_t)i }),
				       want);
	}
	ABOVE(0) = 200;
	ABOVE(3) = 203;
	CU_ASSERT_STRING_EQUAL(one((struct given_value){ GIVEN_STACK, 'i', 32, 0 }), "f(200)");
	CU_ASSERT_STRING_EQUAL(one((struct given_value){ GIVEN_STACK, 'u', 32, 24 }), "f(203)");
	put_vector(0, &real, sizeof(real));
	put_vector(7, &small, sizeof(small));
	CU_ASSERT_STRING_EQUAL(one((struct given_value){ GIVEN_VECTOR, 'f', 64, 0 }), "f(-2.5)");
	CU_ASSERT_STRING_EQUAL(one((struct given_value){ GIVEN_VECTOR, 'f', 32, 7 }),
			       "f(0.1000000015)");
	memcpy(&ABOVE(2), &longest, 10);
	CU_ASSERT_STRING_EQUAL(one((struct given_value){ GIVEN_STACK, 'f', 80, 16 }), "f(1e+600)");
	CU_ASSERT_STRING_EQUAL(one((struct given_value){ GIVEN_NOWHERE, 'i', 32, 0 }), "f(?)");
	CU_ASSERT_STRING_EQUAL(one((struct given_value){ GIVEN_NOWHERE, 'v', 32, 0 }), "f({...})");
	/* Several, in their order. */
	GENERAL(0) = 7;
	GENERAL(1) = (uintptr_t) "x";
	CU_ASSERT_STRING_EQUAL(call_of((struct call_values){
					       .n = 3,
					       .argument = { { GIVEN_GENERAL, 's', 64, 1 },
							     { GIVEN_VECTOR, 'f', 64, 0 },
							     { GIVEN_GENERAL, 'i', 32, 0 } } })
				       ->name,
			       "f(\"x\", -2.5, 7)");
}

#define TEN    "0123456789"
#define TEXT63 TEN TEN TEN TEN TEN TEN "abc"

static void texts(void)
{
	char *page = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	CU_ASSERT_PTR_NOT_EQUAL_FATAL(page, MAP_FAILED);
	CU_ASSERT_STRING_EQUAL(general('s', 64, 0), "f(NULL)");
	CU_ASSERT_STRING_EQUAL(general('s', 64, 8), "f(0x8)");
	CU_ASSERT_STRING_EQUAL(general('s', 64, UINT64_MAX), "f(0xffffffffffffffff)");
	CU_ASSERT_STRING_EQUAL(general('s', 64, (uintptr_t) ""), "f(\"\")");
	CU_ASSERT_STRING_EQUAL(general('s', 64, (uintptr_t) "a\tb\x1b\x7f."), "f(\"a?b??.\")");
	CU_ASSERT_STRING_EQUAL(general('s', 64, (uintptr_t)TEXT63), "f(\"" TEXT63 "\")");
	CU_ASSERT_STRING_EQUAL(general('s', 64, (uintptr_t)TEXT63 "d"), "f(\"" TEXT63 "d\"...)");
	CU_ASSERT_STRING_EQUAL(general('s', 64, (uintptr_t)TEXT63 "de"), "f(\"" TEXT63 "d\"...)");
	/* Over two pages, and where the second is gone. */
	memset(page, 'y', 8192);
	strcpy(page + 4096 - 3, "abcdef");
	CU_ASSERT_STRING_EQUAL(general('s', 64, (uintptr_t)page + 4096 - 3), "f(\"abcdef\")");
	CU_ASSERT_EQUAL(mprotect(page + 4096, 4096, PROT_NONE), 0);
	CU_ASSERT_STRING_EQUAL(general('s', 64, (uintptr_t)page + 4096 - 3), "f(\"abc\")");
	CU_ASSERT_STRING_EQUAL(general('s', 64, (uintptr_t)page + 4095), "f(\"c\")");
	munmap(page, 8192);
}

static void results(void)
{
	struct hook_function *found;

	values = (struct call_values){ .name = "f",
				       .has_result = true,
				       .result = { GIVEN_RESULT, 'i', 32, 0 } };
	RESULT = 41;
	errno = E2BIG;
	found = arguments_result(f, &state);
	CU_ASSERT_PTR_NOT_NULL_FATAL(found);
	CU_ASSERT_EQUAL(errno, E2BIG);
	CU_ASSERT_STRING_EQUAL(found->name, "f = 41");
	/* An argument of that value is another one. */
	CU_ASSERT_STRING_EQUAL(general('i', 32, 41), "f(41)");
	CU_ASSERT_STRING_EQUAL(found->name, "f = 41");
	CU_ASSERT_STRING_EQUAL(arguments_find(f, NULL)->name, "f(?)");
}

static void returns(void)
{
	static const struct {
		uint8_t code[2];
		bool is;
	} all[] = {
		{ { 0xc3, 0x90 }, true },  { { 0xf3, 0xc3 }, true },  { { 0xf2, 0xc3 }, true },
		{ { 0xf3, 0x90 }, false }, { { 0xf4, 0xc3 }, false }, { { 0xff, 0xe0 }, false },
		{ { 0x90, 0xc3 }, false }, { { 0xf2, 0xf3 }, false },
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		stack[HERE - 1] = (uintptr_t)all[i].code;
		CU_ASSERT_EQUAL(arguments_returns((uintptr_t)&stack[HERE]), all[i].is);
	}
}

/* The same values are the same function; those beyond a thousand share one. */
static void many(void)
{
	struct call_values v = { .n = 1, .argument = { { GIVEN_GENERAL, 'u', 64, 0 } } };
	struct hook_function *first, *other, *found;
	uint32_t before, apart;
	bool mine;

	other = functions_add(0x2000, &mine);
	CU_ASSERT_FATAL(other && mine);
	other->was = 0x2000;
	other->values = &values;
	functions_number(other);
	f = other;
	GENERAL(0) = 1000000;
	first = call_of(v);
	CU_ASSERT_PTR_EQUAL(call_of(v), first);
	before = functions_count();
	for (uint32_t i = 1; i < ARGUMENT_VALUES; i++) {
		GENERAL(0) = 1000000 + i;
		found = call_of(v);
		CU_ASSERT_FATAL(found != first);
	}
	CU_ASSERT_STRING_EQUAL(found->name, "f(1000999)");
	CU_ASSERT_EQUAL(functions_count(), before + ARGUMENT_VALUES - 1);
	GENERAL(0) = 1;
	found = call_of(v);
	CU_ASSERT_STRING_EQUAL(found->name, "f(others)");
	GENERAL(0) = 2;
	CU_ASSERT_PTR_EQUAL(call_of(v), found);
	CU_ASSERT_EQUAL(functions_count(), before + ARGUMENT_VALUES);
	/* Those that are known are found all the same. */
	GENERAL(0) = 1000000;
	CU_ASSERT_PTR_EQUAL(call_of(v), first);
	/* Values that are not to be had do not count. */
	apart = other->apart;
	CU_ASSERT_STRING_EQUAL(arguments_find(f, NULL)->name, "f(?)");
	CU_ASSERT_EQUAL(other->apart, apart);
}

#ifdef __x86_64__
#define ON_THIS true
#else
#define ON_THIS false
#endif

static void elsewhere(void)
{
	unit_skip(NULL, "values are found on x86-64 only");
}

int main(void)
{
	static const struct unit_test none[] = { { "elsewhere", elsewhere }, {} };
	static const struct unit_test tests[] = {
		{ "numbers", numbers },
		{ "places", places },
		{ "texts", texts },
		{ "results", results },
		{ "returns", returns },
		{ "many", many },
		{},
	};
	bool mine;

	if (!functions_begin())
		return 1;
	f = functions_add(0x1000, &mine);
	f->was = 0x1000;
	f->values = &values;
	functions_number(f);
	return unit_run("hook_arguments", ON_THIS ? tests : none);
}
