/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Headers, units, names and sort order of the reports of times. */
#include "report/times_report.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <perfutil.h>

#include "escape.h"

const char report_rule[] =
	"================================================================================\n";

/* ---- headers --------------------------------------------------------------------------------- */

void times_head(const struct job *job, FILE *out, const char *title)
{
	fprintf(out, "%s report, pitrace %s\n\n", title, PITRACE_VERSION);
	preamble_system(job, out);
	preamble_run(job, out);
	fputs("\nLost\n", out);
	warn_losses(out, job, "  ");
	preamble_damage(job, out);
}

void times_banner(FILE *out, const char *name)
{
	fprintf(out, "\n%s )) %s\n%s\n", report_rule, name, report_rule);
}

uint64_t times_wall(const struct job *job)
{
	const struct sched *s = &job->model->times.sched;
	uint64_t wall = 0;
	uint32_t i;

	for (i = 0; i < s->ncpus; i++)
		wall += s->cpu[i].wall;
	return wall;
}

/* Prints the collectors that record this major: "driver or perf". */
static void print_collectors(FILE *out, uint16_t major)
{
	const char *before = "", *name;
	int i;

	for (i = 0; (name = TraceCollectorName(i)); i++) {
		if (TraceCollectorHas(name, major) == 1) {
			fprintf(out, "%s%s", before, name);
			before = " or ";
		}
	}
}

/* Returns whether the collector (NULL: all collectors), if it records `first`, also records
 * `major`; false for unknown collectors. */
static bool has_too(const char *collector, int first, int major)
{
	const char *name;

	if (collector)
		return TraceCollectorHas(collector, major);
	for (int i = 0; (name = TraceCollectorName(i)); i++) {
		if (TraceCollectorHas(name, first) && !TraceCollectorHas(name, major))
			return false;
	}
	return true;
}

static void print_majors(FILE *out, const char *collector, const uint16_t *majors, char between)
{
	for (const uint16_t *m = majors; *m; m++) {
		if (m == majors)
			fputs(TraceMajorName(*m), out);
		else if (has_too(collector, *majors, *m))
			fprintf(out, "%c%s", between, TraceMajorName(*m));
	}
}

static void print_how(FILE *out, const char *collector, const uint16_t *majors)
{
	fputs("  swtrace run -M ", out);
	print_majors(out, collector, majors, ',');
	fputs(" -- COMMAND\nor, before swtrace on:\n  swtrace enable ", out);
	print_majors(out, collector, majors, ' ');
	putc('\n', out);
}

void times_missing(const struct job *job, FILE *out, const char *kind, const uint16_t *majors)
{
	char collector[sizeof(job->input->header.collector) + 1];

	snprintf(collector, sizeof(collector), "%.*s", (int)sizeof(collector) - 1,
		 job->input->header.collector);
	fprintf(out, "\nThe trace has no %s", kind);
	if (TraceCollectorHas(collector, *majors)) {
		fputs(". Record them with:\n", out);
		print_how(out, collector, majors);
		return;
	}
	fprintf(out, ": the collector %s has none. They need the collector ", collector);
	print_collectors(out, *majors);
	fputs("\n(swtrace check shows why it is unavailable). Then record them with:\n", out);
	print_how(out, NULL, majors);
}

static void print_unknown(const struct job *job, FILE *out, const char *kind, uint16_t major,
			  const char *meaning)
{
	char collector[sizeof(job->input->header.collector) + 1];

	if (times_has(job, major))
		return;
	snprintf(collector, sizeof(collector), "%.*s", (int)sizeof(collector) - 1,
		 job->input->header.collector);
	fprintf(out, "no %s records", kind);
	if (!TraceCollectorHas(collector, major))
		fprintf(out, " (the collector %s has none)", collector);
	fprintf(out, ": %s\n", meaning);
}

void times_unknown(const struct job *job, FILE *out, bool interrupts)
{
	print_unknown(job, out, "wake-up", PITRACE_WAKEUP,
		      "no latencies; who was woken counts as off until it ran");
	if (interrupts)
		print_unknown(job, out, "interrupt", PITRACE_INTERRUPT,
			      "their time is that of what they came upon");
}

/* ---- units ----------------------------------------------------------------------------------- */

/* Prints three decimal places. Too small a width becomes 0: a negative one would pad after the
 * number. */
static void print_thousandths(FILE *out, int width, uint64_t value)
{
	fprintf(out, "%*" PRIu64 ".%03" PRIu64, width > 4 ? width - 4 : 0, value / 1000,
		value % 1000);
}

void print_ms(FILE *out, int width, uint64_t ns)
{
	print_thousandths(out, width, ns / 1000);
}

void print_us(FILE *out, int width, uint64_t ns)
{
	print_thousandths(out, width, ns);
}

static void spread_json(const struct cell *x)
{
	const struct spread *s = x->value;

	json_object(x->json, x->column->name);
	json_uint(x->json, "count", s->count);
	json_uint(x->json, "total_ns", s->total);
	json_uint(x->json, "min_ns", s->min);
	json_uint(x->json, "mean_ns", spread_mean(s));
	json_uint(x->json, "p50_ns", spread_percentile(s, 500));
	json_uint(x->json, "p95_ns", spread_percentile(s, 950));
	json_uint(x->json, "p99_ns", spread_percentile(s, 990));
	json_uint(x->json, "max_ns", s->max);
	json_end(x->json, '}');
}

static void spread_names(const struct cell *x)
{
	fputs("count,total_ns,min_ns,mean_ns,p50_ns,p95_ns,p99_ns,max_ns", x->out);
}

static void spread_csv(const struct cell *x)
{
	const struct spread *s = x->value;

	fprintf(x->out,
		"%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64
		",%" PRIu64,
		s->count, s->total, s->min, spread_mean(s), spread_percentile(s, 500),
		spread_percentile(s, 950), spread_percentile(s, 990), s->max);
}

const struct column_sort sort_spread = {
	.json = spread_json,
	.names = spread_names,
	.csv = spread_csv,
};

static void mean_text(const struct cell *x)
{
	print_us(x->out, x->column->width, spread_mean(x->value));
}

static void percentile_text(const struct cell *x)
{
	print_us(x->out, x->column->width,
		 spread_percentile(x->value, (unsigned int)x->column->digits));
}

const struct column_sort sort_mean = { .text = mean_text };
const struct column_sort sort_percentile = { .text = percentile_text };

/* ---- interrupts and wakers ------------------------------------------------------------------- */

void print_irq(FILE *out, const struct job *job, uint32_t source, uint32_t number)
{
	const char *name = irq_name(&job->trace->irqs, source, number);

	fputs(irq_source(source), out);
	switch (source) {
	case PITRACE_IRQ_SOFTIRQ:
		if (*name)
			fprintf(out, " %s", name);
		else
			fprintf(out, " %u", number);
		break;
	case PITRACE_IRQ_DEVICE:
		fprintf(out, " %u", number);
		if (*name) {
			fputs(" (", out);
			escape_print(out, name);
			putc(')', out);
		}
		break;
	case PITRACE_IRQ_TIMER:
	case PITRACE_IRQ_RESCHEDULE:
	case PITRACE_IRQ_CALL:
	case PITRACE_IRQ_WORK:
		break;
	default:
		fprintf(out, " 0x%x", number);
		break;
	}
}

static void waker_text(const struct cell *x)
{
	const struct irqs *q = &x->job->model->times.irqs;
	uint32_t waker = *(const uint32_t *)x->value;

	if (waker == WAKER_SOME_IRQ) {
		fputs("an interrupt", x->out);
	} else if (waker == WAITED_CPU) {
		fputs("a CPU", x->out);
	} else if (waker == WAITED_UNSEEN) {
		fputs("unknown waker", x->out);
	} else if (waker & WAKER_IRQ) {
		waker &= ~WAKER_IRQ;
		print_irq(x->out, x->job, q->row[waker].source, q->row[waker].number);
	} else {
		print_thread(x->out, x->job, waker);
	}
}

static void waker_json(const struct cell *x)
{
	const struct irqs *q = &x->job->model->times.irqs;
	uint32_t waker = *(const uint32_t *)x->value;

	if (waker == WAKER_SOME_IRQ) {
		json_string(x->json, "waker_source", "unknown");
	} else if (waker == WAITED_CPU || waker == WAITED_UNSEEN) {
		json_string(x->json, "waker_source", waker == WAITED_CPU ? "cpu" : "unseen");
	} else if (waker & WAKER_IRQ) {
		waker &= ~WAKER_IRQ;
		json_string(x->json, "waker_source", irq_source(q->row[waker].source));
		json_uint(x->json, "waker_number", q->row[waker].number);
	} else {
		json_thread(x->json, x->job, "waker_", waker);
	}
}

const struct column_sort sort_waker = { .text = waker_text, .json = waker_json };
/* ---- order ----------------------------------------------------------------------------------- */

struct ordered {
	uint64_t value;
	uint32_t index;
};

static int compare_ordered(const void *pa, const void *pb)
{
	const struct ordered *a = pa, *b = pb;

	if (a->value != b->value)
		return a->value > b->value ? -1 : 1;
	return a->index < b->index ? -1 : a->index > b->index;
}

int order_threads(const struct job *job, uint32_t **order, uint32_t *count,
		  uint64_t (*value)(const void *rows, uint32_t i))
{
	const struct sched *s = &job->model->times.sched;
	uint32_t i, n = 0;
	int rc = order_by(order, count, s->nrow, value, s->row);

	for (i = 0; !rc && i < *count; i++) {
		if (filter_shows(&job->options->filter, &job->model->names, (*order)[i]))
			(*order)[n++] = (*order)[i];
	}
	*count = rc ? 0 : n;
	return rc;
}

int order_by(uint32_t **order, uint32_t *count, uint32_t of,
	     uint64_t (*value)(const void *rows, uint32_t i), const void *rows)
{
	struct ordered *list = calloc((size_t)of + 1, sizeof(*list));
	uint32_t i, n = 0;

	*order = calloc((size_t)of + 1, sizeof(**order));
	*count = 0;
	if (!list || !*order) {
		free(list);
		free(*order);
		*order = NULL;
		return -ENOMEM;
	}
	for (i = 0; i < of; i++) {
		list[n] = (struct ordered){ value(rows, i), i };
		n += list[n].value != 0;
	}
	qsort(list, n, sizeof(*list), compare_ordered);
	for (i = 0; i < n; i++)
		(*order)[i] = list[i].index;
	*count = n;
	free(list);
	return 0;
}
