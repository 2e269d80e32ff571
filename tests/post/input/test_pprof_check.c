/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pprof profiles whose parts refer to what does not exist, lack values or make no sense: each is a
 * fault of the part, with its place, and nothing else is lost.
 */
#include "pprof_got.h"

#define EVENT_SAMPLE (SAMPLE | 1u << PITRACE_TPROF_EVENT_SHIFT)

/* Each table has number 4, strings have 0 to 4. */
static void tables(struct message *m)
{
	head(m);
	numbers(m, PROFILE_MAPPING, 4);
	numbers(m, PROFILE_LOCATION, 4, 4, 0x1234);
	numbers(m, PROFILE_FUNCTION, 4, 4);
	sample(m, NULL, 0, 1, 1, 0, 0, 0);
}

/* The part that ends the profile, from `at` on, is a fault, unless `what` is NULL; the samples are
 * read all the same. */
static void lacks(struct message *m, size_t at, const char *what)
{
	read_profile(m, PIMERGE_TRACE);
	CU_ASSERT_EQUAL_FATAL(got->opened, 0);
	if (got->faults != (what ? 1 : 0) || (what && strcmp(got->what, what) != 0))
		printf("# %zu faults: %s; wanted: %s\n", got->faults, got->what,
		       what ? what : "none");
	CU_ASSERT_EQUAL(got->faults, what ? 1 : 0);
	CU_ASSERT_EQUAL(got->complete, !what);
	CU_ASSERT(!what || (got->fault == at && !strcmp(got->what, what)));
	CU_ASSERT(got->samples >= 1);
	free(m->data);
	*m = (struct message){ 0 };
}

/* Writes the fields that make a part valid, whatever else it contains. */
static void begin_part(struct message *of, uint32_t field)
{
	if (field == PROFILE_SAMPLE)
		bytes(of, SAMPLE_VALUE, "\1\1", 2);
	else
		number(of, 1, 1);
}

struct reference {
	uint32_t field, outer, number; /* outer: a message in between; number 0: the field itself */
	const char *what;              /* NULL: it is a number like any */
};

static void refer(const struct reference *r, uint64_t id, bool bad)
{
	struct message m = { 0 }, of = { 0 }, in = { 0 };
	char what[200];
	size_t at;

	tables(&m);
	at = m.n;
	if (!r->number) {
		number(&m, r->field, id);
	} else {
		begin_part(&of, r->field);
		number(r->outer ? &in : &of, r->number, id);
		if (r->outer)
			inner(&of, r->outer, &in);
		inner(&m, r->field, &of);
	}
	snprintf(what, sizeof(what), "%s %llu, which does not exist: left out",
		 r->what ? r->what : "", (unsigned long long)id);
	lacks(&m, at, bad ? what : NULL);
}

/* All references by number: to existing entries and to missing ones. */
static void dangling(void)
{
	static const struct reference cases[] = {
		{ PROFILE_SAMPLE, 0, SAMPLE_LOCATION, "a sample refers to location" },
		{ PROFILE_SAMPLE, SAMPLE_LABEL, LABEL_KEY, "a sample refers to string" },
		{ PROFILE_SAMPLE, SAMPLE_LABEL, LABEL_STRING, "a sample refers to string" },
		{ PROFILE_SAMPLE, SAMPLE_LABEL, LABEL_NUMBER, NULL },
		{ PROFILE_SAMPLE, SAMPLE_LABEL, LABEL_UNIT, "a sample refers to string" },
		{ PROFILE_PERIOD_TYPE, 0, VALUE_TYPE, "the period refers to string" },
		{ PROFILE_PERIOD_TYPE, 0, VALUE_UNIT, "the period refers to string" },
		{ PROFILE_MAPPING, 0, MAPPING_START, NULL },
		{ PROFILE_MAPPING, 0, MAPPING_FILE, "a mapping refers to string" },
		{ PROFILE_MAPPING, 0, MAPPING_BUILD_ID, "a mapping refers to string" },
		{ PROFILE_LOCATION, 0, LOCATION_ADDRESS, NULL },
		{ PROFILE_LOCATION, 0, LOCATION_MAPPING, "a location refers to mapping" },
		{ PROFILE_LOCATION, LOCATION_LINE, LINE_FUNCTION, "a location refers to function" },
		{ PROFILE_LOCATION, LOCATION_LINE, LINE_NUMBER, NULL },
		{ PROFILE_FUNCTION, 0, FUNCTION_NAME, "a function refers to string" },
		{ PROFILE_FUNCTION, 0, FUNCTION_RAW_NAME, "a function refers to string" },
		{ PROFILE_FUNCTION, 0, FUNCTION_FILE, "a function refers to string" },
		{ PROFILE_FUNCTION, 0, FUNCTION_FILE + 1, NULL },
		{ PROFILE_DROP_FRAMES, 0, 0, "drop_frames refers to string" },
		{ PROFILE_KEEP_FRAMES, 0, 0, "keep_frames refers to string" },
		{ PROFILE_COMMENT, 0, 0, "a comment refers to string" },
		{ PROFILE_DEFAULT_TYPE, 0, 0, "the kind of values to be shown refers to string" },
		{ PROFILE_DURATION, 0, 0, NULL },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		refer(&cases[i], 0, cases[i].number == SAMPLE_LOCATION && !i);
		refer(&cases[i], 4, false);
		refer(&cases[i], 5, cases[i].what);
		refer(&cases[i], UINT32_MAX + 5ull, cases[i].what);
		refer(&cases[i], UINT64_MAX, cases[i].what);
	}
}

/* Names of values, too; a kind more than the samples have values of would be a fault of theirs. */
static void kinds_of_values(void)
{
	for (uint64_t i = 0; i < 4; i++) {
		struct message m = { 0 };
		char what[200];

		strings(&m, kinds);
		numbers(&m, PROFILE_SAMPLE_TYPE, 4 + i % 2, 4 + i / 2);
		numbers(&m, PROFILE_SAMPLE_TYPE, 1, 2);
		sample(&m, NULL, 0, 1, 1, 0, 0, 0);
		snprintf(what, sizeof(what),
			 "a kind of values refers to string 5, which does not exist%s: left out",
			 i == 3 ? ", and to 1 more such" : "");
		read_profile(&m, PIMERGE_TRACE);
		CU_ASSERT_EQUAL(got->faults, i ? 1 : 0);
		CU_ASSERT(!i || !strcmp(got->what, what));
		CU_ASSERT_EQUAL(got->samples, 1);
		free(m.data);
	}
}

/* Missing parts of a stack are left out of it; each sample has one fault. */
static void stacks(void)
{
	static const uint64_t known[] = { 4, 4 }, some[] = { 4, 9, 4, 8, 7 }, none[] = { 9 };
	static const uint16_t depths[] = { 0, 2, 2, 0 };
	struct message m = { 0 };
	size_t at;

	tables(&m);
	sample(&m, known, 2, 1, 1, 0, 0, 0);
	at = m.n;
	sample(&m, some, 5, 1, 1, 0, 0, 0);
	sample(&m, none, 1, 1, 1, 0, 0, 0);
	read_profile(&m, PIMERGE_TRACE);
	CU_ASSERT(got->faults == 2 && got->fault == at && got->samples == 4);
	CU_ASSERT_STRING_EQUAL(got->what,
			       "a sample refers to location 9, which does not exist, and to 2 more such: left out");
	CU_ASSERT_STRING_EQUAL(got->last,
			       "a sample refers to location 9, which does not exist: left out");
	for (unsigned int i = 0; i < COUNT(depths); i++)
		CU_ASSERT_EQUAL(got->data[nth(PITRACE_TPROF, EVENT_SAMPLE, i)].stack.stack.user,
				depths[i]);
	free(m.data);
}

/* Numbers are not cut to the 32 bits that they are kept in. */
static void long_numbers(void)
{
	struct message m = { 0 };

	head(&m);
	numbers(&m, PROFILE_MAPPING, 4, 0, 0, 0, (1ull << 32) + 1, (1ull << 32) + 2);
	sample(&m, NULL, 0, 1, 1, 0, 0, 0);
	read_profile(&m, PIMERGE_MTE);
	CU_ASSERT_STRING_EQUAL(got->data[nth(PITRACE_MTE, PITRACE_MTE_MODULE, 0)].map.path,
			       "NoModule");
	CU_ASSERT_EQUAL(count_of(PITRACE_MTE, PITRACE_MTE_BUILDID), 0);
	free(m.data);
}

/* A value of each kind, no fewer, no more; those that are there count. */
static void value_counts(void)
{
	for (uint32_t n = 0; n < 70; n++) {
		struct message m = { 0 }, of = { 0 };
		char what[200];
		size_t at;

		tables(&m);
		at = m.n;
		for (uint32_t i = 0; i < n; i++)
			number(&of, SAMPLE_VALUE, 7);
		inner(&m, PROFILE_SAMPLE, &of);
		snprintf(what, sizeof(what), "a sample has %u values, the profile 2 kinds of them",
			 n);
		lacks(&m, at, n == 2 ? NULL : what);
		CU_ASSERT_EQUAL(got->samples, n ? 8 : 1);
	}
}

/* As many kinds as there is room for, and more. */
static void many_kinds(void)
{
	for (uint32_t n = 63; n < 67; n++) {
		struct message m = { 0 }, of = { 0 };
		size_t at = 0;

		strings(&m, kinds);
		for (uint32_t i = 0; i < n; i++) {
			at = i == 64 ? m.n : at;
			numbers(&m, PROFILE_SAMPLE_TYPE, 1, 2);
			number(&of, SAMPLE_VALUE, 7);
		}
		inner(&m, PROFILE_SAMPLE, &of);
		lacks(&m, at, n > 64 ? "more than 64 kinds of values: the rest is left out" : NULL);
		CU_ASSERT_EQUAL(got->samples, 7);
	}
}

/* A part, or what is in it, that is cut, and what is not a message. */
static void malformed(void)
{
	static const struct {
		uint32_t field, outer;
		const char *what;
	} cases[] = {
		{ PROFILE_SAMPLE, SAMPLE_LABEL, "a sample" },
		{ PROFILE_LOCATION, LOCATION_LINE, "a location" },
		{ PROFILE_MAPPING, 0, "a mapping" },
		{ PROFILE_FUNCTION, 0, "a function" },
		{ PROFILE_PERIOD_TYPE, 0, "the period" },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		for (unsigned int way = 0; way < (cases[i].outer ? 3 : 1); way++) {
			struct message m = { 0 }, of = { 0 };
			char what[200];
			size_t at;

			snprintf(what, sizeof(what),
				 "%s that is malformed: the rest of it is omitted", cases[i].what);
			tables(&m);
			at = m.n;
			begin_part(&of, cases[i].field);
			if (!way)
				put(&of, "\x0a\x05", 2); /* five bytes that are not there */
			else if (way == 1)
				bytes(&of, cases[i].outer, "\x08", 1);
			else
				number(&of, cases[i].outer, 1);
			inner(&m, cases[i].field, &of);
			lacks(&m, at, what);
		}
	}
}

/* Packed numbers that end within one. */
static void cut_numbers(void)
{
	static const uint32_t fields[] = { SAMPLE_LOCATION, SAMPLE_VALUE };

	for (size_t i = 0; i < COUNT(fields); i++) {
		struct message m = { 0 }, of = { 0 };
		size_t at;

		tables(&m);
		at = m.n;
		begin_part(&of, PROFILE_SAMPLE);
		bytes(&of, fields[i], "\x84", 1);
		inner(&m, PROFILE_SAMPLE, &of);
		lacks(&m, at, "a sample that is malformed: the rest of it is omitted");
		CU_ASSERT_EQUAL(got->samples, 2);
	}
}

/* Compressed, there is no place in the file to be named. */
static void packed_place(void)
{
	struct message m = { 0 }, gz;
	char what[200];

	tables(&m);
	snprintf(what, sizeof(what),
		 "at byte %zu of the unpacked data: drop_frames refers to string 5, which does not exist: left out",
		 m.n);
	number(&m, PROFILE_DROP_FRAMES, 5);
	gz = packed(&m);
	free(m.data);
	lacks(&gz, NO_OFFSET, what);
}

int main(void)
{
	static const struct unit_test tests[] = {
		{ "dangling", dangling },
		{ "kinds_of_values", kinds_of_values },
		{ "stacks", stacks },
		{ "long_numbers", long_numbers },
		{ "value_counts", value_counts },
		{ "many_kinds", many_kinds },
		{ "malformed", malformed },
		{ "cut_numbers", cut_numbers },
		{ "packed_place", packed_place },
		{ NULL, NULL },
	};
	int rc = unit_run("pprof_check", tests);

	free(got);
	return rc;
}
