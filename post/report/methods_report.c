/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/methods_report.h"

#include <inttypes.h>

#include "escape.h"
#include "model/method_sums.h"

enum { WITH_TICKS = 1, WITH_VALUES = 2 }; /* parts */

struct method_line {
	const struct method_sum *sum;
	double percent; /* of ticks */
	double per_call;
	bool called;
	const char *name, *module;
};

static void name_text(const struct cell *x)
{
	const struct method_line *l = x->value;

	escape_print(x->out, l->name);
	fputs("  [", x->out);
	escape_print(x->out, short_module(l->module));
	putc(']', x->out);
}

static const struct column_sort sort_name = { .text = name_text };

#define AT(member) COLUMN_AT(struct method_line, member)
#define OF(member) COLUMN_OF(struct method_sum, member)
static const struct column columns[] = {
	{ "ticks", "TICKS", WIDE(10), .parts = WITH_TICKS, OF(ticks) },
	{ "percent", "%%%", " ", PERCENT(6, 2), .parts = WITH_TICKS, AT(percent) },
	{ "calls", "CALLS", " ", 12, OF(calls) },
	{ "base", "BASE", " ", 16, .parts = WITH_VALUES, OF(base) },
	{ "delta", "DELTA", " ", 14, .parts = WITH_VALUES, OF(delta) },
	{ "base_per_call", "A CALL", " ", 13, 1, .parts = WITH_VALUES,
	  COLUMN_WHEN(struct method_line, called), AT(per_call) },
	{ "name", AT(name) },
	{ "module", AT(module) },
	{ .title = "METHOD", .before = "  ", .sort = &sort_name },
	COLUMNS_END,
};
#undef AT
#undef OF

static int gather(const struct job *job, struct method_sums *m)
{
	int rc;

	method_sums_begin(m, job->options->event);
	rc = read_methods(job->input, job->trace, job->model, &job->read, m);
	if (!rc)
		method_sums_finish(m, &job->model->names);
	return rc;
}

static void write_table(struct table *t, const struct method_sums *m)
{
	const struct names *n = &t->job->model->names;

	t->part = (m->ticks ? WITH_TICKS : 0) | (m->has_base ? WITH_VALUES : 0);
	table_begin(t, columns, "methods");
	for (uint32_t i = 0; i < m->count; i++) {
		const struct method_sum *sum = &m->sum[i];
		const struct symbol *s = &n->symbols.symbol[sum->symbol];
		struct method_line l = {
			.sum = sum,
			.percent = percent_of(sum->ticks, m->ticks),
			.called = sum->calls != 0,
			.per_call = sum->calls ? (double)sum->base / (double)sum->calls : 0,
			.name = s->name,
			.module = n->module[s->module].name,
		};

		table_row(t, &l);
	}
	table_end(t);
}

int methods_write(const struct job *job, FILE *out)
{
	struct table t = table_text(job, out);
	struct method_sums m;
	int rc = gather(job, &m);

	fprintf(out, "Calls of methods, pitrace %s\n\n", PITRACE_VERSION);
	preamble_run(job, out);
	fprintf(out, "\n%12" PRIu64 "  calls of %u methods", m.calls, m.count);
	if (m.ticks)
		fprintf(out, ", %" PRIu64 " ticks beside them", m.ticks);
	fputs("\n\n", out);
	if (!rc)
		write_table(&t, &m);
	method_sums_free(&m);
	return rc;
}

int methods_rows(struct table *t)
{
	struct method_sums m;
	int rc = gather(t->job, &m);

	if (!rc && t->form == IN_JSON) {
		json_uint(t->json, "calls", m.calls);
		json_uint(t->json, "ticks", m.ticks);
	}
	if (!rc)
		write_table(t, &m);
	method_sums_free(&m);
	return rc;
}
