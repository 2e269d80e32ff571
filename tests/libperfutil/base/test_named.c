// SPDX-License-Identifier: GPL-3.0-or-later
/* Declarations of named events: which are right, what is wrong with the others, and where. */
#include "base/named.h"
#include "unit.h"

static struct named_fields fields;
static size_t at;

static const char *wrong(const char *text)
{
	/* A buffer of exactly that length: a sanitizer reports a read of the next byte. */
	size_t length = strlen(text);
	static char *copy;

	free(copy);
	copy = malloc(length + !length);
	memcpy(copy, text, length);
	return named_fields_wrong(copy, length, &fields, &at);
}

static void test_right(void)
{
	CU_ASSERT_PTR_NULL(wrong("number:u64, amount:i32:cents ,who:str,at:ptr:"));
	CU_ASSERT_EQUAL(fields.count, 4);
	CU_ASSERT_EQUAL(fields.ints, 3);
	CU_ASSERT_EQUAL(fields.strs, 1);
	CU_ASSERT_EQUAL(fields.field[0].kind, NAMED_UNSIGNED);
	CU_ASSERT_EQUAL(fields.field[1].kind, NAMED_SIGNED);
	CU_ASSERT_EQUAL(fields.field[2].kind, NAMED_STRING);
	CU_ASSERT_EQUAL(fields.field[3].kind, NAMED_HEX);
	CU_ASSERT_EQUAL(fields.field[0].name_length, 6);
	CU_ASSERT(!memcmp(fields.field[0].name, "number", 6));
	CU_ASSERT_EQUAL(fields.field[1].type_length, 3);
	CU_ASSERT(!memcmp(fields.field[1].type, "i32", 3));
	CU_ASSERT_EQUAL(fields.field[3].unit_length, 0);
	CU_ASSERT_PTR_NULL(wrong(""));
	CU_ASSERT_EQUAL(fields.count, 0);
	CU_ASSERT_PTR_NULL(wrong(" "));
	CU_ASSERT_PTR_NULL(wrong("a:u8,b:u16,c:u32,d:i8,e:i16,f:i64,g:hex,h:bool,i:f64:per second,"
				 "j:enum:one"));
	CU_ASSERT_EQUAL(fields.field[7].kind, NAMED_BOOL);
	CU_ASSERT_EQUAL(fields.field[8].kind, NAMED_DOUBLE);
	CU_ASSERT_EQUAL(fields.field[9].kind, NAMED_ENUM);
	CU_ASSERT_EQUAL(fields.ints, 10);
	CU_ASSERT_PTR_NULL(named_name_wrong("_a.b-C9", 7));
}

static void test_wrong(void)
{
	static const struct {
		const char *text, *why;
		size_t at;
	} all[] = {
		{ "number", "without a type", 6 },
		{ "number:", "a type that is none", 7 },
		{ "number:u65", "a type that is none", 7 },
		{ "number:u6", "a type that is none", 7 },
		{ "number:u641", "a type that is none", 7 },
		{ "9number:u64", "a field's name", 0 },
		{ "a:u64,", "a field's name", 6 },
		{ ",a:u64", "a field's name", 0 },
		{ "a-b:u64", "without a type", 1 },
		{ "\033[31m:u64", "a field's name", 0 },
		{ "a:u64:\033", "printable", 6 },
		{ "a:u64:\303\251", "printable", 6 },
		{ "a:u64:x\"", "printable", 7 },
		{ "a:u64:x:y", "printable", 7 },
		{ "a:u64 b:u64", "followed by a comma", 6 },
		{ "a:u64, a:str", "two fields with the same name", 7 },
		{ "a:enum", "names of its values", 6 },
		{ "a:enum:|b", "names of its values", 9 },
		{ "a:enum:b||c", "names of its values", 11 },
		{ "a:enum:b|", "names of its values", 9 },
		{ "a:enum:b c", "names of its values", 10 },
	};
	char text[PITRACE_NAMED_TEXT + 64], name[80];
	size_t used = 0;

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		const char *why = wrong(all[i].text);

		CU_ASSERT_PTR_NOT_NULL_FATAL(why);
		CU_ASSERT_PTR_NOT_NULL(strstr(why, all[i].why));
		CU_ASSERT_EQUAL(at, all[i].at);
	}
	for (int i = 0; i < PITRACE_NAMED_FIELDS; i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "f%d:u8,", i);
	text[used - 1] = 0;
	CU_ASSERT_PTR_NULL(wrong(text));
	CU_ASSERT_EQUAL(fields.count, PITRACE_NAMED_FIELDS);
	strcpy(text + used - 1, ",last:u8");
	CU_ASSERT_PTR_NOT_NULL(strstr(wrong(text), "more than 32 fields"));
	memset(text, 'x', sizeof(text));
	CU_ASSERT_PTR_NOT_NULL(
		strstr(named_fields_wrong(text, PITRACE_NAMED_TEXT + 1, &fields, &at), "2048"));
	memset(name, 'n', sizeof(name));
	memcpy(text, name, 65);
	strcpy(text + 65, ":u8");
	CU_ASSERT_PTR_NOT_NULL(strstr(wrong(text), "longer than 64"));
	CU_ASSERT_PTR_NULL(wrong(text + 1));
	strcpy(text, "a:u8:");
	memcpy(text + 5, name, 65);
	text[70] = 0;
	CU_ASSERT_PTR_NOT_NULL(strstr(wrong(text), "a unit of more than 64"));
	text[69] = 0;
	CU_ASSERT_PTR_NULL(wrong(text));
	CU_ASSERT_PTR_NOT_NULL(named_name_wrong("", 0));
	CU_ASSERT_PTR_NOT_NULL(named_name_wrong(name, 65));
	CU_ASSERT_PTR_NULL(named_name_wrong(name, 64));
	CU_ASSERT_PTR_NOT_NULL(named_name_wrong("a b", 3));
	CU_ASSERT_PTR_NOT_NULL(named_name_wrong("-a", 2));
	CU_ASSERT_PTR_NOT_NULL(named_name_wrong("a\0b", 3));
}

static void test_values(void)
{
	size_t length = 0;
	const char *p;

	CU_ASSERT_PTR_NULL(wrong("state:enum:idle|busy|9.x,n:u8"));
	p = named_value(&fields.field[0], 0, &length);
	CU_ASSERT(p && length == 4 && !memcmp(p, "idle", 4));
	p = named_value(&fields.field[0], 2, &length);
	CU_ASSERT(p && length == 3 && !memcmp(p, "9.x", 3));
	CU_ASSERT_PTR_NULL(named_value(&fields.field[0], 3, &length));
	CU_ASSERT_PTR_NULL(named_value(&fields.field[0], UINT64_MAX, &length));
}

static void test_patterns(void)
{
	CU_ASSERT(named_wanted("order_done", "order_done"));
	CU_ASSERT(!named_wanted("order_done", "order_don"));
	CU_ASSERT(!named_wanted("order_don", "order_done"));
	CU_ASSERT(named_wanted("order*", "order"));
	CU_ASSERT(named_wanted("*done", "order_done"));
	CU_ASSERT(named_wanted("o*r*e", "order_done"));
	CU_ASSERT(!named_wanted("o*r*x", "order_done"));
	CU_ASSERT(named_wanted("????", "tick"));
	CU_ASSERT(!named_wanted("???", "tick"));
	CU_ASSERT(named_wanted("io*,tick", "tick"));
	CU_ASSERT(named_wanted("io*,tick", "io_read"));
	CU_ASSERT(!named_wanted("io*,tick", "ticks"));
	CU_ASSERT(!named_wanted("", "tick"));
	CU_ASSERT(named_wanted("*", "tick"));
	/* Quadratic at most. */
	CU_ASSERT(
		!named_wanted("*a*a*a*a*a*a*a*a*a*a*a*a*b",
			      "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"));
}

int main(void)
{
	static const struct unit_test tests[] = {
		{ "right", test_right },       { "wrong", test_wrong }, { "values", test_values },
		{ "patterns", test_patterns }, { NULL, NULL },
	};

	return unit_run("named", tests);
}
