/* SPDX-License-Identifier: GPL-3.0-or-later */
/* marks.out: what programs wrote themselves: pairs by name and by thread, and how many others. */
#include "report/times_report.h"

#include <inttypes.h>
#include <stdlib.h>

#define SCREEN_ROWS 15

static uint32_t by_name(const struct names *n, uint32_t thread)
{
	(void)n;
	(void)thread;
	return 0;
}

static uint32_t by_thread(const struct names *n, uint32_t thread)
{
	return n->thread[thread].group;
}

static const char *name_of(const struct job *job, const struct mark_row *r)
{
	return r->name == NO_KEY ? "" : job->model->marks.name[r->name];
}

static uint64_t pair_value(const void *rows, uint32_t i)
{
	const struct mark_row *r = (const struct mark_row *)rows + i;

	return r->name == NO_KEY ? 0 : r->time.total + 1;
}

static uint64_t other_value(const void *rows, uint32_t i)
{
	const struct mark_row *r = (const struct mark_row *)rows + i;

	return r->name == NO_KEY ? r->records : 0;
}

/* ---- columns --------------------------------------------------------------------------------- */

enum { OF_NAMES = 1, OF_PAIRS = 2, OF_OTHERS = 4, OF_ALL = 7 };

struct mark_line {
	const struct mark_row *of;
	const char *name, *shown;
	uint64_t missing;
};

#define AT(member) COLUMN_AT(struct mark_line, member)
#define OF(member) COLUMN_OF(struct mark_row, member)
#define PAIRS      .parts = OF_NAMES | OF_PAIRS
#define OTHERS     .parts = OF_OTHERS
static const struct column columns[] = {
	{ "", "THREAD", "  ", .parts = OF_PAIRS | OF_OTHERS, .text_turn = 1, OF(thread), THREAD },
	{ .title = "RECORDS", WIDE(10), OTHERS, OF(records) },
	{ .title = "MAJOR", .before = " ", WIDE(5), .as = AS_HEX, OTHERS, OF(major) },
	{ .title = "MINOR", .before = " ", WIDE(10), .as = AS_HEX, OTHERS, OF(minor) },
	{ "major", OTHERS, OF(major) },
	{ "minor", OTHERS, OF(minor) },
	{ "records", OTHERS, OF(records) },
	{ "name", PAIRS, AT(name) },
	{ "time", PAIRS, .csv_turn = 1, OF(time), SPREAD },
	{ .title = "COUNT", WIDE(10), PAIRS, OF(time.count) },
	{ .title = "NO END", WIDE(8), PAIRS, AT(missing) },
	{ .title = "TOTAL ms", MS(13), PAIRS, OF(time.total) },
	{ "self_ns", "SELF ms", MS(13), PAIRS, OF(self) },
	{ .title = "MEAN us", PAIRS, OF(time), MEAN(12) },
	{ .title = "P95 us", PAIRS, OF(time), PERCENTILE(12, 950) },
	{ .title = "MAX us", US(12), PAIRS, OF(time.max) },
	{ .title = "NAME", .before = "  ", PAIRS, AT(shown) },
	{ "open", PAIRS, OF(open) },
	{ "cut", PAIRS, OF(cut) },
	COLUMNS_END,
};
#undef AT
#undef OF

static void write_row(struct table *t, const struct mark_row *r)
{
	const char *name = name_of(t->job, r);

	table_row(t, &(struct mark_line){ r, name, *name ? name : "-", r->open + r->cut });
}

/* Pairs or others, the greatest first. */
static int write_rows(struct table *t, unsigned int part, uint32_t most)
{
	uint32_t *order, count, i;
	struct marks m;
	int rc = marks_group(&m, &t->job->model->marks, part == OF_NAMES ? by_name : by_thread);

	if (rc)
		return rc;
	rc = order_by(&order, &count, m.nrow, part == OF_OTHERS ? other_value : pair_value, m.row);
	for (i = 0; !rc && i < count && i < most; i++)
		write_row(t, &m.row[order[i]]);
	if (!rc)
		free(order);
	marks_free(&m);
	return rc;
}

static int write_table(struct table *t, unsigned int part, uint32_t most, const char *name)
{
	int rc;

	t->part = part;
	table_begin(t, columns, name);
	rc = write_rows(t, part, most);
	table_end(t);
	return rc;
}

/* ---- text ------------------------------------------------------------------------------------ */

static bool nothing(const struct job *job, FILE *out)
{
	if (job->model->marks.nrow || job->model->marks.stray)
		return false;
	fputs("\nThe trace has no records that programs wrote (TraceHook, swtrace mark). Record them with:\n"
	      "  swtrace enable user\n",
	      out);
	return true;
}

static int marks_write(const struct job *job, FILE *out)
{
	struct table t = table_text(job, out);
	int rc;

	times_head(job, out, "Marks");
	if (nothing(job, out))
		return 0;
	if (job->model->marks.stray)
		fprintf(out,
			"\n%" PRIu64 " ends without a beginning: begun before the trace, or lost\n",
			job->model->marks.stray);
	times_banner(out, "Name");
	rc = write_table(&t, OF_NAMES, UINT32_MAX, NULL);
	fputs("\nPairs of records of major 0xb0: minor 0 begins, minor 0x80 ends what has the same name (the\n"
	      "first string) in the same thread. SELF is without pairs inside. NO END: the end is missing,\n"
	      "or records were lost meanwhile; these are not in COUNT. P95 is too high by up to 1/32.\n",
	      out);
	if (!rc) {
		times_banner(out, "Thread and name");
		rc = write_table(&t, OF_PAIRS, UINT32_MAX, NULL);
	}
	if (!rc) {
		times_banner(out, "Other records");
		rc = write_table(&t, OF_OTHERS, UINT32_MAX, NULL);
	}
	return rc;
}

static int marks_screen(const struct job *job, FILE *out)
{
	struct table t = table_text(job, out);
	int rc;

	if (nothing(job, out))
		return 0;
	putc('\n', out);
	rc = write_table(&t, OF_NAMES, SCREEN_ROWS, NULL);
	if (!rc) {
		putc('\n', out);
		rc = write_table(&t, OF_OTHERS, SCREEN_ROWS, NULL);
	}
	return rc;
}

/* ---- JSON and CSV ---------------------------------------------------------------------------- */

static int marks_json(const struct job *job, struct json *j)
{
	struct table t = table_json(job, j);
	int rc;

	json_object(j, "marks");
	json_uint(j, "ends_without_beginning", job->model->marks.stray);
	rc = write_table(&t, OF_NAMES, UINT32_MAX, "names");
	if (!rc)
		rc = write_table(&t, OF_PAIRS, UINT32_MAX, "threads");
	if (!rc)
		rc = write_table(&t, OF_OTHERS, UINT32_MAX, "others");
	json_end(j, '}');
	return rc;
}

/* One table of both, with the columns of both. */
static int marks_csv(const struct job *job, FILE *out)
{
	struct table t = table_csv(job, out);
	int rc;

	t.part = OF_ALL;
	table_begin(&t, columns, NULL);
	rc = write_rows(&t, OF_PAIRS, UINT32_MAX);
	return rc ? rc : write_rows(&t, OF_OTHERS, UINT32_MAX);
}

const struct report report_marks = {
	.name = "marks",
	.usage = "  -marks            what programs wrote themselves, times of pairs (marks.out)\n",
	.path = "marks.out",
	.mode = 0666,
	.needs = NEED_MARKS,
	.write = marks_write,
	.screen = marks_screen,
	.json = marks_json,
	.csv = marks_csv,
};
