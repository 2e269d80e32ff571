/* SPDX-License-Identifier: GPL-3.0-or-later */
/* -functions: of each function that tells of its calls how many there were and what they took. */
#include "model/functions.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "complain.h"
#include "escape.h"
#include "report/report.h"

struct line {
	struct function *fn;
	uint32_t number; /* of its symbol */
	const struct symbol *symbol;
	const char *module;
	uint64_t median, p90, p99;
};

struct table {
	struct functions functions;
	struct line *line;
	uint32_t n;
	double stamps; /* a second */
};

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

static int gather(const struct job *job, struct table *l)
{
	const struct names *n = &job->model->names;
	uint32_t i;
	int rc = read_functions(job->input, job->trace, &job->read, &l->functions);

	l->n = l->functions.nfunction;
	l->stamps = (double)job->input->header.clock_hz;
	l->line = calloc(l->n + 1ul, sizeof(*l->line));
	if (!l->line)
		return -ENOMEM;
	for (i = 0; i < l->n && !rc; i++) {
		l->line[i].fn = &l->functions.function[i];
		rc = name_line(job, &l->line[i]);
	}
	for (i = 0; i < l->n && !rc; i++) {
		struct line *line = &l->line[i];

		line->symbol = &n->symbols.symbol[line->number];
		line->module = n->module[line->symbol->module].name;
		line->median = function_percentile(line->fn, 0.5);
		line->p90 = function_percentile(line->fn, 0.9);
		line->p99 = function_percentile(line->fn, 0.99);
	}
	if (!rc && l->n)
		qsort(l->line, l->n, sizeof(*l->line), compare);
	return rc;
}

static void table_free(struct table *l)
{
	functions_free(&l->functions);
	free(l->line);
}

static uint64_t least(const struct function *fn)
{
	return fn->ended ? fn->min : 0;
}

/* ---- text ------------------------------------------------------------------------------------ */

static void print_books(const struct job *job, const struct table *l, FILE *out)
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

static void put_time(FILE *out, const struct table *l, uint64_t stamps)
{
	fprintf(out, " %14.9f", (double)stamps / l->stamps);
}

static void print_line_of(FILE *out, const struct table *l, const struct line *line)
{
	const struct function *fn = line->fn;

	fprintf(out, "%10" PRIu64 " %10" PRIu64, fn->calls, fn->ended);
	put_time(out, l, least(fn));
	put_time(out, l, line->median);
	put_time(out, l, line->p90);
	put_time(out, l, line->p99);
	put_time(out, l, fn->max);
	put_time(out, l, fn->total);
	put_time(out, l, fn->self);
	fprintf(out, " %8u  ", fn->number);
	print_function(out, line->symbol);
	putc(':', out);
	escape_print(out, line->module);
	putc('\n', out);
}

static int functions_write(const struct job *job, FILE *out)
{
	struct table l = { 0 };
	uint32_t i;
	int rc = gather(job, &l);

	fprintf(out, "Calls of functions, pitrace %s\n\n", PITRACE_VERSION);
	preamble_run(job, out);
	putc('\n', out);
	print_books(job, &l, out);
	fprintf(out, "\n%10s %10s %14s %14s %14s %14s %14s %14s %14s %8s  %s\n", "CALLS", "ENDED",
		"MIN s", "MEDIAN", "90 %", "99 %", "MAX", "TOTAL", "SELF", "NUMBER",
		"FUNCTION:MODULE");
	for (i = 0; i < l.n && !rc; i++)
		print_line_of(out, &l, &l.line[i]);
	table_free(&l);
	return rc;
}

/* ---- JSON, CSV ------------------------------------------------------------------------------- */

static int functions_json(const struct job *job, struct json *j)
{
	struct table l = { 0 };
	uint32_t i;
	int rc = gather(job, &l);

	json_uint(j, "calls", l.functions.flow.calls);
	json_uint(j, "open", callflow_open(&l.functions.flow));
	json_uint(j, "unleft", l.functions.flow.unleft);
	json_uint(j, "unentered", l.functions.flow.unentered);
	json_uint(j, "custom_events", job->trace->major[CALL_CUSTOM_EVENT]);
	json_uint(j, "typed_events", job->trace->major[CALL_TYPED_EVENT]);
	json_array(j, "functions");
	for (i = 0; i < l.n && !rc; i++) {
		const struct line *line = &l.line[i];

		json_object(j, NULL);
		json_uint(j, "number", line->fn->number);
		json_string(j, "name", line->symbol->name);
		json_string(j, "module", line->module);
		json_uint(j, "calls", line->fn->calls);
		json_uint(j, "ended", line->fn->ended);
		json_fixed(j, "min", (double)least(line->fn) / l.stamps, 9);
		json_fixed(j, "median", (double)line->median / l.stamps, 9);
		json_fixed(j, "p90", (double)line->p90 / l.stamps, 9);
		json_fixed(j, "p99", (double)line->p99 / l.stamps, 9);
		json_fixed(j, "max", (double)line->fn->max / l.stamps, 9);
		json_fixed(j, "total", (double)line->fn->total / l.stamps, 9);
		json_fixed(j, "self", (double)line->fn->self / l.stamps, 9);
		json_end(j, '}');
	}
	json_end(j, ']');
	table_free(&l);
	return rc;
}

static int functions_csv(const struct job *job, FILE *out)
{
	struct table l = { 0 };
	uint32_t i;
	int rc = gather(job, &l);

	fputs("number,calls,min,median,p90,p99,max,total,self,name,module,ended\n", out);
	for (i = 0; i < l.n && !rc; i++) {
		const struct line *line = &l.line[i];
		const struct function *fn = line->fn;

		fprintf(out, "%u,%" PRIu64 ",%.9f,%.9f,%.9f,%.9f,%.9f,%.9f,%.9f,", fn->number,
			fn->calls, (double)least(fn) / l.stamps, (double)line->median / l.stamps,
			(double)line->p90 / l.stamps, (double)line->p99 / l.stamps,
			(double)fn->max / l.stamps, (double)fn->total / l.stamps,
			(double)fn->self / l.stamps);
		escape_csv(out, line->symbol->name);
		putc(',', out);
		escape_csv(out, line->module);
		fprintf(out, ",%" PRIu64 "\n", fn->ended);
	}
	table_free(&l);
	return rc;
}

static bool functions_absent(const struct job *job)
{
	if (job->input->calls)
		return false;
	complain("-functions: the trace does not tell functions' calls, as an XRay log does");
	return true;
}

const struct report report_functions = {
	.name = "functions",
	.usage = "  -functions        calls of each function and their times, of XRay logs\n"
		 "                    (functions.out)\n",
	.kinds = REPORT_OF_CALLS,
	.path = "functions.out",
	.mode = 0666,
	.needs = NEED_RUNS,
	.absent = functions_absent,
	.write = functions_write,
	.json = functions_json,
	.csv = functions_csv,
};
