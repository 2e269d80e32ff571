/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Requested values of functions: their words, right and wrong; where each is by the types of all
 * arguments, and by the option alone; its format. */
#include "asked_value.h"
#include "hook_values.h"
#include "unit.h"

/* ---- words ----------------------------------------------------------------------------------- */

#define NEEDED   "NAME@argN[/FORMAT] or NAME@retval[/FORMAT] is needed"
#define FORMATS  "a format is /i, /u, /x, /c, /s or /f"
#define NUMBERS  "arguments are arg1 to arg32"
#define VECTORS_ "arguments in vector registers are fparg1 to fparg8"
#define SIZES    "a number has 8, 16, 32 or 64 bits"
#define REALS    "a floating-point number has 32 or 64 bits"

static void right_words(void)
{
	static const struct {
		const char *text;
		size_t length;
		struct asked_value is; /* but for the name */
	} all[] = {
		{ "f@arg1", 1, { .what = ASKED_ARGUMENT, .number = 1 } },
		{ "f@arg32", 1, { .what = ASKED_ARGUMENT, .number = 32 } },
		{ "f*o@arg2/i",
		  3,
		  { .what = ASKED_ARGUMENT, .number = 2, .format = 'i', .bits = 32 } },
		{ "f@arg2/u8",
		  1,
		  { .what = ASKED_ARGUMENT, .number = 2, .format = 'u', .bits = 8 } },
		{ "f@arg2/x16",
		  1,
		  { .what = ASKED_ARGUMENT, .number = 2, .format = 'x', .bits = 16 } },
		{ "f@arg2/i32",
		  1,
		  { .what = ASKED_ARGUMENT, .number = 2, .format = 'i', .bits = 32 } },
		{ "f@arg2/i64",
		  1,
		  { .what = ASKED_ARGUMENT, .number = 2, .format = 'i', .bits = 64 } },
		{ "f@arg2/c",
		  1,
		  { .what = ASKED_ARGUMENT, .number = 2, .format = 'c', .bits = 8 } },
		{ "f@arg2/s",
		  1,
		  { .what = ASKED_ARGUMENT, .number = 2, .format = 's', .bits = 64 } },
		{ "f@arg2/f",
		  1,
		  { .what = ASKED_ARGUMENT, .number = 2, .format = 'f', .bits = 64 } },
		{ "f@arg2/f32",
		  1,
		  { .what = ASKED_ARGUMENT, .number = 2, .format = 'f', .bits = 32 } },
		{ "f@fparg8", 1, { .what = ASKED_FLOAT, .number = 8, .format = 'f', .bits = 64 } },
		{ "f@fparg1/f32",
		  1,
		  { .what = ASKED_FLOAT, .number = 1, .format = 'f', .bits = 32 } },
		{ "f@retval", 1, { .what = ASKED_RESULT } },
		{ "f@retval/x64", 1, { .what = ASKED_RESULT, .format = 'x', .bits = 64 } },
		{ "a@b@arg3", 3, { .what = ASKED_ARGUMENT, .number = 3 } },
	};
	struct asked_value got[ASKED_MOST];
	uint32_t n;

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		const struct asked_value *want = &all[i].is;
		bool is;

		CU_ASSERT_PTR_NULL(asked_values(all[i].text, got, &n));
		CU_ASSERT_EQUAL(n, 1);
		CU_ASSERT(got[0].name == all[i].text && got[0].length == all[i].length);
		is = got[0].what == want->what && got[0].number == want->number &&
		     got[0].bits == want->bits && got[0].format == want->format;
		if (!is)
			printf("# %s\n", all[i].text);
		CU_ASSERT(is);
	}
}

static void wrong_words(void)
{
	static const char *const all[][2] = {
		{ "", NEEDED },           { "f", NEEDED },          { "@arg1", NEEDED },
		{ "f@", NEEDED },         { "f@arg", NEEDED },      { "f@art1", NEEDED },
		{ "f@retva", NEEDED },    { "f@fp", NEEDED },       { "f@fparg", NEEDED },
		{ "f@arg0", NUMBERS },    { "f@arg33", NUMBERS },   { "f@arg4294967297", NUMBERS },
		{ "f@argx", NUMBERS },    { "f@fparg9", VECTORS_ }, { "f@arg1x", FORMATS },
		{ "f@arg1/", FORMATS },   { "f@arg1/d", FORMATS },  { "f@retvals", FORMATS },
		{ "f@retval/", FORMATS }, { "f@arg1/i0", SIZES },   { "f@arg1/i7", SIZES },
		{ "f@arg1/u128", SIZES }, { "f@arg1/x8x", SIZES },  { "f@arg1/x-8", SIZES },
		{ "f@arg1/c8", SIZES },   { "f@arg1/s64", SIZES },  { "f@arg1/f16", REALS },
		{ "f@arg1/f64x", REALS }, { "f@fparg1/f8", REALS },
	};
	struct asked_value got[ASKED_MOST];
	uint32_t n;

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		const char *why = asked_values(all[i][0], got, &n);

		CU_ASSERT_PTR_NOT_NULL_FATAL(why);
		if (strcmp(why, all[i][1]) != 0)
			printf("# %s: %s\n", all[i][0], why);
		CU_ASSERT_STRING_EQUAL(why, all[i][1]);
		CU_ASSERT_EQUAL(n, 0);
	}
}

static void lists(void)
{
	struct asked_value got[ASKED_MOST];
	char text[400] = "";
	uint32_t n = 7;

	CU_ASSERT_PTR_NULL(asked_values(NULL, got, &n));
	CU_ASSERT_EQUAL(n, 0);
	CU_ASSERT_PTR_NULL(asked_values("f@arg1+g@retval/s+hh@fparg2", got, &n));
	CU_ASSERT_EQUAL(n, 3);
	CU_ASSERT(got[1].what == ASKED_RESULT && got[1].length == 1 && *got[1].name == 'g');
	CU_ASSERT(got[2].what == ASKED_FLOAT && got[2].length == 2 && *got[2].name == 'h');
	/* Values in front of a wrong one are kept. */
	CU_ASSERT_STRING_EQUAL(asked_values("f@arg1+", got, &n), NEEDED);
	CU_ASSERT_EQUAL(n, 1);
	CU_ASSERT_STRING_EQUAL(asked_values("f@arg1++g@arg1", got, &n), NEEDED);
	CU_ASSERT_EQUAL(n, 1);
	for (int i = 0; i < 32; i++)
		strcat(text, i ? "+f@arg1" : "f@arg1");
	CU_ASSERT_PTR_NULL(asked_values(text, got, &n));
	CU_ASSERT_EQUAL(n, 32);
	strcat(text, "+f@arg1");
	CU_ASSERT_STRING_EQUAL(asked_values(text, got, &n), "at most 32 values");
	CU_ASSERT_EQUAL(n, 32);
}

/* ---- places ---------------------------------------------------------------------------------- */

#define INT                                                   \
	{                                                     \
		.kind = VALUE_SIGNED, .general = 1, .size = 4 \
	}
#define LONG                                                    \
	{                                                       \
		.kind = VALUE_UNSIGNED, .general = 1, .size = 8 \
	}
#define BYTE                                                \
	{                                                   \
		.kind = VALUE_CHAR, .general = 1, .size = 1 \
	}
#define TEXT                                                \
	{                                                   \
		.kind = VALUE_TEXT, .general = 1, .size = 8 \
	}
#define POINTER                                                \
	{                                                      \
		.kind = VALUE_POINTER, .general = 1, .size = 8 \
	}
#define REAL                                                \
	{                                                   \
		.kind = VALUE_FLOAT, .vector = 1, .size = 8 \
	}
#define SMALL                                               \
	{                                                   \
		.kind = VALUE_FLOAT, .vector = 1, .size = 4 \
	}
#define LONGEST                                                 \
	{                                                       \
		.kind = VALUE_FLOAT, .memory = true, .size = 16 \
	}
#define QUAD                                                 \
	{                                                    \
		.kind = VALUE_FLOAT, .vector = 1, .size = 16 \
	}
#define PAIR                                                  \
	{                                                     \
		.kind = VALUE_OTHER, .general = 2, .size = 16 \
	}
#define MIXED                                                              \
	{                                                                  \
		.kind = VALUE_OTHER, .general = 1, .vector = 1, .size = 16 \
	}
#define LARGE                                                   \
	{                                                       \
		.kind = VALUE_OTHER, .memory = true, .size = 20 \
	}
#define EMPTY                       \
	{                           \
		.kind = VALUE_OTHER \
	}
#define UNKNOWN                                                 \
	{                                                       \
		.kind = VALUE_OTHER, .unknown = true, .size = 8 \
	}
#define HUGE_                                                      \
	{                                                          \
		.kind = VALUE_OTHER, .memory = true, .size = 70000 \
	}

extern void __lsan_disable(void) __attribute__((weak));
extern void __lsan_enable(void) __attribute__((weak));

/* The library keeps each text: other threads may still use it. */
static const char *set(const char *asked)
{
	const char *why;

	if (__lsan_disable)
		__lsan_disable();
	why = values_set(asked, strlen(asked));
	if (__lsan_enable)
		__lsan_enable();
	return why;
}

static struct call_values values_here(const char *asked, const struct signature *s)
{
	struct call_values v;

	CU_ASSERT_PTR_NULL(set(asked));
	CU_ASSERT(values_of("f(int)", "f(int)", s, &v));
	return v;
}

static bool is_value(const struct given_value *g, struct given_value want, const char *what)
{
	bool is = g->place == want.place && g->number == want.number && g->format == want.format &&
		  g->bits == want.bits;

	if (!is)
		printf("# %s: place %d, number %d, format %c, bits %d\n", what, g->place, g->number,
		       g->format ? g->format : '-', g->bits);
	return is;
}

/* The last argument of those. */
static void arguments(void)
{
	static const struct {
		struct signature s;
		struct given_value is;
	} all[] = {
		{ { .parameter = { INT }, .n = 1 }, { GIVEN_GENERAL, 'i', 32, 0 } },
		{ { .parameter = { INT, LONG }, .n = 2 }, { GIVEN_GENERAL, 'u', 64, 1 } },
		{ { .parameter = { REAL, BYTE }, .n = 2 }, { GIVEN_GENERAL, 'c', 8, 0 } },
		{ { .parameter = { INT, REAL, SMALL }, .n = 3 }, { GIVEN_VECTOR, 'f', 32, 1 } },
		{ { .parameter = { PAIR, TEXT }, .n = 2 }, { GIVEN_GENERAL, 's', 64, 2 } },
		{ { .parameter = { MIXED, POINTER }, .n = 2 }, { GIVEN_GENERAL, 'x', 64, 1 } },
		{ { .parameter = { MIXED, REAL }, .n = 2 }, { GIVEN_VECTOR, 'f', 64, 1 } },
		{ { .parameter = { INT, PAIR }, .n = 2 }, { GIVEN_GENERAL, 'v', 64, 1 } },
		{ { .parameter = { EMPTY, INT }, .n = 2 }, { GIVEN_GENERAL, 'i', 32, 0 } },
		{ { .parameter = { INT, EMPTY }, .n = 2 }, { GIVEN_NOWHERE, 'v', 0, 0 } },
		/* The result's address is the first. */
		{ { .result = LARGE, .parameter = { INT }, .n = 1 },
		  { GIVEN_GENERAL, 'i', 32, 1 } },
		{ { .result = LONGEST, .parameter = { INT }, .n = 1 },
		  { GIVEN_GENERAL, 'i', 32, 0 } },
		/* Six registers; a pair that does not fit leaves the last to a later one. */
		{ { .parameter = { INT, INT, INT, INT, INT, INT }, .n = 6 },
		  { GIVEN_GENERAL, 'i', 32, 5 } },
		{ { .parameter = { INT, INT, INT, INT, INT, INT, INT }, .n = 7 },
		  { GIVEN_STACK, 'i', 32, 0 } },
		{ { .parameter = { INT, INT, INT, INT, INT, INT, BYTE, LONG }, .n = 8 },
		  { GIVEN_STACK, 'u', 64, 8 } },
		{ { .parameter = { INT, INT, INT, INT, INT, PAIR, LONG }, .n = 7 },
		  { GIVEN_GENERAL, 'u', 64, 5 } },
		{ { .parameter = { INT, INT, INT, INT, INT, PAIR, LONG, LONG }, .n = 8 },
		  { GIVEN_STACK, 'u', 64, 16 } },
		{ { .parameter = { REAL, REAL, REAL, REAL, REAL, REAL, REAL, REAL }, .n = 8 },
		  { GIVEN_VECTOR, 'f', 64, 7 } },
		{ { .parameter = { REAL, REAL, REAL, REAL, REAL, REAL, REAL, REAL, SMALL },
		    .n = 9 },
		  { GIVEN_STACK, 'f', 32, 0 } },
		/* The stack is in words, and the largest real number is aligned. */
		{ { .parameter = { LARGE, LARGE }, .n = 2 }, { GIVEN_STACK, 'v', 64, 24 } },
		{ { .parameter = { LONGEST }, .n = 1 }, { GIVEN_STACK, 'f', 80, 0 } },
		{ { .parameter = { LARGE, LONGEST }, .n = 2 }, { GIVEN_STACK, 'f', 80, 32 } },
		{ { .parameter = { LARGE, LONGEST, LARGE }, .n = 3 },
		  { GIVEN_STACK, 'v', 64, 48 } },
		{ { .parameter = { QUAD }, .n = 1 }, { GIVEN_NOWHERE, 'f', 0, 0 } },
		/* Nothing is known behind what is not. */
		{ { .parameter = { UNKNOWN }, .n = 1 }, { GIVEN_NOWHERE, 'v', 64, 0 } },
		{ { .parameter = { UNKNOWN, INT }, .n = 2 }, { GIVEN_NOWHERE, 'i', 32, 0 } },
		{ { .parameter = { HUGE_ }, .n = 1 }, { GIVEN_STACK, 'v', 64, 0 } },
		{ { .parameter = { HUGE_, INT }, .n = 2 }, { GIVEN_NOWHERE, 'i', 32, 0 } },
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		char asked[20], what[20];
		struct call_values v;

		snprintf(asked, sizeof(asked), "f@arg%u", all[i].s.n);
		snprintf(what, sizeof(what), "case %zu", i);
		v = values_here(asked, &all[i].s);
		CU_ASSERT(v.n == 1 && !v.has_result);
		CU_ASSERT(is_value(&v.argument[0], all[i].is, what));
	}
}

static void results(void)
{
	static const struct {
		struct passed_type type;
		struct given_value is;
	} all[] = {
		{ INT, { GIVEN_RESULT, 'i', 32, 0 } },
		{ TEXT, { GIVEN_RESULT, 's', 64, 0 } },
		{ REAL, { GIVEN_VECTOR, 'f', 64, 0 } },
		{ MIXED, { GIVEN_RESULT, 'v', 64, 0 } },
		{ LARGE, { GIVEN_NOWHERE, 'v', 64, 0 } },
		{ LONGEST, { GIVEN_NOWHERE, 'f', 0, 0 } },
		{ UNKNOWN, { GIVEN_NOWHERE, 'v', 64, 0 } },
	};
	struct signature nothing = { .n = 0 };
	struct call_values v;

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		struct signature s = { .result = all[i].type };

		v = values_here("f@retval", &s);
		CU_ASSERT(v.has_result && !v.n);
		CU_ASSERT(is_value(&v.result, all[i].is, "result"));
	}
	/* A function without a result has nothing. */
	CU_ASSERT_FALSE(values_of("f", "f", &nothing, &v));
	v = values_here("f@retval", NULL);
	CU_ASSERT(v.has_result &&
		  is_value(&v.result, (struct given_value){ GIVEN_RESULT, 'i', 32, 0 },
			   "result of an unknown type"));
}

/* Where nothing is known of the function, and where the option says more. */
static void by_option(void)
{
	static const struct {
		const char *asked;
		struct given_value is;
	} all[] = {
		{ "f@arg1", { GIVEN_GENERAL, 'i', 32, 0 } },
		{ "f@arg6/x64", { GIVEN_GENERAL, 'x', 64, 5 } },
		{ "f@arg7/u8", { GIVEN_STACK, 'u', 8, 0 } },
		{ "f@arg9/s", { GIVEN_STACK, 's', 64, 16 } },
		{ "f@arg32/s", { GIVEN_STACK, 's', 64, 200 } },
		{ "f@fparg1", { GIVEN_VECTOR, 'f', 64, 0 } },
		{ "f@fparg8/f32", { GIVEN_VECTOR, 'f', 32, 7 } },
		{ "f@arg2/f32", { GIVEN_VECTOR, 'f', 32, 1 } },
		{ "f@arg9/f", { GIVEN_NOWHERE, 'f', 64, 0 } },
	};
	static const struct signature s = { .parameter = { LONG, INT }, .n = 2 };
	struct call_values v;

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		v = values_here(all[i].asked, NULL);
		CU_ASSERT_EQUAL(v.n, 1);
		CU_ASSERT(is_value(&v.argument[0], all[i].is, all[i].asked));
	}
	v = values_here("f@retval/f32", NULL);
	CU_ASSERT(is_value(&v.result, (struct given_value){ GIVEN_VECTOR, 'f', 32, 0 },
			   "real result"));
	/* The place is that of its type, the format the requested one; an argument that it has not
	 * is nowhere. */
	v = values_here("f@arg2/x8+f@arg3+f@fparg1", &s);
	CU_ASSERT_EQUAL(v.n, 3);
	CU_ASSERT(
		is_value(&v.argument[0], (struct given_value){ GIVEN_GENERAL, 'x', 8, 1 }, "arg2"));
	CU_ASSERT(is_value(&v.argument[1], (struct given_value){ GIVEN_NOWHERE, 'i', 32, 0 },
			   "arg3"));
	CU_ASSERT(is_value(&v.argument[2], (struct given_value){ GIVEN_VECTOR, 'f', 64, 0 },
			   "fparg1"));
}

/* Functions by their names, and those whose parameters the compiler changed. */
static void functions(void)
{
	static const char nine[] = "f@arg1+f@arg2+f@arg3+f@arg4+f@arg5+f@arg6+f@arg7+f@arg8+f@arg9";
	struct signature s = { .parameter = { INT, INT }, .n = 2 };
	struct call_values v;

	CU_ASSERT_PTR_NULL(set("f@arg1+g*@retval"));
	CU_ASSERT(values_have_results());
	CU_ASSERT(values_ask("f(int)") && values_ask("f") && values_ask("go(long)"));
	CU_ASSERT(!values_ask("ff") && !values_ask("h(f)"));
	CU_ASSERT(values_of("f(int)", "f(int)", &s, &v));
	CU_ASSERT(v.n == 1 && !v.has_result);
	CU_ASSERT_STRING_EQUAL(v.name, "f");
	CU_ASSERT_FALSE(values_of("h", "h", &s, &v));
	CU_ASSERT_FALSE(values_of("f", "f.isra.0", &s, &v));
	CU_ASSERT_FALSE(values_of("f", "f.constprop.1", NULL, &v));
	CU_ASSERT_FALSE(values_of("f", "f.part.0", NULL, &v));
	CU_ASSERT(values_of("f", "f.cold", NULL, &v));
	s.changed = true;
	CU_ASSERT_FALSE(values_of("f", "f", &s, &v));
	s.changed = false;
	CU_ASSERT_PTR_NULL(set(nine));
	CU_ASSERT_FALSE(values_have_results());
	CU_ASSERT(values_of("f", "f", &s, &v));
	CU_ASSERT_EQUAL(v.n, GIVEN_MOST);
	CU_ASSERT_STRING_EQUAL(set("f@arg0"), NUMBERS);
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
		{ "right_words", right_words },
		{ "wrong_words", wrong_words },
		{ "lists", lists },
		{ "arguments", arguments },
		{ "results", results },
		{ "by_option", by_option },
		{ "functions", functions },
		{},
	};

	return unit_run("given_values", ON_THIS ? tests : none);
}
