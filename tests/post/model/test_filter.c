/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Users' selections of records: numbers, ranges, times, patterns; at each limit. */
#include <errno.h>

#include "model/filter.h"
#include "model/trace_names.h"
#include "unit.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Returns the ranges with their ends, one after another; "no": invalid. */
static const char *numbers(const char *text)
{
	static char room[200];
	struct filter f = { .timed = false };
	size_t n = 0;
	int rc = filter_numbers(text, &f.pid);

	for (uint32_t i = 0; i < f.pid.count && !rc; i++)
		n += (size_t)snprintf(room + n, sizeof(room) - n, "%s%llu-%llu", i ? " " : "",
				      (unsigned long long)f.pid.range[i].from,
				      (unsigned long long)f.pid.range[i].to);
	filter_free(&f);
	return rc ? "no" : room;
}

static void lists(void)
{
	static const char *const cases[][2] = {
		{ "7", "7-7" },
		{ "0", "0-0" },
		{ "7,9", "7-7 9-9" },
		{ "9,7,8", "7-9" },
		{ "5-9,1-6,7", "1-9" },
		{ "0-4294967295,7", "0-4294967295" },
		{ "7-9", "7-9" },
		{ "9-9", "9-9" },
		{ "4242,5000-5010,1", "1-1 4242-4242 5000-5010" },
		{ "4294967295", "4294967295-4294967295" },
		{ "4294967296", "no" },
		{ "7,99999999999", "no" },
		{ "5-4294967296", "no" },
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
	char text[12 * 1000] = "", *end = text;

	for (size_t i = 0; i < COUNT(cases); i++)
		CU_ASSERT_STRING_EQUAL(numbers(cases[i][0]), cases[i][1]);
	/* As many as one likes, given twice, too. */
	for (int i = 0; i < 1000; i++)
		end += sprintf(end, "%s%d", i ? "," : "", (i * 7 % 1000) * 2);
	CU_ASSERT_EQUAL(filter_numbers(text, &list), 0);
	CU_ASSERT_EQUAL(list.count, 1000);
	CU_ASSERT_EQUAL(filter_numbers("1-1997,5000", &list), 0);
	CU_ASSERT_EQUAL(list.count, 2);
	CU_ASSERT(list.range[0].from == 0 && list.range[0].to == 1998);
	CU_ASSERT(list.range[1].from == 5000 && list.range[1].to == 5000);
	free(list.range);
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
		CU_ASSERT_EQUAL(filter_time(good[i].text, &f), 0);
		CU_ASSERT(f.timed);
		CU_ASSERT_EQUAL(f.from, good[i].from);
		CU_ASSERT_EQUAL(f.to, good[i].to);
	}
	for (size_t i = 0; i < COUNT(bad); i++) {
		if (!filter_time(bad[i], &f))
			printf("# taken: %s\n", bad[i]);
		CU_ASSERT_NOT_EQUAL(filter_time(bad[i], &f), 0);
	}
	CU_ASSERT_EQUAL(filter_time("2-1", &f), -ERANGE);
	CU_ASSERT_EQUAL(filter_time("2-x", &f), -EINVAL);
}

static void symbols(void)
{
	static const struct {
		const char *wanted, *name, *raw;
		bool passes;
	} cases[] = {
		{ NULL, "main", NULL, true },
		{ "main", "main", NULL, true },
		{ "main", "mains", NULL, false },
		{ "main", "mai", NULL, false },
		{ "ma*", "main", NULL, true },
		{ "m??n", "main", NULL, true },
		{ "m?n", "main", NULL, false },
		{ "a,main", "main", NULL, true },
		{ "main,a", "main", NULL, true },
		{ "a,b", "main", NULL, false },
		{ "a,", "main", NULL, false },
		{ "f(int, char)", "f(int, char)", NULL, true },
		{ "f(int, char)", "f(int", NULL, true },
		{ "operator[]", "operator[]", NULL, true },
		{ "operator[]", "operator[](int)", NULL, true },
		{ "make", "make[abi:cxx11](int)", NULL, true },
		{ "a,make", "make[abi:v2][abi:cxx11](int) const", NULL, true },
		{ "make[abi:cxx11]", "make[abi:cxx11](int)", NULL, true },
		{ "mak", "make[abi:cxx11](int)", NULL, false },
		{ "make", "make[other]", NULL, false },
		{ "make", "maker(make)", NULL, false },
		{ "_Z1fi", "f(int)", "_Z1fi", true },
		{ "_Z1f?", "f(int)", "_Z1fi", true },
		{ "_Z1fc", "f(int)", "_Z1fi", false },
	};
	char pattern[1100], name[1100];

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct filter f = { .timed = false };

		if (cases[i].wanted)
			CU_ASSERT_EQUAL(filter_symbols(cases[i].wanted, &f), 0);
		CU_ASSERT_EQUAL(filter_symbol(&f, cases[i].name, cases[i].raw), cases[i].passes);
		filter_free(&f);
	}
	/* Names of any length. */
	for (size_t n = 1022; n < 1026; n++) {
		struct filter f = { .timed = false };

		memset(pattern, 'x', n);
		strcpy(pattern + n - 1, "*,main");
		CU_ASSERT_EQUAL(filter_symbols(pattern, &f), 0);
		memset(name, 'x', n + 5);
		name[n + 5] = 0;
		CU_ASSERT(filter_symbol(&f, name, NULL));
		CU_ASSERT(filter_symbol(&f, "main", NULL));
		CU_ASSERT_FALSE(filter_symbol(&f, "mine", NULL));
		filter_free(&f);
	}
}

/* Many names, and enough patterns for answers to be cached: the second answer equals the first
 * one. */
static void many_names(void)
{
	struct filter f = { .timed = false };
	char text[40000] = "", name[32], *end = text;

	for (int i = 0; i < 1000; i++)
		end += sprintf(end, "name_%d,a%d?b*c,", i, i);
	strcpy(end, "x\\*y");
	CU_ASSERT_EQUAL(filter_symbols(text, &f), 0);
	for (int turn = 0; turn < 2; turn++) {
		for (int i = 0; i < 1000; i += 7) {
			sprintf(name, "name_%d", i);
			CU_ASSERT(filter_symbol(&f, name, NULL));
			sprintf(name, "name_%dx", i);
			CU_ASSERT_FALSE(filter_symbol(&f, name, NULL));
			sprintf(name, "a%d-b--c", i);
			CU_ASSERT(filter_symbol(&f, name, NULL));
			sprintf(name, "a%d-b--", i);
			CU_ASSERT_FALSE(filter_symbol(&f, name, NULL));
		}
		CU_ASSERT(filter_symbol(&f, "x*y", NULL));
		CU_ASSERT_FALSE(filter_symbol(&f, "xzy", NULL));
		CU_ASSERT_FALSE(filter_symbol(&f, "", NULL));
		/* Literally, and the whole name. */
		CU_ASSERT(filter_symbol(&f, "a1?b*c", NULL));
		CU_ASSERT(filter_symbol(&f, text, NULL));
	}
	/* The last one given counts. */
	CU_ASSERT_EQUAL(filter_symbols(",", &f), 0);
	CU_ASSERT(filter_symbol(&f, "", NULL));
	CU_ASSERT_FALSE(filter_symbol(&f, "name_1", NULL));
	filter_free(&f);
	CU_ASSERT(filter_symbol(&f, "name_1", NULL));
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
		struct filter f = { .timed = false };

		CU_ASSERT(!cases[i].pid || !filter_numbers(cases[i].pid, &f.pid));
		CU_ASSERT(!cases[i].tid || !filter_numbers(cases[i].tid, &f.tid));
		CU_ASSERT(!cases[i].comm || !filter_comm(cases[i].comm, &f));
		CU_ASSERT_EQUAL(filter_shows(&f, &n, 0), cases[i].first);
		CU_ASSERT_EQUAL(filter_shows(&f, &n, 1), cases[i].second);
		CU_ASSERT_EQUAL(filter_threads(&f), i != 0);
		CU_ASSERT_EQUAL(filter_wanted(&f), i != 0);
		filter_free(&f);
	}
	CU_ASSERT(filter_wanted(&(struct filter){ .timed = true }));
	CU_ASSERT(filter_wanted(&(struct filter){ .cpu = { .count = 1 } }));
	CU_ASSERT_FALSE(filter_threads(&(struct filter){ .timed = true }));
	CU_ASSERT_FALSE(filter_wanted(&(struct filter){ .symbol = "main" }));
}

int main(void)
{
	static const struct unit_test tests[] = {
		{ "lists", lists },     { "times", times },           { "symbols", symbols },
		{ "threads", threads }, { "many_names", many_names }, { NULL, NULL },
	};

	return unit_run("filter", tests);
}
