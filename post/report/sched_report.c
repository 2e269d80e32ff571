/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sched.out: the time of each CPU and thread by state, how long woken threads waited for a CPU, and
 * wakers with wakees. */
#include "report/times_report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define SCREEN_CPUS    8
#define SCREEN_THREADS 8
#define SCREEN_PAIRS   6

static const struct sched *sched_of(const struct job *job)
{
	return &job->model->times.sched;
}

/* ---- order ----------------------------------------------------------------------------------- */

static uint64_t sum(const uint64_t *list)
{
	uint64_t all = 0;
	uint32_t i;

	for (i = 0; i < SCHED_REASONS; i++)
		all += list[i];
	return all;
}

/* Sorts by time on a CPU; threads that never ran come last. */
static uint64_t thread_value(const void *rows, uint32_t i)
{
	const struct sched_row *r = (const struct sched_row *)rows + i;
	bool any = r->dispatches || sum(r->left) || sum(r->wait) || sum(r->off) || r->run;

	return r->run + any;
}

static uint64_t latency_value(const void *rows, uint32_t i)
{
	return ((const struct sched_row *)rows)[i].latency.total +
	       (((const struct sched_row *)rows)[i].latency.count != 0);
}

static uint64_t pair_value(const void *rows, uint32_t i)
{
	return ((const struct wake_pair *)rows)[i].count;
}

/* ---- CPUs ------------------------------------------------------------------------------------ */

enum { IN_FULL = 1, ON_SCREEN = 2, OF_LATENCY = 4 }; /* parts */

struct sched_cpu_line {
	const struct sched_cpu *of;
	uint32_t cpu;
	bool irqs; /* the trace has interrupt records */
};

#define AT(member)    COLUMN_AT(struct sched_cpu_line, member)
#define OF(member)    COLUMN_OF(struct sched_cpu, member)
#define SHARE(member) COLUMN_SHARE(struct sched_cpu, member, wall)
#define FULL          .parts = IN_FULL
#define SCREEN        .parts = ON_SCREEN
#define IF_IRQS       COLUMN_WHEN(struct sched_cpu_line, irqs)
static const struct column cpu_columns[] = {
	{ "cpu", "CPU", " ", 4, FULL, AT(cpu) },
	{ "wall_ns", "WALL ms", MS(14), FULL, OF(wall) },
	{ "busy_ns", "BUSY ms", MS(14), FULL, OF(busy) },
	{ .title = "%%%", PERCENT(7, 2), FULL, SHARE(busy) },
	{ "idle_ns", "IDLE ms", MS(14), FULL, OF(idle) },
	{ .title = "%%%", PERCENT(7, 2), FULL, SHARE(idle) },
	{ "interrupt_ns", FULL, OF(interrupt) },
	{ .title = "INTERRUPT ms", MS(14), FULL, IF_IRQS, OF(interrupt) },
	{ .title = "%%%", PERCENT(7, 2), FULL, IF_IRQS, SHARE(interrupt) },
	{ "others_ns", "OTHERS ms", MS(14), FULL, OF(others) },
	{ "unknown_ns", "UNKNOWN ms", MS(14), FULL, OF(unknown) },
	{ .title = "CPU", WIDE(5), SCREEN, AT(cpu) },
	{ .title = "BUSY %", PERCENT(9, 2), SCREEN, SHARE(busy) },
	{ .title = "IDLE %", PERCENT(9, 2), SCREEN, SHARE(idle) },
	{ .title = "INTERRUPT %", PERCENT(12, 2), SCREEN, IF_IRQS, SHARE(interrupt) },
	{ .title = "OTHERS %", PERCENT(9, 2), SCREEN, SHARE(others) },
	{ .title = "UNKNOWN %", PERCENT(10, 2), SCREEN, SHARE(unknown) },
	{ "dispatches", "DISPATCHES", WIDE(12), OF(dispatches) },
	{ "contradictions", OF(misfits) },
	COLUMNS_END,
};
#undef AT
#undef OF
#undef IF_IRQS

/* Returns the number of CPUs that are not shown. */
static uint32_t write_cpus(struct table *t, unsigned int part, uint32_t most)
{
	const struct sched *s = sched_of(t->job);
	uint32_t i, seen = 0;

	t->part = part;
	table_begin(t, cpu_columns, "cpus");
	for (i = 0; i < s->ncpus; i++) {
		const struct sched_cpu *c = &s->cpu[i];

		if (!c->seen || seen++ >= most)
			continue;
		table_row(t,
			  &(struct sched_cpu_line){ c, i, times_has(t->job, PITRACE_INTERRUPT) });
	}
	table_end(t);
	return seen > most ? seen - most : 0;
}

/* ---- threads --------------------------------------------------------------------------------- */

struct sched_line {
	const struct sched_row *of;
	uint32_t thread;
	uint64_t wait, off, left; /* sum over all reasons */
	uint64_t woken, preempted, other, voluntary, involuntary;
	double share;
	bool irqs, has_priority, has_latency;
};

static void reasons_json(const struct cell *x)
{
	const uint64_t *list = x->value;
	uint32_t i;

	json_object(x->json, x->column->name);
	for (i = 0; i < SCHED_REASONS; i++) {
		if (list[i])
			json_uint(x->json, reason_name(i), list[i]);
	}
	json_end(x->json, '}');
}

static const struct column_sort sort_reasons = { .json = reasons_json };

static void all_reasons_names(const struct cell *x)
{
	uint32_t k;

	for (k = 0; k < SCHED_REASONS; k++)
		fprintf(x->out, "%swait_%s_ns,off_%s_ns,left_%s", k ? "," : "", reason_name(k),
			reason_name(k), reason_name(k));
}

static void all_reasons_csv(const struct cell *x)
{
	const struct sched_row *r = x->value;
	uint32_t k;

	for (k = 0; k < SCHED_REASONS; k++)
		fprintf(x->out, "%s%" PRIu64 ",%" PRIu64 ",%" PRIu64, k ? "," : "", r->wait[k],
			r->off[k], r->left[k]);
}

static const struct column_sort sort_all_reasons = {
	.names = all_reasons_names,
	.csv = all_reasons_csv,
};

#define AT(member)   COLUMN_AT(struct sched_line, member)
#define OF(member)   COLUMN_OF(struct sched_row, member)
#define WHEN(member) COLUMN_WHEN(struct sched_line, member)
#define LATENCY      .parts = OF_LATENCY
#define REASONS      .forms = IN_JSON, .sort = &sort_reasons
static const struct column thread_columns[] = {
	{ "", "THREAD", "  ", .text_turn = 2, AT(thread), THREAD },
	{ "priority", "PRIO", WIDE(6), .null = true, FULL, .text_turn = 1, WHEN(has_priority),
	  OF(priority) },
	{ .title = "%%%", PERCENT(8, 2), SCREEN, AT(share) },
	{ "run_ns", "RUN ms", MS(13), .parts = IN_FULL | ON_SCREEN, OF(run) },
	{ .title = "RUNNABLE ms", MS(13), SCREEN, AT(wait) },
	{ .title = "OFF ms", MS(13), SCREEN, AT(off) },
	{ .title = "LEFT", WIDE(10), SCREEN, AT(left) },
	{ .title = "P95 us", SCREEN, WHEN(has_latency), OF(latency), PERCENTILE(12, 950) },
	{ .title = "%%%", PERCENT(7, 2), FULL, AT(share) },
	{ "interrupted_ns", OF(interrupted) },
	{ .title = "INTERR. ms", MS(13), FULL, WHEN(irqs), OF(interrupted) },
	{ "wait_ns", OF(wait), REASONS },
	{ "off_ns", OF(off), REASONS },
	{ "", .forms = IN_CSV, .of = true, .sort = &sort_all_reasons },
	{ .title = "WOKEN ms", MS(13), FULL, AT(woken) },
	{ .title = "PREEMPTED ms", MS(13), FULL, AT(preempted) },
	{ .title = "SLEEP ms", MS(13), FULL, OF(off[PITRACE_LEFT_SLEEP]) },
	{ .title = "BLOCKED ms", MS(13), FULL, OF(off[PITRACE_LEFT_BLOCKED]) },
	{ .title = "OTHER ms", MS(13), FULL, AT(other) },
	{ "unknown_ns", "UNKNOWN ms", MS(13), FULL, OF(unknown) },
	{ "unsure_ns", "UNSURE ms", MS(13), FULL, OF(unsure) },
	{ "left", OF(left), REASONS },
	{ .title = "VOLUNT.", WIDE(9), FULL, AT(voluntary) },
	{ .title = "INVOL.", WIDE(9), FULL, AT(involuntary) },
	{ "dispatches", OF(dispatches) },
	{ "migrations", "MIGR.", WIDE(8), FULL, OF(migrations) },
	{ "without_wakeup", .forms = IN_JSON, OF(unwoken) },
	{ "latency", OF(latency), SPREAD },
	{ .title = "COUNT", WIDE(10), LATENCY, OF(latency.count) },
	{ .title = "MIN us", US(12), LATENCY, OF(latency.min) },
	{ .title = "MEAN us", LATENCY, OF(latency), MEAN(12) },
	{ .title = "P50 us", LATENCY, OF(latency), PERCENTILE(12, 500) },
	{ .title = "P95 us", LATENCY, OF(latency), PERCENTILE(12, 950) },
	{ .title = "P99 us", LATENCY, OF(latency), PERCENTILE(12, 990) },
	{ .title = "MAX us", US(12), LATENCY, OF(latency.max) },
	{ .title = "UNSURE", WIDE(8), LATENCY, OF(unsure_latencies) },
	{ "unsure_latencies", .forms = IN_JSON, OF(unsure_latencies) },
	COLUMNS_END,
};
#undef AT
#undef OF

static void write_thread(struct table *t, uint32_t thread)
{
	const struct sched_row *r = &sched_of(t->job)->row[thread];
	uint64_t preempted = r->wait[PITRACE_LEFT_RUNNING] + r->wait[PITRACE_LEFT_PREEMPTED];
	uint64_t involuntary = r->left[PITRACE_LEFT_RUNNING] + r->left[PITRACE_LEFT_PREEMPTED];
	struct sched_line l = {
		.of = r,
		.thread = thread,
		.wait = sum(r->wait),
		.off = sum(r->off),
		.left = sum(r->left),
		.preempted = preempted,
		.involuntary = involuntary,
		.share = percent_of(r->run, times_wall(t->job)),
		.irqs = times_has(t->job, PITRACE_INTERRUPT),
		.has_priority = r->priority != PITRACE_PRIORITY_UNKNOWN,
		.has_latency = r->latency.count != 0,
	};

	l.woken = l.wait - preempted;
	l.other = l.off - r->off[PITRACE_LEFT_SLEEP] - r->off[PITRACE_LEFT_BLOCKED];
	l.voluntary = l.left - involuntary;
	table_row(t, &l);
}

/* Writes the threads with this value; omits those below `least` percent of all time. */
static int write_threads(struct table *t, unsigned int part, double least,
			 uint64_t (*value)(const void *rows, uint32_t i), uint32_t most)
{
	const struct sched *s = sched_of(t->job);
	uint32_t *order, count, i;
	int rc = order_threads(t->job, &order, &count, value);

	if (rc)
		return rc;
	t->part = part;
	table_begin(t, thread_columns, "threads");
	for (i = 0; i < count && i < most; i++) {
		if (percent_of(s->row[order[i]].run, times_wall(t->job)) >= least)
			write_thread(t, order[i]);
	}
	table_end(t);
	if (i < count)
		fprintf(t->out, "%8s and %u more\n", "", count - i);
	free(order);
	return 0;
}

/* ---- wake-ups -------------------------------------------------------------------------------- */

struct wake_line {
	const struct wake_pair *of;
	uint64_t mean;
};

#define OF(member) COLUMN_OF(struct wake_pair, member)
static const struct column wake_columns[] = {
	{ "", "WAKER", "  ", .text_turn = 1, OF(waker), WAKER },
	{ "", "WAKEE", " -> ", .text_turn = 1, OF(wakee), THREAD },
	{ "count", "COUNT", WIDE(10), OF(count) },
	{ "slept_ns", "SLEPT ms", MS(13), OF(slept) },
	{ .title = "MEAN us", US(12), COLUMN_AT(struct wake_line, mean) },
	{ "latency_ns", OF(latency) },
	{ "longest_ns", "MAX us", US(12), OF(longest) },
	COLUMNS_END,
};
#undef OF

static int write_pairs(struct table *t, uint32_t most)
{
	const struct sched *s = sched_of(t->job);
	uint32_t *order, count, i;
	int rc = order_by(&order, &count, s->wakers.npair, pair_value, s->wakers.pair);

	if (rc)
		return rc;
	table_begin(t, wake_columns, "wakeups");
	for (i = 0; i < count && i < most; i++) {
		const struct wake_pair *p = &s->wakers.pair[order[i]];

		table_row(t, &(struct wake_line){ p, p->latency / p->count });
	}
	table_end(t);
	free(order);
	return 0;
}

/* ---- the report ------------------------------------------------------------------------------ */

static bool nothing(const struct job *job, FILE *out)
{
	static const uint16_t majors[] = { PITRACE_DISPATCH, PITRACE_WAKEUP, PITRACE_INTERRUPT, 0 };

	if (job->trace->major[PITRACE_DISPATCH])
		return false;
	times_missing(job, out, "dispatch records", majors);
	return true;
}

static int sched_write(const struct job *job, FILE *out)
{
	struct table t = table_text(job, out);
	int rc;

	times_head(job, out, "Sched");
	if (nothing(job, out))
		return 0;
	times_banner(out, "CPU");
	write_cpus(&t, IN_FULL, UINT32_MAX);
	fputs("\nWALL is the time while tracing was on. BUSY, IDLE and OTHERS (threads outside the\n"
	      "trace's scope) are without interrupts. UNKNOWN: no record told what ran, or records\n"
	      "were lost.\n",
	      out);
	times_unknown(job, out, true);
	times_banner(out, "Thread");
	rc = write_threads(&t, IN_FULL, job->options->clip, thread_value, UINT32_MAX);
	if (rc)
		return rc;
	fputs("\n%%% of all CPUs' time. INTERR. is the part of RUN that interrupts took. WOKEN: runnable\n"
	      "after a wake-up; PREEMPTED: runnable after it was put off the CPU. SLEEP can be\n"
	      "interrupted by signals, BLOCKED (disk) cannot. UNSURE: of all these but RUN and UNKNOWN,\n"
	      "what fell together with a loss. VOLUNT. it left by itself, INVOL. it had to. MIGR.: it\n"
	      "ran on another CPU than before. PRIO: 0-99 real time, 100-139 normal, -1 deadline,\n"
	      "- not known.\n",
	      out);
	times_banner(out, "Latency, from wake-up to dispatch");
	rc = write_threads(&t, OF_LATENCY, 0, latency_value, UINT32_MAX);
	if (rc)
		return rc;
	fputs("\nPercentiles are too high by up to 1/32 of themselves, never too low. UNSURE: wake-ups not\n"
	      "counted here because records were lost before the dispatch.\n",
	      out);
	times_banner(out, "Wake-ups: who woke whom");
	rc = write_pairs(&t, UINT32_MAX);
	fputs("\nSLEPT: how long the woken one had been away. MEAN and MAX: its latency.\n", out);
	return rc;
}

static int sched_screen(const struct job *job, FILE *out)
{
	struct table t = table_text(job, out);
	uint32_t more;
	int rc;

	if (nothing(job, out))
		return 0;
	putc('\n', out);
	more = write_cpus(&t, ON_SCREEN, SCREEN_CPUS);
	if (more)
		fprintf(out, "%5s and %u more\n", "", more);
	putc('\n', out);
	rc = write_threads(&t, ON_SCREEN, 0, thread_value, SCREEN_THREADS);
	putc('\n', out);
	times_unknown(job, out, true);
	return rc || !times_has(job, PITRACE_WAKEUP) ? rc : write_pairs(&t, SCREEN_PAIRS);
}

/* ---- JSON and CSV ---------------------------------------------------------------------------- */

static int sched_json(const struct job *job, struct json *j)
{
	struct table t = table_json(job, j);
	int rc;

	json_object(j, "sched");
	json_uint(j, "wakeup_records", job->trace->major[PITRACE_WAKEUP]);
	json_uint(j, "interrupt_records", job->trace->major[PITRACE_INTERRUPT]);
	write_cpus(&t, IN_FULL, UINT32_MAX);
	rc = write_threads(&t, IN_FULL, 0, thread_value, UINT32_MAX);
	if (!rc)
		rc = write_pairs(&t, UINT32_MAX);
	json_end(j, '}');
	return rc;
}

static int sched_csv(const struct job *job, FILE *out)
{
	struct table t = table_csv(job, out);

	return write_threads(&t, IN_FULL, 0, thread_value, UINT32_MAX);
}

const struct report report_sched = {
	.name = "sched",
	.usage =
		"  -sched            time of threads and CPUs, latencies, who woke whom (sched.out)\n",
	.path = "sched.out",
	.mode = 0666,
	.needs = NEED_TIMES,
	.write = sched_write,
	.screen = sched_screen,
	.json = sched_json,
	.csv = sched_csv,
};
