/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The list of a trace's faults: each once, in order, and how many more there are. */
#include <stdlib.h>
#include <string.h>

#include "report/report.h"
#include "unit.h"

static const struct pifile_fault given[] = {
	{ 8, "first" }, { 8, "second" }, { 9, "first" },
	{ 8, "first" }, { 9, "first" },  { 10, "last" },
};
enum { GIVEN = sizeof(given) / sizeof(*given) };

static void check(const struct pifile_fault *list, size_t n, const char *want)
{
	char have[200] = "";

	for (size_t i = 0; i < n; i++)
		snprintf(have + strlen(have), sizeof(have) - strlen(have), "%llu %s, ",
			 (unsigned long long)list[i].offset, list[i].what);
	CU_ASSERT_STRING_EQUAL(have, want);
	if (strcmp(have, want) != 0)
		printf("# %s\n", have);
}

static void distinct(void)
{
	static const char *const want[] = {
		"",
		"8 first, ",
		"8 first, 8 second, ",
		"8 first, 8 second, 9 first, ",
		"8 first, 8 second, 9 first, ",
		"8 first, 8 second, 9 first, ",
		"8 first, 8 second, 9 first, 10 last, ",
	};

	for (size_t n = 0; n <= GIVEN; n++) {
		/* Memory that ends with them. */
		struct pifile_fault *list = malloc(n * sizeof(*list) + 1), *out;
		size_t count;

		out = malloc(n * sizeof(*out) + 1);
		CU_ASSERT_FATAL(list && out);
		memcpy(list, given, n * sizeof(*list));
		count = damage_distinct(list, n, out);
		CU_ASSERT(count <= n);
		check(out, count, want[n]);
		free(list);
		free(out);
	}
}

/* ---- what a job gets ------------------------------------------------------------------------- */

static struct pifile_fault many[70];
static size_t read_faults;

static size_t faults_of(const struct input *in, const struct pifile_fault **list)
{
	(void)in;
	*list = many;
	return read_faults;
}

static const struct reader reader = { .name = "test", .faults = faults_of };
static struct options options;
static struct input input = { .name = "x", .reader = &reader };
static struct trace trace;
static struct model model;
static struct stacks stacks;
static struct job job;

static struct pifile_fault *gather(size_t faults)
{
	struct pifile_fault *room = NULL;

	read_faults = faults;
	for (size_t i = 0; i < sizeof(many) / sizeof(*many); i++)
		many[i] = (struct pifile_fault){ i / 2, "wrong" };
	job = (struct job){ .options = &options,
			    .input = &input,
			    .trace = &trace,
			    .model = &model,
			    .stacks = &stacks };
	CU_ASSERT_EQUAL(damage_gather(&job, &room), 0);
	CU_ASSERT_PTR_EQUAL(room, job.fault);
	return room;
}

static void gathered(void)
{
	free(gather(0));
	CU_ASSERT(!job.nfaults && !job.more_faults);
	free(gather(3));
	CU_ASSERT(job.nfaults == 2 && !job.more_faults);
	free(gather(64));
	CU_ASSERT(job.nfaults == 32 && !job.more_faults);
	free(gather(70));
	CU_ASSERT(job.nfaults == 32 && job.more_faults == 6);
}

/* The trace's own: malformed records, of which the first is in the list, and calls without room. */
static void of_the_trace(void)
{
	struct pifile_fault *room;

	trace.malformed = 1;
	trace.first_malformed = (struct pifile_fault){ 77, "malformed" };
	room = gather(1);
	CU_ASSERT(!job.more_faults);
	check(room, job.nfaults, "0 wrong, 77 malformed, ");
	free(room);
	trace.malformed = 4;
	stacks.calls.refused = 5;
	room = gather(66);
	CU_ASSERT_EQUAL(job.more_faults, 2 + 3);
	CU_ASSERT_EQUAL_FATAL(job.nfaults, 34);
	check(room + 31, 2, "31 wrong, 77 malformed, ");
	CU_ASSERT(room[33].offset == NO_OFFSET &&
		  !strncmp(room[33].what, "5 calls that the tree", 21));
	free(room);
	trace.malformed = stacks.calls.refused = 0;
}

/* ---- what is said ---------------------------------------------------------------------------- */

static char *said(size_t faults, bool verbose)
{
	static char text[1000];
	FILE *to = tmpfile(), *was = stderr;
	struct pifile_fault *room = gather(faults);
	size_t n;

	CU_ASSERT_PTR_NOT_NULL_FATAL(to);
	options.verbose = verbose;
	stderr = to;
	damage_print(&job);
	stderr = was;
	rewind(to);
	n = fread(text, 1, sizeof(text) - 1, to);
	text[n] = '\0';
	fclose(to);
	free(room);
	return text;
}

static int lines(const char *text)
{
	int n = 0;

	for (; *text; text++)
		n += *text == '\n';
	return n;
}

static void printed(void)
{
	char *text;

	trace.records = 0;
	CU_ASSERT_EQUAL(lines(said(0, false)), 0);
	CU_ASSERT_EQUAL(lines(said(1, false)), 1);
	CU_ASSERT_EQUAL(lines(said(6, false)), 3);
	text = said(7, false);
	CU_ASSERT(lines(text) == 4 && strstr(text, "and 1 more faults"));
	text = said(14, false);
	CU_ASSERT(lines(text) == 4 && strstr(text, "and 4 more faults"));
	CU_ASSERT_EQUAL(lines(said(8, true)), 4);
	text = said(70, false);
	CU_ASSERT(lines(text) == 4 && strstr(text, "and 35 more faults"));
	trace.records = 12;
	CU_ASSERT_EQUAL(lines(said(0, false)), 0);
	text = said(3, false);
	CU_ASSERT(lines(text) == 3 && strstr(text, "12 records were read all the same"));
	trace.records = 0;
}

int main(void)
{
	static const struct unit_test tests[] = {
		{ "distinct", distinct },
		{ "gathered", gathered },
		{ "of_the_trace", of_the_trace },
		{ "printed", printed },
		{},
	};

	return unit_run("damage_list", tests);
}
