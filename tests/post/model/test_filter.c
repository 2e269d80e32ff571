/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What users say of the records that they want: numbers, ranges, times, patterns; at each limit. */
#include "model/filter.h"
#include "model/trace_names.h"
#include "unit.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* As ranges with ends, one after the other; "no": it is none. */
static const char *numbers(const char *text)
{
	static char room[200];
	struct filter_list list = { .count = 0 };
	size_t n = 0;

	if (!filter_numbers(text, &list))
		return "no";
	for (uint32_t i = 0; i < list.count; i++)
		n += (size_t)snprintf(room + n, sizeof(room) - n, "%s%llu-%llu", i ? " " : "",
				      (unsigned long long)list.range[i].from,
				      (unsigned long long)list.range[i].to);
	return room;
}

static void lists(void)
{
	static const char *const cases[][2] = {
		{ "7", "7-7" },
		{ "0", "0-0" },
		{ "7,9", "7-7 9-9" },
		{ "7-9", "7-9" },
		{ "9-9", "9-9" },
		{ "4242,5000-5010,1", "4242-4242 5000-5010 1-1" },
		{ "18446744073709551615", "18446744073709551615-18446744073709551615" },
		{ "18446744073709551616", "no" },
		{ "1-18446744073709551616", "no" },
		{ "9-8", "no" },
		{ "", "no" },
		{ ",", "no" },
		{ "7,", "no" },
		{ ",7", "no" },
		{ "7-", "no" },
		{ "-7", "no" },
		{ "7 ", "no" },
		{ " 7", "no" },
		{ "+7", "no" },
		{ "7-9-11", "no" },
		{ "7;9", "no" },
		{ "0x7", "no" },
	};
	struct filter_list list = { .count = 0 };
	char text[8 * FILTER_RANGES] = "1";

	for (size_t i = 0; i < COUNT(cases); i++)
		CU_ASSERT_STRING_EQUAL(numbers(cases[i][0]), cases[i][1]);
	for (int i = 1; i < FILTER_RANGES; i++)
		strcat(text, ",2");
	CU_ASSERT(filter_numbers(text, &list));
	CU_ASSERT_EQUAL(list.count, FILTER_RANGES);
	list.count = 0;
	strcat(text, ",2");
	CU_ASSERT_FALSE(filter_numbers(text, &list));
}

static void times(void)
{
	static const struct {
		const char *text;
		uint64_t from, to;
	} good[] = {
		{ "1-2", 1000000000, 2000000000 },
		{ "1-", 1000000000, UINT64_MAX },
		{ "-2", 0, 2000000000 },
		{ "1.5-1.5", 1500000000, 1500000000 },
		{ "0.000000001-0.123456789", 1, 123456789 },
		{ "0.1234567899-1.", 123456789, 1000000000 },
		{ "0-18446744072", 0, 18446744072000000000u },
	};
	static const char *const bad[] = { "",        "-",     "1",    "2-1",
					   "1.5-1.4", "a-2",   "1-b",  "1x-2",
					   "1-2x",    "1-2-3", ".5-1", "1-18446744073" };
	struct filter f;

	for (size_t i = 0; i < COUNT(good); i++) {
		f = (struct filter){ .timed = false };
		CU_ASSERT(filter_time(good[i].text, &f));
		CU_ASSERT(f.timed);
		CU_ASSERT_EQUAL(f.from, good[i].from);
		CU_ASSERT_EQUAL(f.to, good[i].to);
	}
	for (size_t i = 0; i < COUNT(bad); i++) {
		if (filter_time(bad[i], &f))
			printf("# taken: %s\n", bad[i]);
		CU_ASSERT_FALSE(filter_time(bad[i], &f));
	}
}

static void symbols(void)
{
	static const struct {
		const char *wanted, *name;
		bool passes;
	} cases[] = {
		{ NULL, "main", true },
		{ "main", "main", true },
		{ "main", "mains", false },
		{ "main", "mai", false },
		{ "ma*", "main", true },
		{ "m??n", "main", true },
		{ "m?n", "main", false },
		{ "a,main", "main", true },
		{ "main,a", "main", true },
		{ "a,b", "main", false },
		{ "a,", "main", false },
		{ "f(int, char)", "f(int, char)", true },
		{ "f(int, char)", "f(int", true },
		{ "operator[]", "operator[]", true },
	};
	char pattern[1100], name[1100];

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct filter f = { .symbol = cases[i].wanted };

		CU_ASSERT_EQUAL(filter_symbol(&f, cases[i].name), cases[i].passes);
	}
	/* Of any length. */
	for (size_t n = 1022; n < 1026; n++) {
		struct filter f = { .symbol = pattern };

		memset(pattern, 'x', n);
		strcpy(pattern + n - 1, "*,main");
		memset(name, 'x', n + 5);
		name[n + 5] = 0;
		CU_ASSERT(filter_symbol(&f, name));
		CU_ASSERT(filter_symbol(&f, "main"));
		CU_ASSERT_FALSE(filter_symbol(&f, "mine"));
	}
}

/* By process, thread and name, all of them together. */
static void threads(void)
{
	struct trace_process process[] = { { .pid = 10 }, { .pid = 20 } };
	struct trace_thread thread[] = {
		{ .process = 0, .tid = 10, .name = (char *)"make" },
		{ .process = 1, .tid = 21, .name = (char *)"cc1" },
	};
	struct names n = { .process = process, .thread = thread };
	static const struct {
		const char *pid, *tid, *comm;
		bool first, second;
	} cases[] = {
		{ NULL, NULL, NULL, true, true },       { "10", NULL, NULL, true, false },
		{ "11-20", NULL, NULL, false, true },   { "10-19", NULL, NULL, true, false },
		{ "9,20", NULL, NULL, false, true },    { NULL, "21", NULL, false, true },
		{ NULL, "10-20", NULL, true, false },   { NULL, NULL, "c*", false, true },
		{ NULL, NULL, "cc,make", true, false }, { "20", "10", NULL, false, false },
		{ "20", "21", "make", false, false },   { "20", "21", "cc1", false, true },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct filter f = { .comm = cases[i].comm };

		CU_ASSERT(!cases[i].pid || filter_numbers(cases[i].pid, &f.pid));
		CU_ASSERT(!cases[i].tid || filter_numbers(cases[i].tid, &f.tid));
		CU_ASSERT_EQUAL(filter_shows(&f, &n, 0), cases[i].first);
		CU_ASSERT_EQUAL(filter_shows(&f, &n, 1), cases[i].second);
		CU_ASSERT_EQUAL(filter_threads(&f), i != 0);
		CU_ASSERT_EQUAL(filter_wanted(&f), i != 0);
	}
	CU_ASSERT(filter_wanted(&(struct filter){ .timed = true }));
	CU_ASSERT(filter_wanted(&(struct filter){ .cpu = { .count = 1 } }));
	CU_ASSERT_FALSE(filter_threads(&(struct filter){ .timed = true }));
	CU_ASSERT_FALSE(filter_wanted(&(struct filter){ .symbol = "main" }));
}

int main(void)
{
	static const struct unit_test tests[] = {
		{ "lists", lists },     { "times", times }, { "symbols", symbols },
		{ "threads", threads }, { NULL, NULL },
	};

	return unit_run("filter", tests);
}
