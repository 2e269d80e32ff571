/* SPDX-License-Identifier: GPL-3.0-or-later */
/* offcpu.out: how long threads were off their CPUs and why, by thread and reason. */
#include "report/times_report.h"

#include <inttypes.h>
#include <stdlib.h>

#define SCREEN_ROWS 15

/* One line: a thread and why it left. */
struct absence {
	uint32_t thread, reason;
	uint64_t off, wait;
};

static uint64_t absence_value(const void *rows, uint32_t i)
{
	const struct absence *a = (const struct absence *)rows + i;

	return a->off + a->wait;
}

/* All that there are; *list is freed by the caller. */
static int gather(const struct job *job, struct absence **list, uint32_t *count)
{
	const struct sched *s = &job->model->times.sched;
	uint32_t i, k, n = 0;

	*list = calloc((size_t)s->nrow * SCHED_REASONS + 1, sizeof(**list));
	if (!*list)
		return -ENOMEM;
	for (i = 0; i < s->nrow; i++) {
		if (!filter_shows(&job->options->filter, s->names, i))
			continue;
		for (k = 0; k < SCHED_REASONS; k++) {
			if (s->row[i].off[k] || s->row[i].wait[k])
				(*list)[n++] = (struct absence){ i, k, s->row[i].off[k],
								 s->row[i].wait[k] };
		}
	}
	*count = n;
	return 0;
}

/* Call `each` for every line, the longest times first. */
static int for_each(const struct job *job, uint32_t most, void *arg,
		    void (*each)(const struct job *job, void *arg, const struct absence *a))
{
	struct absence *list;
	uint32_t *order, all, count, i;
	int rc = gather(job, &list, &all);

	if (rc)
		return rc;
	rc = order_by(&order, &count, all, absence_value, list);
	for (i = 0; !rc && i < count && i < most; i++)
		each(job, arg, &list[order[i]]);
	if (!rc)
		free(order);
	free(list);
	return rc;
}

/* ---- text ------------------------------------------------------------------------------------ */

static void write_line(const struct job *job, void *out, const struct absence *a)
{
	const struct sched_row *r = &job->model->times.sched.row[a->thread];

	print_ms(out, 13, a->off + a->wait);
	print_ms(out, 13, a->off);
	print_ms(out, 13, a->wait);
	fprintf(out, "%9" PRIu64, r->left[a->reason]);
	print_ms(out, 13, r->longest[a->reason]);
	fprintf(out, "  %-10s ", reason_name(a->reason));
	print_thread(out, job, a->thread);
	putc('\n', out);
}

static int write_table(const struct job *job, FILE *out, uint32_t most)
{
	fprintf(out, "%13s%13s%13s%9s%13s  %-10s %s\n", "AWAY ms", "OFF ms", "RUNNABLE ms", "LEFT",
		"LONGEST ms", "WHY", "THREAD");
	return for_each(job, most, out, write_line);
}

static void write_reasons(const struct job *job, FILE *out)
{
	const struct sched *s = &job->model->times.sched;
	uint32_t i, k;

	fprintf(out, "%13s%13s%13s%9s  %s\n", "AWAY ms", "OFF ms", "RUNNABLE ms", "LEFT", "WHY");
	for (k = 0; k < SCHED_REASONS; k++) {
		uint64_t off = 0, wait = 0, left = 0;

		for (i = 0; i < s->nrow; i++) {
			off += s->row[i].off[k];
			wait += s->row[i].wait[k];
			left += s->row[i].left[k];
		}
		if (!off && !wait && !left)
			continue;
		print_ms(out, 13, off + wait);
		print_ms(out, 13, off);
		print_ms(out, 13, wait);
		fprintf(out, "%9" PRIu64 "  %s\n", left, reason_name(k));
	}
}

static bool nothing(const struct job *job, FILE *out)
{
	if (job->trace->major[PITRACE_DISPATCH])
		return false;
	times_missing(job, out, "dispatch", PITRACE_DISPATCH, "dispatch wakeup");
	return true;
}

static int offcpu_write(const struct job *job, FILE *out)
{
	int rc;

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
	rc = write_table(job, out, UINT32_MAX);
	return rc;
}

static int offcpu_screen(const struct job *job, FILE *out)
{
	if (nothing(job, out))
		return 0;
	putc('\n', out);
	times_unknown(job, out, false);
	return write_table(job, out, SCREEN_ROWS);
}

/* ---- JSON and CSV ---------------------------------------------------------------------------- */

static void json_line(const struct job *job, void *arg, const struct absence *a)
{
	const struct sched_row *r = &job->model->times.sched.row[a->thread];
	struct json *j = arg;

	json_object(j, NULL);
	json_thread(j, job, "", a->thread);
	json_string(j, "reason", reason_name(a->reason));
	json_uint(j, "off_ns", a->off);
	json_uint(j, "runnable_ns", a->wait);
	json_uint(j, "left", r->left[a->reason]);
	json_uint(j, "longest_ns", r->longest[a->reason]);
	json_end(j, '}');
}

static int offcpu_json(const struct job *job, struct json *j)
{
	int rc;

	json_array(j, "offcpu");
	rc = for_each(job, UINT32_MAX, j, json_line);
	json_end(j, ']');
	return rc;
}

static void csv_line(const struct job *job, void *out, const struct absence *a)
{
	const struct sched_row *r = &job->model->times.sched.row[a->thread];

	csv_thread(out, job, a->thread);
	fprintf(out, "%s,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n", reason_name(a->reason),
		a->off, a->wait, r->left[a->reason], r->longest[a->reason]);
}

static int offcpu_csv(const struct job *job, FILE *out)
{
	int rc;

	fputs("pid,process,tid,thread,reason,off_ns,runnable_ns,left,longest_ns\n", out);
	rc = for_each(job, UINT32_MAX, out, csv_line);
	return rc;
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
	.json = offcpu_json,
	.csv = offcpu_csv,
};
