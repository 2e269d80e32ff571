// SPDX-License-Identifier: GPL-3.0-or-later
/* Prints counts as JSON and CSV. */
#include <cycles.h>
#include <inttypes.h>
#include "escape.h"
#include "json.h"
#include "tool.h"

/* ---- JSON: one object; for intervals, one per line ------------------------------------------- */

static void json_values(struct json *j, const struct dump *d, const char *key,
			const uint64_t *value)
{
	json_object(j, key);
	for (uint32_t i = 0; i < d->info.metrics; i++)
		json_uint(j, d->info.metric[i], value[i]);
	json_end(j, '}');
}

static void json_counts(struct json *j, const struct dump *d, const struct ptt_thread_data *t)
{
	double cpi;

	json_uint(j, "dispatches", t->dispatches);
	json_uint(j, "interrupts", t->interrupts);
	json_values(j, d, "values", t->value);
	json_values(j, d, "in_interrupts", t->interrupt);
	if (d->cpi[0] >= 0 && cpi_of(d, t->value, &cpi))
		json_fixed(j, "cpi", cpi, 4);
	else if (d->cpi[0] >= 0)
		json_null(j, "cpi");
}

static void json_metrics(struct json *j, const struct dump *d)
{
	json_array(j, "metrics");
	for (uint32_t i = 0; i < d->info.metrics; i++) {
		json_object(j, NULL);
		json_string(j, "name", d->info.metric[i]);
		json_string(j, "unit", d->info.unit[i]);
		json_end(j, '}');
	}
	json_end(j, ']');
}

static void json_threads(struct json *j, const struct dump *d)
{
	json_array(j, "threads");
	for (int i = 0; i < d->rows; i++) {
		const struct ptt_thread_data *t = &d->row[i].t;

		json_object(j, NULL);
		json_int(j, "pid", t->pid);
		json_int(j, "tid", t->tid);
		json_string(j, "name", t->name);
		json_bool(j, "ended", t->ended);
		json_counts(j, d, t);
		if (d->row[i].cgroup)
			json_string(j, "cgroup", d->row[i].cgroup);
		else if (d->with_cgroups)
			json_null(j, "cgroup");
		json_end(j, '}');
	}
	json_end(j, ']');
}

static void json_gone(struct json *j, const struct dump *d)
{
	json_object(j, "earlier");
	json_uint(j, "threads", d->gone.threads);
	json_bool(j, "sure", !d->torn);
	json_uint(j, "dispatches", d->gone.dispatches);
	json_uint(j, "interrupts", d->gone.interrupts);
	json_values(j, d, "values", d->gone.value);
	json_values(j, d, "in_interrupts", d->gone.interrupt);
	json_end(j, '}');
	json_uint(j, "not_counted", d->gone.unwatched);
}

static void json_cpus(struct json *j, const struct dump *d)
{
	json_array(j, "cpus");
	for (int c = 0; c < d->cpus; c++) {
		const struct pttview_cpu *cpu = &d->cpu[c];

		json_object(j, NULL);
		json_int(j, "cpu", d->cpu_number[c]);
		json_bool(j, "online", cpu->online);
		json_uint(j, "dispatches", cpu->dispatches);
		json_uint(j, "interrupts", cpu->interrupts);
		json_uint(j, "steal_ns", cpu->steal);
		json_values(j, d, "all", cpu->wall);
		for (int b = 0; b < PTTVIEW_BUCKETS; b++)
			json_values(j, d, bucket_names[b], cpu->bucket[b]);
		json_array(j, "missing");
		for (uint32_t i = 0; i < d->info.metrics; i++)
			if (cpu->missing & 1u << i)
				json_string(j, NULL, d->info.metric[i]);
		json_end(j, ']');
		json_end(j, '}');
	}
	json_end(j, ']');
}

void show_json(FILE *out, const struct dump *d)
{
	struct json j;

	json_document(&j, out, !d->interval);
	if (d->interval)
		json_uint(&j, "interval", d->interval);
	json_uint(&j, "elapsed_ns", d->elapsed);
	/* The rate of the unit "cycles". */
	if (CyclesPerSecond() > 0)
		json_fixed(&j, "cycles_per_second", CyclesPerSecond(), 0);
	json_bool(&j, "interrupts_charged", d->charged);
	json_string(&j, "note", d->info.note);
	json_metrics(&j, d);
	json_threads(&j, d);
	if (!d->partly)
		json_gone(&j, d);
	json_cpus(&j, d);
	json_bool(&j, "balanced", dump_balanced(d));
	json_bool(&j, "threads_add_up", d->whole);
	json_end(&j, '}');
}

/* ---- CSV: a line per thread; intervals share a table with the interval in the first column --- */

static void csv_head(FILE *out, const struct dump *d)
{
	if (d->interval)
		fputs("interval,", out);
	fputs("pid,tid,name,ended,dispatches,interrupts", out);
	for (uint32_t i = 0; i < d->info.metrics; i++) {
		putc(',', out);
		escape_csv(out, d->info.metric[i]);
		fputs(",in interrupts", out);
	}
	if (d->cpi[0] >= 0)
		fputs(",cpi", out);
	if (d->with_cgroups)
		fputs(",cgroup", out);
	putc('\n', out);
}

/* cgroup: or NULL */
static void csv_values(FILE *out, const struct dump *d, const uint64_t *value,
		       const uint64_t *interrupt, const char *cgroup)
{
	double cpi;

	for (uint32_t i = 0; i < d->info.metrics; i++)
		fprintf(out, ",%" PRIu64 ",%" PRIu64, value[i], interrupt[i]);
	if (d->cpi[0] >= 0)
		putc(',', out);
	if (d->cpi[0] >= 0 && cpi_of(d, value, &cpi))
		fprintf(out, "%.4f", cpi);
	if (d->with_cgroups)
		putc(',', out);
	if (cgroup)
		escape_csv(out, cgroup);
	putc('\n', out);
}

static void csv_begin(FILE *out, const struct dump *d)
{
	if (d->interval)
		fprintf(out, "%" PRIu64 ",", d->interval);
}

void show_csv(FILE *out, const struct dump *d)
{
	if (d->interval < 2)
		csv_head(out, d);
	for (int k = 0; k < d->rows; k++) {
		const struct ptt_thread_data *t = &d->row[k].t;

		csv_begin(out, d);
		fprintf(out, "%d,%d,", t->pid, t->tid);
		escape_csv(out, t->name);
		fprintf(out, ",%d,%" PRIu64 ",%" PRIu64, t->ended, t->dispatches, t->interrupts);
		csv_values(out, d, t->value, t->interrupt, d->row[k].cgroup);
	}
	if (d->gone.threads && !d->partly) {
		csv_begin(out, d);
		fprintf(out, ",,earlier,1,%" PRIu64 ",%" PRIu64, d->gone.dispatches,
			d->gone.interrupts);
		csv_values(out, d, d->gone.value, d->gone.interrupt, NULL);
	}
}
