/* SPDX-License-Identifier: GPL-3.0-or-later */
/* irq.out: time in interrupts by source and number, for all CPUs together and for each. */
#include "report/times_report.h"

#include <inttypes.h>
#include <stdlib.h>

#include "escape.h"

#define SCREEN_SOURCES 12

/* Rows of all CPUs together, by source and number. */
struct irq_sources {
	struct irq_row *row;
	uint32_t count;
};

static int compare_rows(const void *pa, const void *pb)
{
	const struct irq_row *a = pa, *b = pb;

	if (a->source != b->source)
		return a->source < b->source ? -1 : 1;
	if (a->number != b->number)
		return a->number < b->number ? -1 : 1;
	return a->cpu < b->cpu ? -1 : a->cpu > b->cpu;
}

static void free_sources(struct irq_sources *list)
{
	uint32_t i;

	for (i = 0; list->row && i < list->count; i++)
		spread_free(&list->row[i].time);
	free(list->row);
}

static int gather(struct irq_sources *list, const struct irqs *q)
{
	struct irq_row *sorted = calloc((size_t)q->nrow + 1, sizeof(*sorted)), *into = NULL;
	uint32_t i;
	int rc = 0;

	*list = (struct irq_sources){ calloc((size_t)q->nrow + 1, sizeof(*list->row)), 0 };
	if (!sorted || !list->row) {
		free(sorted);
		free_sources(list);
		return -ENOMEM;
	}
	for (i = 0; i < q->nrow; i++)
		sorted[i] = q->row[i];
	qsort(sorted, q->nrow, sizeof(*sorted), compare_rows);
	for (i = 0; i < q->nrow && !rc; i++) {
		if (!into || into->source != sorted[i].source || into->number != sorted[i].number) {
			into = &list->row[list->count++];
			into->source = sorted[i].source;
			into->number = sorted[i].number;
		}
		into->self += sorted[i].self;
		into->cut += sorted[i].cut;
		rc = spread_merge(&into->time, &sorted[i].time);
	}
	free(sorted);
	if (rc)
		free_sources(list);
	return rc;
}

static uint64_t self_value(const void *rows, uint32_t i)
{
	const struct irq_row *r = (const struct irq_row *)rows + i;

	return r->self + (r->time.count || r->cut);
}

/* ---- text ------------------------------------------------------------------------------------ */

static void write_heading(FILE *out)
{
	fprintf(out, "%10s%13s%7s%13s%11s%11s%11s%11s%6s  %s\n", "COUNT", "SELF ms", "%%%",
		"TOTAL ms", "MIN us", "MEAN us", "P95 us", "MAX us", "CUT", "SOURCE");
}

static void write_row(const struct job *job, FILE *out, const struct irq_row *r, uint64_t wall)
{
	fprintf(out, "%10" PRIu64, r->time.count);
	print_ms(out, 13, r->self);
	fprintf(out, "%7.3f", percent_of(r->self, wall));
	print_ms(out, 13, r->time.total);
	print_us(out, 11, r->time.min);
	print_us(out, 11, spread_mean(&r->time));
	print_us(out, 11, spread_percentile(&r->time, 950));
	print_us(out, 11, r->time.max);
	fprintf(out, "%6" PRIu64 "  ", r->cut);
	print_irq(out, job, r->source, r->number);
	putc('\n', out);
}

static int write_sources(const struct job *job, FILE *out, uint32_t most)
{
	struct irq_sources list;
	uint32_t *order, count, i;
	int rc = gather(&list, &job->model->times.irqs);

	if (rc)
		return rc;
	rc = order_by(&order, &count, list.count, self_value, list.row);
	if (!rc) {
		write_heading(out);
		for (i = 0; i < count && i < most; i++)
			write_row(job, out, &list.row[order[i]], times_wall(job));
		if (i < count)
			fprintf(out, "%10s and %u more\n", "", count - i);
		free(order);
	}
	free_sources(&list);
	return rc;
}

static void write_cpu(const struct job *job, FILE *out, uint32_t cpu, const uint32_t *order,
		      uint32_t count)
{
	const struct times *t = &job->model->times;
	const struct sched_cpu *c = &t->sched.cpu[cpu];
	uint32_t i;

	fprintf(out, "\nCPU %u: in interrupts", cpu);
	print_ms(out, 0, c->interrupt);
	fputs(" ms of", out);
	print_ms(out, 0, c->wall);
	fprintf(out, " ms (%.3f %%)", percent_of(c->interrupt, c->wall));
	if (cpu < t->irqs.ncpus && t->irqs.cpu[cpu].stray)
		fprintf(out, "; %" PRIu64 " exits without an entry", t->irqs.cpu[cpu].stray);
	fputs("\n\n", out);
	write_heading(out);
	for (i = 0; i < count; i++) {
		if (t->irqs.row[order[i]].cpu == cpu)
			write_row(job, out, &t->irqs.row[order[i]], c->wall);
	}
}

static bool nothing(const struct job *job, FILE *out)
{
	if (job->trace->major[PITRACE_INTERRUPT])
		return false;
	times_missing(job, out, "interrupt", PITRACE_INTERRUPT, "interrupt");
	return true;
}

static int irq_write(const struct job *job, FILE *out)
{
	const struct times *t = &job->model->times;
	uint32_t *order, count, i;
	int rc;

	times_head(job, out, "Interrupt");
	if (nothing(job, out))
		return 0;
	times_banner(out, "Source, all CPUs");
	rc = write_sources(job, out, UINT32_MAX);
	if (rc)
		return rc;
	fputs("\nSELF is without what came in between and counts each instant once; TOTAL is with it.\n"
	      "%%% is SELF of all CPUs' time. CUT: entries whose exit is missing; their time is in SELF\n"
	      "as far as it is known. Percentiles are too high by up to 1/32 of themselves.\n",
	      out);
	times_banner(out, "Source, each CPU");
	rc = order_by(&order, &count, t->irqs.nrow, self_value, t->irqs.row);
	if (rc)
		return rc;
	for (i = 0; i < t->sched.ncpus; i++) {
		if (t->sched.cpu[i].seen)
			write_cpu(job, out, i, order, count);
	}
	free(order);
	return 0;
}

static int irq_screen(const struct job *job, FILE *out)
{
	if (nothing(job, out))
		return 0;
	putc('\n', out);
	return write_sources(job, out, SCREEN_SOURCES);
}

/* ---- JSON and CSV ---------------------------------------------------------------------------- */

static void json_row(const struct job *job, struct json *j, const struct irq_row *r)
{
	json_string(j, "source", irq_source(r->source));
	json_uint(j, "number", r->number);
	json_string(j, "name", irq_name(&job->trace->irqs, r->source, r->number));
	json_uint(j, "self_ns", r->self);
	json_uint(j, "cut", r->cut);
	json_spread(j, "time", &r->time);
}

static int irq_json(const struct job *job, struct json *j)
{
	const struct times *t = &job->model->times;
	struct irq_sources list;
	uint32_t i, k;
	int rc = gather(&list, &t->irqs);

	if (rc)
		return rc;
	json_object(j, "irq");
	json_array(j, "sources");
	for (i = 0; i < list.count; i++) {
		json_object(j, NULL);
		json_row(job, j, &list.row[i]);
		json_end(j, '}');
	}
	json_end(j, ']');
	free_sources(&list);
	json_array(j, "cpus");
	for (i = 0; i < t->sched.ncpus; i++) {
		if (!t->sched.cpu[i].seen)
			continue;
		json_object(j, NULL);
		json_uint(j, "cpu", i);
		json_uint(j, "wall_ns", t->sched.cpu[i].wall);
		json_uint(j, "interrupt_ns", t->sched.cpu[i].interrupt);
		json_uint(j, "exits_without_entry", i < t->irqs.ncpus ? t->irqs.cpu[i].stray : 0);
		json_array(j, "sources");
		for (k = 0; k < t->irqs.nrow; k++) {
			if (t->irqs.row[k].cpu != i)
				continue;
			json_object(j, NULL);
			json_row(job, j, &t->irqs.row[k]);
			json_end(j, '}');
		}
		json_end(j, ']');
		json_end(j, '}');
	}
	json_end(j, ']');
	json_end(j, '}');
	return 0;
}

static int irq_csv(const struct job *job, FILE *out)
{
	const struct irqs *q = &job->model->times.irqs;
	uint32_t i;

	fputs("cpu,source,number,name,self_ns,cut," CSV_SPREAD "\n", out);
	for (i = 0; i < q->nrow; i++) {
		const struct irq_row *r = &q->row[i];

		fprintf(out, "%u,%s,%u,", r->cpu, irq_source(r->source), r->number);
		escape_csv(out, irq_name(&job->trace->irqs, r->source, r->number));
		fprintf(out, ",%" PRIu64 ",%" PRIu64 ",", r->self, r->cut);
		csv_spread(out, &r->time);
		putc('\n', out);
	}
	return 0;
}

const struct report report_irq = {
	.name = "irq",
	.usage = "  -irq              time in interrupts by source (irq.out)\n",
	.kinds = REPORT_OF_CPUS,
	.path = "irq.out",
	.mode = 0666,
	.needs = NEED_TIMES,
	.write = irq_write,
	.screen = irq_screen,
	.json = irq_json,
	.csv = irq_csv,
};
