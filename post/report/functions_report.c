/* SPDX-License-Identifier: GPL-3.0-or-later */
/* -functions: number and duration of calls, for each function with entry and exit records. */
#include "model/functions.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "complain.h"
#include "escape.h"
#include "report/methods_report.h"
#include "report/table.h"

struct line {
	struct function *fn;
	uint32_t number; /* index of its symbol */
	const struct symbol *symbol;
	const char *name, *module;
	double min, median, p90, p99, max, total, self; /* seconds */
};

struct function_lines {
	struct functions functions;
	struct line *line;
	uint32_t n;
};

static void function_text(const struct cell *x)
{
	const struct line *line = x->value;

	print_function(x->out, line->symbol);
	putc(':', x->out);
	escape_print(x->out, line->module);
}

static const struct column_sort sort_function = { .text = function_text };

#define AT(member) COLUMN_AT(struct line, member)
#define OF(member) COLUMN_OF(struct function, member)
#define SECONDS    " ", 14, 9
static const struct column columns[] = {
	{ "number", "NUMBER", " ", 8, .text_turn = 1, OF(number) },
	{ "name", .csv_turn = 1, AT(name) },
	{ "module", .csv_turn = 1, AT(module) },
	{ "calls", "CALLS", WIDE(10), OF(calls) },
	{ "ended", "ENDED", " ", 10, .csv_turn = 1, OF(ended) },
	{ "min", "MIN s", SECONDS, AT(min) },
	{ "median", "MEDIAN", SECONDS, AT(median) },
	{ "p90", "90 %", SECONDS, AT(p90) },
	{ "p99", "99 %", SECONDS, AT(p99) },
	{ "max", "MAX", SECONDS, AT(max) },
	{ "total", "TOTAL", SECONDS, AT(total) },
	{ "self", "SELF", SECONDS, AT(self) },
	{ .title = "FUNCTION:MODULE", .before = "  ", .text_turn = 1, .sort = &sort_function },
	COLUMNS_END,
};
#undef AT
#undef OF

static int compare(const void *pa, const void *pb)
{
	const struct line *a = pa, *b = pb;

	if (a->fn->total != b->fn->total)
		return a->fn->total > b->fn->total ? -1 : 1;
	return a->fn->number < b->fn->number ? -1 : a->fn->number > b->fn->number;
}

static int name_line(const struct job *job, struct line *l)
{
	struct names *n = &job->model->names;

	if (!l->fn->address)
		return names_number(n, l->fn->number, &l->number);
	return names_address(n, l->fn->pid, l->fn->address, l->fn->time, false, &l->number);
}

static void fill_line(struct line *l, const struct names *n, double stamps)
{
	struct function *fn = l->fn;

	l->symbol = &n->symbols.symbol[l->number];
	l->name = l->symbol->name;
	l->module = n->module[l->symbol->module].name;
	l->min = (double)(fn->ended ? fn->min : 0) / stamps;
	l->median = (double)function_percentile(fn, 0.5) / stamps;
	l->p90 = (double)function_percentile(fn, 0.9) / stamps;
	l->p99 = (double)function_percentile(fn, 0.99) / stamps;
	l->max = (double)fn->max / stamps;
	l->total = (double)fn->total / stamps;
	l->self = (double)fn->self / stamps;
}

static int gather(const struct job *job, struct function_lines *l)
{
	uint32_t i;
	int rc = read_functions(job->input, job->trace, &job->read, &l->functions);

	l->n = l->functions.nfunction;
	l->line = calloc(l->n + 1ul, sizeof(*l->line));
	if (!l->line)
		return -ENOMEM;
	for (i = 0; i < l->n && !rc; i++) {
		l->line[i].fn = &l->functions.function[i];
		rc = name_line(job, &l->line[i]);
	}
	/* Symbols may move while names are added. */
	for (i = 0; i < l->n && !rc; i++)
		fill_line(&l->line[i], &job->model->names, (double)job->input->header.clock_hz);
	if (!rc && l->n)
		qsort(l->line, l->n, sizeof(*l->line), compare);
	return rc;
}

static void write_table(struct table *t, const struct function_lines *l)
{
	uint32_t i;

	table_begin(t, columns, "functions");
	for (i = 0; i < l->n; i++)
		table_row(t, &l->line[i]);
	table_end(t);
}

static void function_lines_free(struct function_lines *l)
{
	functions_free(&l->functions);
	free(l->line);
}

/* ---- text ------------------------------------------------------------------------------------ */

static void print_books(const struct job *job, const struct function_lines *l, FILE *out)
{
	const struct callflow *flow = &l->functions.flow;
	const struct trace *t = job->trace;

	fprintf(out, "%12" PRIu64 "  calls of %u functions in %u threads\n", flow->calls, l->n,
		flow->nthread);
	fprintf(out, "%12" PRIu64 "  not over when the log ended\n", callflow_open(flow));
	fprintf(out, "%12" PRIu64 "  left without a record of it\n", flow->unleft);
	fprintf(out, "%12" PRIu64 "  exits of functions that were not entered\n", flow->unentered);
	fprintf(out, "%12" PRIu64 "  events, %" PRIu64 " of them with a type\n",
		t->major[CALL_CUSTOM_EVENT] + t->major[CALL_TYPED_EVENT],
		t->major[CALL_TYPED_EVENT]);
}

static int functions_write(const struct job *job, FILE *out)
{
	struct table t = table_text(job, out);
	struct function_lines l = { 0 };
	int rc;

	if (job->input->values)
		return methods_write(job, out);
	rc = gather(job, &l);
	fprintf(out, "Calls of functions, pitrace %s\n\n", PITRACE_VERSION);
	preamble_run(job, out);
	putc('\n', out);
	print_books(job, &l, out);
	putc('\n', out);
	if (!rc)
		write_table(&t, &l);
	function_lines_free(&l);
	return rc;
}

/* ---- JSON, CSV ------------------------------------------------------------------------------- */

static int functions_rows(struct table *t)
{
	const struct job *job = t->job;
	struct function_lines l = { 0 };
	int rc;

	if (job->input->values)
		return methods_rows(t);
	rc = gather(job, &l);
	if (!rc && t->form == IN_JSON) {
		json_uint(t->json, "calls", l.functions.flow.calls);
		json_uint(t->json, "open", callflow_open(&l.functions.flow));
		json_uint(t->json, "unleft", l.functions.flow.unleft);
		json_uint(t->json, "unentered", l.functions.flow.unentered);
		json_uint(t->json, "custom_events", job->trace->major[CALL_CUSTOM_EVENT]);
		json_uint(t->json, "typed_events", job->trace->major[CALL_TYPED_EVENT]);
	}
	if (!rc)
		write_table(t, &l);
	function_lines_free(&l);
	return rc;
}

static bool functions_absent(const struct job *job)
{
	if (job->input->calls || job->input->values)
		return false;
	complain(
		"-functions: the trace has no function calls, which an XRay log, log-rt or log-gen has");
	return true;
}

const struct report report_functions = {
	.name = "functions",
	.usage =
		"  -functions        calls of each function and their times, of XRay logs; of log-rt and\n"
		"                    log-gen calls and values, and ticks of a trace beside them\n"
		"                    (functions.out)\n",
	.kinds = REPORT_OF_CALLS,
	.path = "functions.out",
	.mode = 0666,
	.needs = NEED_RUNS,
	.absent = functions_absent,
	.write = functions_write,
	.rows = functions_rows,
};
