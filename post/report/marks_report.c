/* SPDX-License-Identifier: GPL-3.0-or-later */
/* marks.out: what programs wrote themselves: pairs by name and by thread, and how many others. */
#include "report/times_report.h"

#include <inttypes.h>
#include <stdlib.h>

#include "escape.h"

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

/* Call `each` for the grouped rows that have a value, the greatest first. */
static int for_each(const struct job *job, uint32_t (*key)(const struct names *n, uint32_t thread),
		    uint64_t (*value)(const void *rows, uint32_t i), uint32_t most, void *to,
		    void (*each)(const struct job *job, void *to, const struct mark_row *r))
{
	uint32_t *order, count, i;
	struct marks m;
	int rc = marks_group(&m, &job->model->marks, key);

	if (rc)
		return rc;
	rc = order_by(&order, &count, m.nrow, value, m.row);
	for (i = 0; !rc && i < count && i < most; i++)
		each(job, to, &m.row[order[i]]);
	if (!rc)
		free(order);
	marks_free(&m);
	return rc;
}

/* ---- text ------------------------------------------------------------------------------------ */

static void write_pair(const struct job *job, FILE *out, const struct mark_row *r)
{
	fprintf(out, "%10" PRIu64 "%8" PRIu64, r->time.count, r->open + r->cut);
	print_ms(out, 13, r->time.total);
	print_ms(out, 13, r->self);
	print_us(out, 12, spread_mean(&r->time));
	print_us(out, 12, spread_percentile(&r->time, 950));
	print_us(out, 12, r->time.max);
	fputs("  ", out);
	escape_print(out, *name_of(job, r) ? name_of(job, r) : "-");
}

static void pair_line(const struct job *job, void *to, const struct mark_row *r)
{
	write_pair(job, to, r);
	putc('\n', to);
}

static void pair_of_thread_line(const struct job *job, void *to, const struct mark_row *r)
{
	write_pair(job, to, r);
	fputs("  ", to);
	print_thread(to, job, r->thread);
	putc('\n', to);
}

static void other_line(const struct job *job, void *to, const struct mark_row *r)
{
	fprintf(to, "%10" PRIu64 "  0x%02x %#10" PRIx32 "  ", r->records, r->major, r->minor);
	print_thread(to, job, r->thread);
	putc('\n', to);
}

static void heading(FILE *out, const char *who)
{
	fprintf(out, "%10s%8s%13s%13s%12s%12s%12s  NAME%s\n", "COUNT", "NO END", "TOTAL ms",
		"SELF ms", "MEAN us", "P95 us", "MAX us", who);
}

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
	int rc;

	times_head(job, out, "Marks");
	if (nothing(job, out))
		return 0;
	if (job->model->marks.stray)
		fprintf(out,
			"\n%" PRIu64 " ends without a beginning: begun before the trace, or lost\n",
			job->model->marks.stray);
	times_banner(out, "Name");
	heading(out, "");
	rc = for_each(job, by_name, pair_value, UINT32_MAX, out, pair_line);
	fputs("\nPairs of records of major 0xb0: minor 0 begins, minor 0x80 ends what has the same name (the\n"
	      "first string) in the same thread. SELF is without pairs inside. NO END: the end is missing,\n"
	      "or records were lost meanwhile; these are not in COUNT. P95 is too high by up to 1/32.\n",
	      out);
	if (!rc) {
		times_banner(out, "Thread and name");
		heading(out, "  THREAD");
		rc = for_each(job, by_thread, pair_value, UINT32_MAX, out, pair_of_thread_line);
	}
	if (!rc) {
		times_banner(out, "Other records");
		fprintf(out, "%10s %5s %10s  THREAD\n", "RECORDS", "MAJOR", "MINOR");
		rc = for_each(job, by_thread, other_value, UINT32_MAX, out, other_line);
	}
	return rc;
}

static int marks_screen(const struct job *job, FILE *out)
{
	int rc;

	if (nothing(job, out))
		return 0;
	putc('\n', out);
	heading(out, "");
	rc = for_each(job, by_name, pair_value, SCREEN_ROWS, out, pair_line);
	if (!rc) {
		fprintf(out, "\n%10s %5s %10s  THREAD\n", "RECORDS", "MAJOR", "MINOR");
		rc = for_each(job, by_thread, other_value, SCREEN_ROWS, out, other_line);
	}
	return rc;
}

/* ---- JSON and CSV ---------------------------------------------------------------------------- */

static void json_times(const struct job *job, struct json *j, const struct mark_row *r)
{
	json_string(j, "name", name_of(job, r));
	json_spread(j, "time", &r->time);
	json_uint(j, "self_ns", r->self);
	json_uint(j, "open", r->open);
	json_uint(j, "cut", r->cut);
}

static void json_name(const struct job *job, void *to, const struct mark_row *r)
{
	json_object(to, NULL);
	json_times(job, to, r);
	json_end(to, '}');
}

static void json_pair(const struct job *job, void *to, const struct mark_row *r)
{
	json_object(to, NULL);
	json_thread(to, job, "", r->thread);
	json_times(job, to, r);
	json_end(to, '}');
}

static void json_other(const struct job *job, void *to, const struct mark_row *r)
{
	json_object(to, NULL);
	json_thread(to, job, "", r->thread);
	json_uint(to, "major", r->major);
	json_uint(to, "minor", r->minor);
	json_uint(to, "records", r->records);
	json_end(to, '}');
}

static int marks_json(const struct job *job, struct json *j)
{
	int rc;

	json_object(j, "marks");
	json_uint(j, "ends_without_beginning", job->model->marks.stray);
	json_array(j, "names");
	rc = for_each(job, by_name, pair_value, UINT32_MAX, j, json_name);
	json_end(j, ']');
	json_array(j, "threads");
	rc = rc ? rc : for_each(job, by_thread, pair_value, UINT32_MAX, j, json_pair);
	json_end(j, ']');
	json_array(j, "others");
	rc = rc ? rc : for_each(job, by_thread, other_value, UINT32_MAX, j, json_other);
	json_end(j, ']');
	json_end(j, '}');
	return rc;
}

static void csv_mark(const struct job *job, void *to, const struct mark_row *r)
{
	csv_thread(to, job, r->thread);
	fprintf(to, "%u,%" PRIu32 ",%" PRIu64 ",", r->major, r->minor, r->records);
	escape_csv(to, name_of(job, r));
	fprintf(to, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",", r->self, r->open, r->cut);
	csv_spread(to, &r->time);
	putc('\n', to);
}

static int marks_csv(const struct job *job, FILE *out)
{
	int rc;

	fputs("pid,process,tid,thread,major,minor,records,name,self_ns,open,cut," CSV_SPREAD "\n",
	      out);
	rc = for_each(job, by_thread, pair_value, UINT32_MAX, out, csv_mark);
	return rc ? rc : for_each(job, by_thread, other_value, UINT32_MAX, out, csv_mark);
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
