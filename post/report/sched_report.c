/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sched.out: what each CPU and each thread did with its time, how long woken threads waited for a
 * CPU, and who woke whom. */
#include "report/times_report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "escape.h"

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

/* By time on a CPU; those that never ran come last. */
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

/* ---- tables ---------------------------------------------------------------------------------- */

static void print_known_percent(FILE *out, int width, bool known, double percent)
{
	if (known)
		fprintf(out, "%*.2f", width, percent);
	else
		fprintf(out, "%*s", width, "-");
}

static bool knows_priority(const struct sched_row *r)
{
	return r->priority != PITRACE_PRIORITY_UNKNOWN;
}

static void write_cpus(const struct job *job, FILE *out)
{
	const struct sched *s = sched_of(job);
	bool irqs = times_has(job, PITRACE_INTERRUPT);
	uint32_t i;

	fprintf(out, " %4s%14s%14s%7s%14s%7s%14s%7s%14s%14s%12s\n", "CPU", "WALL ms", "BUSY ms",
		"%%%", "IDLE ms", "%%%", "INTERRUPT ms", "%%%", "OTHERS ms", "UNKNOWN ms",
		"DISPATCHES");
	for (i = 0; i < s->ncpus; i++) {
		const struct sched_cpu *c = &s->cpu[i];

		if (!c->seen)
			continue;
		fprintf(out, " %4u", i);
		print_ms(out, 14, c->wall);
		print_ms(out, 14, c->busy);
		fprintf(out, "%7.2f", percent_of(c->busy, c->wall));
		print_ms(out, 14, c->idle);
		fprintf(out, "%7.2f", percent_of(c->idle, c->wall));
		print_known_ms(out, 14, irqs, c->interrupt);
		print_known_percent(out, 7, irqs, percent_of(c->interrupt, c->wall));
		print_ms(out, 14, c->others);
		print_ms(out, 14, c->unknown);
		fprintf(out, "%12" PRIu64 "\n", c->dispatches);
	}
}

static void write_thread(const struct job *job, FILE *out, uint32_t thread)
{
	const struct sched_row *r = &sched_of(job)->row[thread];
	uint64_t woken = sum(r->wait) - r->wait[PITRACE_LEFT_RUNNING] -
			 r->wait[PITRACE_LEFT_PREEMPTED];
	uint64_t involuntary = r->left[PITRACE_LEFT_RUNNING] + r->left[PITRACE_LEFT_PREEMPTED];

	print_ms(out, 13, r->run);
	fprintf(out, "%7.2f", percent_of(r->run, times_wall(job)));
	print_known_ms(out, 13, times_has(job, PITRACE_INTERRUPT), r->interrupted);
	print_ms(out, 13, woken);
	print_ms(out, 13, r->wait[PITRACE_LEFT_RUNNING] + r->wait[PITRACE_LEFT_PREEMPTED]);
	print_ms(out, 13, r->off[PITRACE_LEFT_SLEEP]);
	print_ms(out, 13, r->off[PITRACE_LEFT_BLOCKED]);
	print_ms(out, 13, sum(r->off) - r->off[PITRACE_LEFT_SLEEP] - r->off[PITRACE_LEFT_BLOCKED]);
	print_ms(out, 13, r->unknown);
	print_ms(out, 13, r->unsure);
	fprintf(out, "%9" PRIu64 "%9" PRIu64 "%8" PRIu64, sum(r->left) - involuntary, involuntary,
		r->migrations);
	if (knows_priority(r))
		fprintf(out, "%6d  ", r->priority);
	else
		fprintf(out, "%6s  ", "-");
	print_thread(out, job, thread);
	putc('\n', out);
}

static int write_threads(const struct job *job, FILE *out)
{
	const struct sched *s = sched_of(job);
	uint32_t *order, count, i;
	int rc = order_threads(job, &order, &count, thread_value);

	if (rc)
		return rc;
	fprintf(out, "%13s%7s%13s%13s%13s%13s%13s%13s%13s%13s%9s%9s%8s%6s  %s\n", "RUN ms", "%%%",
		"INTERR. ms", "WOKEN ms", "PREEMPTED ms", "SLEEP ms", "BLOCKED ms", "OTHER ms",
		"UNKNOWN ms", "UNSURE ms", "VOLUNT.", "INVOL.", "MIGR.", "PRIO", "THREAD");
	for (i = 0; i < count; i++) {
		if (percent_of(s->row[order[i]].run, times_wall(job)) >= job->options->clip)
			write_thread(job, out, order[i]);
	}
	free(order);
	return 0;
}

static int write_latencies(const struct job *job, FILE *out)
{
	const struct sched *s = sched_of(job);
	uint32_t *order, count, i;
	int rc = order_threads(job, &order, &count, latency_value);

	if (rc)
		return rc;
	fprintf(out, "%10s%12s%12s%12s%12s%12s%12s%8s  %s\n", "COUNT", "MIN us", "MEAN us",
		"P50 us", "P95 us", "P99 us", "MAX us", "UNSURE", "THREAD");
	for (i = 0; i < count; i++) {
		const struct sched_row *r = &s->row[order[i]];

		fprintf(out, "%10" PRIu64, r->latency.count);
		print_us(out, 12, r->latency.min);
		print_us(out, 12, spread_mean(&r->latency));
		print_us(out, 12, spread_percentile(&r->latency, 500));
		print_us(out, 12, spread_percentile(&r->latency, 950));
		print_us(out, 12, spread_percentile(&r->latency, 990));
		print_us(out, 12, r->latency.max);
		fprintf(out, "%8" PRIu64 "  ", r->unsure_latencies);
		print_thread(out, job, order[i]);
		putc('\n', out);
	}
	free(order);
	return 0;
}

static void print_waker(const struct job *job, FILE *out, uint32_t waker)
{
	const struct irqs *q = &job->model->times.irqs;

	if (waker == WAKER_SOME_IRQ) {
		fputs("an interrupt", out);
	} else if (waker & WAKER_IRQ) {
		waker &= ~WAKER_IRQ;
		print_irq(out, job, q->row[waker].source, q->row[waker].number);
	} else {
		print_thread(out, job, waker);
	}
}

static int write_pairs(const struct job *job, FILE *out, uint32_t most)
{
	const struct sched *s = sched_of(job);
	uint32_t *order, count, i;
	int rc = order_by(&order, &count, s->wakers.npair, pair_value, s->wakers.pair);

	if (rc)
		return rc;
	fprintf(out, "%10s%13s%12s%12s  %s\n", "COUNT", "SLEPT ms", "MEAN us", "MAX us",
		"WAKER -> WAKEE");
	for (i = 0; i < count && i < most; i++) {
		const struct wake_pair *p = &s->wakers.pair[order[i]];

		fprintf(out, "%10" PRIu64, p->count);
		print_ms(out, 13, p->slept);
		print_us(out, 12, p->latency / p->count);
		print_us(out, 12, p->longest);
		fputs("  ", out);
		print_waker(job, out, p->waker);
		fputs(" -> ", out);
		print_thread(out, job, p->wakee);
		putc('\n', out);
	}
	free(order);
	return 0;
}

/* ---- the report ------------------------------------------------------------------------------ */

static bool nothing(const struct job *job, FILE *out)
{
	if (job->trace->major[PITRACE_DISPATCH])
		return false;
	times_missing(job, out, "dispatch", PITRACE_DISPATCH, "dispatch wakeup interrupt");
	return true;
}

static int sched_write(const struct job *job, FILE *out)
{
	int rc;

	times_head(job, out, "Sched");
	if (nothing(job, out))
		return 0;
	times_banner(out, "CPU");
	write_cpus(job, out);
	fputs("\nWALL is the time while tracing was on. BUSY, IDLE and OTHERS (threads outside the\n"
	      "trace's scope) are without interrupts. UNKNOWN: no record told what ran, or records\n"
	      "were lost.\n",
	      out);
	times_unknown(job, out, true);
	times_banner(out, "Thread");
	rc = write_threads(job, out);
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
	rc = write_latencies(job, out);
	if (rc)
		return rc;
	fputs("\nPercentiles are too high by up to 1/32 of themselves, never too low. UNSURE: wake-ups not\n"
	      "counted here because records were lost before the dispatch.\n",
	      out);
	times_banner(out, "Wake-ups: who woke whom");
	rc = write_pairs(job, out, UINT32_MAX);
	fputs("\nSLEPT: how long the woken one had been away. MEAN and MAX: its latency.\n", out);
	return rc;
}

static void screen_cpus(const struct job *job, FILE *out)
{
	const struct sched *s = sched_of(job);
	bool irqs = times_has(job, PITRACE_INTERRUPT);
	uint32_t i, shown = 0, seen = 0;

	fprintf(out, "\n%5s%9s%9s%12s%9s%10s%12s\n", "CPU", "BUSY %", "IDLE %", "INTERRUPT %",
		"OTHERS %", "UNKNOWN %", "DISPATCHES");
	for (i = 0; i < s->ncpus; i++) {
		const struct sched_cpu *c = &s->cpu[i];

		if (!c->seen || seen++ >= SCREEN_CPUS)
			continue;
		shown++;
		fprintf(out, "%5u%9.2f%9.2f", i, percent_of(c->busy, c->wall),
			percent_of(c->idle, c->wall));
		print_known_percent(out, 12, irqs, percent_of(c->interrupt, c->wall));
		fprintf(out, "%9.2f%10.2f%12" PRIu64 "\n", percent_of(c->others, c->wall),
			percent_of(c->unknown, c->wall), c->dispatches);
	}
	if (seen > shown)
		fprintf(out, "%5s and %u more\n", "", seen - shown);
}

static int screen_threads(const struct job *job, FILE *out)
{
	const struct sched *s = sched_of(job);
	uint32_t *order, count, i;
	int rc = order_threads(job, &order, &count, thread_value);

	if (rc)
		return rc;
	fprintf(out, "\n%8s%13s%13s%13s%10s%12s  %s\n", "%%%", "RUN ms", "RUNNABLE ms", "OFF ms",
		"LEFT", "P95 us", "THREAD");
	for (i = 0; i < count && i < SCREEN_THREADS; i++) {
		const struct sched_row *r = &s->row[order[i]];

		fprintf(out, "%8.2f", percent_of(r->run, times_wall(job)));
		print_ms(out, 13, r->run);
		print_ms(out, 13, sum(r->wait));
		print_ms(out, 13, sum(r->off));
		fprintf(out, "%10" PRIu64, sum(r->left));
		print_known_us(out, 12, r->latency.count, spread_percentile(&r->latency, 950));
		fputs("  ", out);
		print_thread(out, job, order[i]);
		putc('\n', out);
	}
	if (i < count)
		fprintf(out, "%8s and %u more\n", "", count - i);
	free(order);
	return 0;
}

static int sched_screen(const struct job *job, FILE *out)
{
	int rc;

	if (nothing(job, out))
		return 0;
	screen_cpus(job, out);
	rc = screen_threads(job, out);
	putc('\n', out);
	times_unknown(job, out, true);
	return rc || !times_has(job, PITRACE_WAKEUP) ? rc : write_pairs(job, out, SCREEN_PAIRS);
}

/* ---- JSON and CSV ---------------------------------------------------------------------------- */

static void json_cpus(const struct job *job, struct json *j)
{
	const struct sched *s = sched_of(job);
	uint32_t i;

	json_array(j, "cpus");
	for (i = 0; i < s->ncpus; i++) {
		const struct sched_cpu *c = &s->cpu[i];

		if (!c->seen)
			continue;
		json_object(j, NULL);
		json_uint(j, "cpu", i);
		json_uint(j, "wall_ns", c->wall);
		json_uint(j, "busy_ns", c->busy);
		json_uint(j, "idle_ns", c->idle);
		json_uint(j, "interrupt_ns", c->interrupt);
		json_uint(j, "others_ns", c->others);
		json_uint(j, "unknown_ns", c->unknown);
		json_uint(j, "dispatches", c->dispatches);
		json_uint(j, "contradictions", c->misfits);
		json_end(j, '}');
	}
	json_end(j, ']');
}

static void json_reasons(struct json *j, const char *key, const uint64_t *list)
{
	uint32_t i;

	json_object(j, key);
	for (i = 0; i < SCHED_REASONS; i++) {
		if (list[i])
			json_uint(j, reason_name(i), list[i]);
	}
	json_end(j, '}');
}

static int json_threads(const struct job *job, struct json *j)
{
	const struct sched *s = sched_of(job);
	uint32_t *order, count, i;
	int rc = order_threads(job, &order, &count, thread_value);

	if (rc)
		return rc;
	json_array(j, "threads");
	for (i = 0; i < count; i++) {
		const struct sched_row *r = &s->row[order[i]];

		json_object(j, NULL);
		json_thread(j, job, "", order[i]);
		if (knows_priority(r))
			json_int(j, "priority", r->priority);
		else
			json_null(j, "priority");
		json_uint(j, "run_ns", r->run);
		json_uint(j, "interrupted_ns", r->interrupted);
		json_reasons(j, "wait_ns", r->wait);
		json_reasons(j, "off_ns", r->off);
		json_uint(j, "unknown_ns", r->unknown);
		json_uint(j, "unsure_ns", r->unsure);
		json_reasons(j, "left", r->left);
		json_uint(j, "dispatches", r->dispatches);
		json_uint(j, "migrations", r->migrations);
		json_uint(j, "without_wakeup", r->unwoken);
		json_spread(j, "latency", &r->latency);
		json_uint(j, "unsure_latencies", r->unsure_latencies);
		json_end(j, '}');
	}
	json_end(j, ']');
	free(order);
	return 0;
}

static void json_waker(const struct job *job, struct json *j, uint32_t waker)
{
	const struct irqs *q = &job->model->times.irqs;

	if (waker == WAKER_SOME_IRQ) {
		json_string(j, "waker_source", "unknown");
	} else if (waker & WAKER_IRQ) {
		waker &= ~WAKER_IRQ;
		json_string(j, "waker_source", irq_source(q->row[waker].source));
		json_uint(j, "waker_number", q->row[waker].number);
	} else {
		json_thread(j, job, "waker_", waker);
	}
}

static int json_pairs(const struct job *job, struct json *j)
{
	const struct sched *s = sched_of(job);
	uint32_t *order, count, i;
	int rc = order_by(&order, &count, s->wakers.npair, pair_value, s->wakers.pair);

	if (rc)
		return rc;
	json_array(j, "wakeups");
	for (i = 0; i < count; i++) {
		const struct wake_pair *p = &s->wakers.pair[order[i]];

		json_object(j, NULL);
		json_waker(job, j, p->waker);
		json_thread(j, job, "", p->wakee);
		json_uint(j, "count", p->count);
		json_uint(j, "slept_ns", p->slept);
		json_uint(j, "latency_ns", p->latency);
		json_uint(j, "longest_ns", p->longest);
		json_end(j, '}');
	}
	json_end(j, ']');
	free(order);
	return 0;
}

static int sched_json(const struct job *job, struct json *j)
{
	int rc;

	json_object(j, "sched");
	json_uint(j, "wakeup_records", job->trace->major[PITRACE_WAKEUP]);
	json_uint(j, "interrupt_records", job->trace->major[PITRACE_INTERRUPT]);
	json_cpus(job, j);
	rc = json_threads(job, j);
	if (!rc)
		rc = json_pairs(job, j);
	json_end(j, '}');
	return rc;
}

static int sched_csv(const struct job *job, FILE *out)
{
	const struct sched *s = sched_of(job);
	uint32_t *order, count, i, k;
	int rc = order_threads(job, &order, &count, thread_value);

	if (rc)
		return rc;
	fputs("pid,process,tid,thread,priority,run_ns,interrupted_ns", out);
	for (k = 0; k < SCHED_REASONS; k++)
		fprintf(out, ",wait_%s_ns,off_%s_ns,left_%s", reason_name(k), reason_name(k),
			reason_name(k));
	fputs(",unknown_ns,unsure_ns,dispatches,migrations," CSV_SPREAD "\n", out);
	for (i = 0; i < count; i++) {
		const struct sched_row *r = &s->row[order[i]];

		csv_thread(out, job, order[i]);
		if (knows_priority(r))
			fprintf(out, "%d", r->priority);
		fprintf(out, ",%" PRIu64 ",%" PRIu64, r->run, r->interrupted);
		for (k = 0; k < SCHED_REASONS; k++)
			fprintf(out, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64, r->wait[k], r->off[k],
				r->left[k]);
		fprintf(out, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",", r->unknown,
			r->unsure, r->dispatches, r->migrations);
		csv_spread(out, &r->latency);
		putc('\n', out);
	}
	free(order);
	return 0;
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
