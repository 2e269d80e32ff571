/* SPDX-License-Identifier: GPL-3.0-or-later */
/* For a trace without samples: lists its other records and the reports that show them. */
#include "report/report.h"

#include <inttypes.h>
#include <perfutil.h>

#include "model/near.h"
#include "record/call_record.h"

static const struct {
	uint16_t major;
	const char *by;
} shown[] = {
	{ PITRACE_DISPATCH, "-sched, -offcpu" },
	{ PITRACE_WAKEUP, "-sched" },
	{ PITRACE_INTERRUPT, "-irq" },
	{ PITRACE_SYSCALL, "-syscalls" },
	{ PITRACE_FAULT, "-faults" },
	{ PITRACE_HOOKIT, "-marks" },
	{ PITRACE_NAMED, "-marks" },
};
#define SHOWN (sizeof(shown) / sizeof(shown[0]))

static void line(FILE *out, const char *name, uint64_t records, const char *by)
{
	if (records)
		fprintf(out, "%12" PRIu64 "  %-12s post %s\n", records, name, by);
}

/* ---- filters that pass nothing --------------------------------------------------------------- */

/* Lists the names of threads, or of their cgroups, that are like those wanted. */
static void names_left(const struct left_out *l, FILE *out, const char *option, const char *wanted,
		       bool cgroups)
{
	struct near near = { .wanted = wanted };
	uint32_t i;

	fprintf(out, "  %s: ", option);
	for (i = 0; i < l->threads; i++) {
		const struct left_thread *t = &l->thread[i];
		const char *name = cgroups ? t->cgroup : t->name;

		if (name)
			near_offer(&near, name, t->ticks);
	}
	near_print(&near, out, false);
	putc('\n', out);
}

/* Lists the numbers with the most ticks. */
static void numbers_left(const struct left_out *l, FILE *out, const char *option, bool threads)
{
	static char number[LEFT_THREADS][16 + 64];
	struct near near = { .wanted = NULL };
	uint32_t i;

	fprintf(out, "  %s: ", option);
	for (i = 0; i < l->threads; i++) {
		const struct left_thread *t = &l->thread[i];

		snprintf(number[i], sizeof(number[i]), "%" PRIu32 " (%.48s)",
			 threads ? t->tid : t->pid, t->name);
		near_offer(&near, number[i], t->ticks);
	}
	near_print(&near, out, false);
	putc('\n', out);
}

static void times_left(const struct job *job, FILE *out)
{
	uint64_t first = job->left->first - job->start, last = job->left->last - job->start;

	fprintf(out, "  -time: from %" PRIu64 ".%09" PRIu64 " to %" PRIu64 ".%09" PRIu64 "\n",
		first / 1000000000, first % 1000000000, last / 1000000000, last % 1000000000);
}

static void cpus_left(const struct left_out *l, FILE *out)
{
	uint32_t i;

	fputs("  -cpus: ", out);
	for (i = 0; i < l->cpus; i++)
		fprintf(out, "%s%" PRIu32, i ? ", " : "", l->cpu[i]);
	fputs(l->cpus == LEFT_CPUS ? ", ...\n" : "\n", out);
}

bool symbols_near(const struct job *job, const char *wanted, FILE *out)
{
	const struct symbols *s = &job->model->names.symbols;
	struct near near = { .wanted = wanted };
	uint32_t i;

	for (i = 0; i < s->count; i++) {
		if (s->symbol[i].result == A2N_OK && !s->symbol[i].is_spot)
			near_offer(&near, s->symbol[i].name, 0);
	}
	return near_print(&near, out, true);
}

static void symbols_left(const struct job *job, FILE *out)
{
	fputs("  -symbol: ", out);
	if (!symbols_near(job, job->options->filter.symbol, out))
		fputs("none has such a name", out);
	putc('\n', out);
}

/* Lists what the filter dropped; returns false if a filter is not the reason. */
bool all_left_out(const struct job *job, FILE *out)
{
	const struct filter *f = &job->options->filter;
	const struct left_out *l = job->left;
	bool left = l && l->ticks;

	if (trace_total(job->trace) || (!left && (!f->symbol || !job->model->names.symbols.count)))
		return false;
	fputs("\nNo sample passes the filter. ", out);
	if (left)
		fprintf(out, "%" PRIu64 " ticks are left out; there are, among others:\n",
			l->ticks);
	else
		fputs("Symbols with such names:\n", out);
	if (left && f->comm)
		names_left(l, out, "-comm", f->comm, false);
	if (left && f->cgroup)
		names_left(l, out, "-cgroup", f->cgroup, true);
	if (left && f->pid.count)
		numbers_left(l, out, "-pid", false);
	if (left && f->tid.count)
		numbers_left(l, out, "-tid", true);
	if (left && f->cpu.count)
		cpus_left(l, out);
	if (left && f->timed)
		times_left(job, out);
	if (!left)
		symbols_left(job, out);
	return true;
}

/* ---- traces without samples ------------------------------------------------------------------ */

void no_samples(const struct job *job, FILE *out)
{
	const struct trace *t = job->trace;
	uint64_t any = 0, users = 0;
	size_t i;

	if (all_left_out(job, out))
		return;
	fputs("\nThe trace has no samples", out);
	if (!t->records) {
		fputs(". It has no records at all: was tracing on (swtrace on, swtrace off)?\n",
		      out);
		return;
	}
	for (i = PITRACE_USER_FIRST; i < PITRACE_MAJORS; i++)
		users += t->major[i];
	for (any = users + t->major[CALL_RECORD], i = 0; i < SHOWN; i++)
		any += t->major[shown[i].major];
	if (!any) {
		fputs(". Was tprof enabled (swtrace enable tprof), and did anything run\n"
		      "within the trace's scope while tracing was on?\n"
		      "Try: swtrace run -a -- sleep 5; then post\n",
		      out);
		return;
	}
	fputs(", which this report is of. It has records, and other reports that show them:\n",
	      out);
	for (i = 0; i < SHOWN; i++)
		line(out, TraceMajorName(shown[i].major), t->major[shown[i].major], shown[i].by);
	line(out, "call", t->major[CALL_RECORD], "-functions, -flow, -tree");
	line(out, "user's own", users, "-marks");
}
