/* SPDX-License-Identifier: GPL-3.0-or-later */
/* offcpu.out: the time that threads were off their CPUs, by thread and reason. */
#include "report/times_report.h"

#include <inttypes.h>
#include <stdlib.h>

#define SCREEN_ROWS 15

/* A line: a thread and the reason why it left. */
struct absence {
	uint32_t thread;
	const char *reason;
	uint64_t off, wait, offcpu, left, longest;
};

#define AT(member) COLUMN_AT(struct absence, member)
static const struct column columns[] = {
	{ .title = "AWAY ms", MS(13), AT(offcpu) },
	{ "", "THREAD", " ", .text_turn = 2, AT(thread), THREAD },
	{ "reason", "WHY", "  ", -10, .text_turn = 1, AT(reason) },
	{ "off_ns", "OFF ms", MS(13), AT(off) },
	{ "runnable_ns", "RUNNABLE ms", MS(13), AT(wait) },
	{ "left", "LEFT", WIDE(9), AT(left) },
	{ "longest_ns", "LONGEST ms", MS(13), AT(longest) },
	COLUMNS_END,
};

/* The table of all threads together. */
static const struct column reason_columns[] = {
	{ .title = "AWAY ms", MS(13), AT(offcpu) },     { .title = "OFF ms", MS(13), AT(off) },
	{ .title = "RUNNABLE ms", MS(13), AT(wait) },   { .title = "LEFT", WIDE(9), AT(left) },
	{ .title = "WHY", .before = "  ", AT(reason) }, COLUMNS_END,
};
#undef AT

static uint64_t absence_value(const void *rows, uint32_t i)
{
	const struct absence *a = (const struct absence *)rows + i;

	return a->offcpu;
}

/* Lists all absences; the caller frees *list. */
static int gather(const struct job *job, struct absence **list, uint32_t *count)
{
	const struct sched *s = &job->model->times.sched;
	uint32_t i, k, n = 0;

	*list = calloc((size_t)s->nrow * SCHED_REASONS + 1, sizeof(**list));
	if (!*list)
		return -ENOMEM;
	for (i = 0; i < s->nrow; i++) {
		const struct sched_row *r = &s->row[i];

		if (!filter_shows(&job->options->filter, s->names, i))
			continue;
		for (k = 0; k < SCHED_REASONS; k++) {
			if (r->off[k] || r->wait[k])
				(*list)[n++] = (struct absence){
					.thread = i,
					.reason = reason_name(k),
					.off = r->off[k],
					.wait = r->wait[k],
					.offcpu = r->off[k] + r->wait[k],
					.left = r->left[k],
					.longest = r->longest[k],
				};
		}
	}
	*count = n;
	return 0;
}

/* Writes the longest times first. */
static int write_table(struct table *t, uint32_t most)
{
	struct absence *list;
	uint32_t *order, all, count, i;
	int rc = gather(t->job, &list, &all);

	if (rc)
		return rc;
	rc = order_by(&order, &count, all, absence_value, list);
	if (!rc) {
		table_begin(t, columns, "offcpu");
		for (i = 0; i < count && i < most; i++)
			table_row(t, &list[order[i]]);
		table_end(t);
		free(order);
	}
	free(list);
	return rc;
}

static void write_reasons(const struct job *job, FILE *out)
{
	const struct sched *s = &job->model->times.sched;
	struct table t = table_text(job, out);
	uint32_t i, k;

	table_begin(&t, reason_columns, NULL);
	for (k = 0; k < SCHED_REASONS; k++) {
		struct absence all = { .reason = reason_name(k) };

		for (i = 0; i < s->nrow; i++) {
			all.off += s->row[i].off[k];
			all.wait += s->row[i].wait[k];
			all.left += s->row[i].left[k];
		}
		all.offcpu = all.off + all.wait;
		if (all.off || all.wait || all.left)
			table_row(&t, &all);
	}
}

static bool nothing(const struct job *job, FILE *out)
{
	static const uint16_t majors[] = { PITRACE_DISPATCH, PITRACE_WAKEUP, 0 };

	if (job->trace->major[PITRACE_DISPATCH])
		return false;
	times_missing(job, out, "dispatch records", majors);
	return true;
}

static int offcpu_write(const struct job *job, FILE *out)
{
	struct table t = table_text(job, out);

	times_head(job, out, "Off-CPU");
	if (nothing(job, out))
		return 0;
	times_banner(out, "Why");
	write_reasons(job, out);
	fputs("\nAWAY is the time from leaving a CPU to running again: OFF until it was woken, then\n"
	      "RUNNABLE until it ran. time_up, preempted: it could have gone on. sleeping: until a\n"
	      "signal or an event. blocked: until an event alone (disk). idle: likewise, a kernel\n"
	      "thread that waits for work. new: made and not dispatched yet. before: it left before\n"
	      "the trace began, or unseen.\n",
	      out);
	times_unknown(job, out, false);
	times_banner(out, "Thread and why");
	return write_table(&t, UINT32_MAX);
}

static int offcpu_screen(const struct job *job, FILE *out)
{
	struct table t = table_text(job, out);

	if (nothing(job, out))
		return 0;
	putc('\n', out);
	times_unknown(job, out, false);
	return write_table(&t, SCREEN_ROWS);
}

static int offcpu_rows(struct table *t)
{
	return write_table(t, UINT32_MAX);
}

const struct report report_offcpu = {
	.name = "offcpu",
	.usage =
		"  -offcpu           why threads were off their CPUs (offcpu.out); with -calltree,\n"
		"                    -callers or -folded: where in the code they left them\n",
	.kinds = REPORT_OF_AWAY,
	.path = "offcpu.out",
	.mode = 0666,
	.needs = NEED_TIMES,
	.write = offcpu_write,
	.screen = offcpu_screen,
	.rows = offcpu_rows,
};
