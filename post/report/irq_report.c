/* SPDX-License-Identifier: GPL-3.0-or-later */
/* irq.out: time in interrupts by source and number, for all CPUs and for each. */
#include "report/times_report.h"

#include <inttypes.h>
#include <stdlib.h>

#define SCREEN_SOURCES 12

/* Rows summed over all CPUs, by source and number. */
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

/* A line: a source, with its percentage of `wall`. */
struct irq_line {
	const struct irq_row *of;
	const char *source, *name;
	double share;
};

static void irq_text(const struct cell *x)
{
	const struct irq_row *r = x->value;

	print_irq(x->out, x->job, r->source, r->number);
}

static const struct column_sort sort_irq = { .text = irq_text };

#define OF(member) COLUMN_OF(struct irq_row, member)
static const struct column columns[] = {
	{ "cpu", .forms = IN_CSV, OF(cpu) },
	{ "source", COLUMN_AT(struct irq_line, source) },
	{ "number", OF(number) },
	{ "name", COLUMN_AT(struct irq_line, name) },
	{ .title = "COUNT", WIDE(10), OF(time.count) },
	{ "self_ns", "SELF ms", MS(13), OF(self) },
	{ .title = "%%%", PERCENT(7, 3), COLUMN_AT(struct irq_line, share) },
	{ .title = "TOTAL ms", MS(13), OF(time.total) },
	{ .title = "MIN us", US(11), OF(time.min) },
	{ .title = "MEAN us", OF(time), MEAN(11) },
	{ .title = "P95 us", OF(time), PERCENTILE(11, 950) },
	{ .title = "MAX us", US(11), OF(time.max) },
	{ "cut", "CUT", WIDE(6), OF(cut) },
	{ "time", OF(time), SPREAD },
	{ .title = "SOURCE", .before = "  ", .of = true, .sort = &sort_irq },
	COLUMNS_END,
};
#undef OF

static void write_row(struct table *t, const struct irq_row *r, uint64_t wall)
{
	table_row(t, &(struct irq_line){
			     .of = r,
			     .source = irq_source(r->source),
			     .name = irq_name(&t->job->trace->irqs, r->source, r->number),
			     .share = percent_of(r->self, wall),
		     });
}

/* ---- text ------------------------------------------------------------------------------------ */

static int write_sources(const struct job *job, FILE *out, uint32_t most)
{
	struct table t = table_text(job, out);
	struct irq_sources list;
	uint32_t *order, count, i;
	int rc = gather(&list, &job->model->times.irqs);

	if (rc)
		return rc;
	rc = order_by(&order, &count, list.count, self_value, list.row);
	if (!rc) {
		table_begin(&t, columns, NULL);
		for (i = 0; i < count && i < most; i++)
			write_row(&t, &list.row[order[i]], times_wall(job));
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
	struct table table = table_text(job, out);
	uint32_t i;

	fprintf(out, "\nCPU %u: in interrupts ", cpu);
	print_ms(out, 0, c->interrupt);
	fputs(" ms of ", out);
	print_ms(out, 0, c->wall);
	fprintf(out, " ms (%.3f %%)", percent_of(c->interrupt, c->wall));
	if (cpu < t->irqs.ncpus && t->irqs.cpu[cpu].stray)
		fprintf(out, "; %" PRIu64 " exits without an entry", t->irqs.cpu[cpu].stray);
	fputs("\n\n", out);
	table_begin(&table, columns, NULL);
	for (i = 0; i < count; i++) {
		if (t->irqs.row[order[i]].cpu == cpu)
			write_row(&table, &t->irqs.row[order[i]], c->wall);
	}
}

static bool nothing(const struct job *job, FILE *out)
{
	static const uint16_t majors[] = { PITRACE_INTERRUPT, 0 };

	if (job->trace->major[PITRACE_INTERRUPT])
		return false;
	times_missing(job, out, "interrupt records", majors);
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

/* Writes the rows of a CPU or of all CPUs, in the model's order. */
static void write_rows(struct table *t, const struct irq_row *row, uint32_t count, uint32_t cpu)
{
	uint32_t i;

	table_begin(t, columns, "sources");
	for (i = 0; i < count; i++) {
		if (cpu == ANY_CPU || row[i].cpu == cpu)
			write_row(t, &row[i], 0);
	}
	table_end(t);
}

static int irq_json(const struct job *job, struct json *j)
{
	const struct times *times = &job->model->times;
	const struct irqs *q = &times->irqs;
	struct table t = table_json(job, j);
	struct irq_sources list;
	uint32_t i;
	int rc = gather(&list, q);

	if (rc)
		return rc;
	json_object(j, "irq");
	write_rows(&t, list.row, list.count, ANY_CPU);
	free_sources(&list);
	json_array(j, "cpus");
	for (i = 0; i < times->sched.ncpus; i++) {
		const struct sched_cpu *c = &times->sched.cpu[i];

		if (!c->seen)
			continue;
		json_object(j, NULL);
		json_uint(j, "cpu", i);
		json_uint(j, "wall_ns", c->wall);
		json_uint(j, "interrupt_ns", c->interrupt);
		json_uint(j, "exits_without_entry", i < q->ncpus ? q->cpu[i].stray : 0);
		write_rows(&t, q->row, q->nrow, i);
		json_end(j, '}');
	}
	json_end(j, ']');
	json_end(j, '}');
	return 0;
}

static int irq_csv(const struct job *job, FILE *out)
{
	const struct irqs *q = &job->model->times.irqs;
	struct table t = table_csv(job, out);

	write_rows(&t, q->row, q->nrow, ANY_CPU);
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
