/* SPDX-License-Identifier: GPL-3.0-or-later */
/* -callers, -callees: each symbol with its callers and callees. */
#include "report/calls_report.h"

#include <inttypes.h>
#include <string.h>

#include "complain.h"
#include "escape.h"
#include "model/callers.h"
#include "model/wanted.h"

static bool is_named(const struct job *job, uint32_t symbol)
{
	const struct names *n = &job->model->names;
	const struct symbol *s = &n->symbols.symbol[symbol];

	return wanted_symbol(job->options->symbol, s->name, s->a2n ? s->a2n->raw_name : NULL,
			     n->module[s->module].name);
}

static bool is_wanted(const struct job *job, const struct called *of)
{
	if (job->options->symbol)
		return is_named(job, of->symbol);
	return percent_of(of->total, job->stack_total) >= job->options->clip;
}

/* Checks that a symbol's own ticks and those of its callees add up to its total, and those of its
 * callers too. */
static int checked(const struct job *job, const struct callers *c)
{
	uint64_t self = 0;
	uint32_t i, k;

	for (i = 0; i < c->ncalled; i++) {
		const struct called *of = &c->called[i];
		uint64_t above = 0, below = of->self;

		for (k = 0; k < of->ncallers; k++)
			above += c->edge[of->callers + k].ticks;
		for (k = 0; k < of->ncallees; k++)
			below += c->edge[of->callees + k].ticks;
		self += of->self;
		if (above == of->total && below == of->total)
			continue;
		complain("internal error: callers sum to %" PRIu64 ", callees to %" PRIu64
			 " of %" PRIu64 " ticks of %s",
			 above, below, of->total,
			 job->model->names.symbols.symbol[of->symbol].name);
		return REPORT_WRONG;
	}
	if (self == job->stack_total)
		return 0;
	complain("internal error: symbols sum to %" PRIu64 " of %" PRIu64 " ticks", self,
		 job->stack_total);
	return REPORT_WRONG;
}

/* ---- text ------------------------------------------------------------------------------------ */

static void text_edges(const struct job *job, FILE *out, const struct callers *c, uint32_t from,
		       uint32_t count, const char *verb)
{
	uint32_t i;

	for (i = from; i < from + count; i++) {
		const struct edge *e = &c->edge[i];

		fprintf(out, "%12" PRIu64 " %6.2f %19s  %s ", e->ticks,
			percent_of(e->ticks, job->stack_total), "", verb);
		if (e->other == NO_KEY)
			fputs("nobody: it is the outermost", out);
		else
			print_symbol(job, out, c->called[e->other].symbol);
		putc('\n', out);
	}
}

static void text_called(const struct job *job, void *arg, const struct callers *c,
			const struct called *of)
{
	FILE *out = arg;
	uint64_t all = job->stack_total;

	putc('\n', out);
	if (job->options->calls & CALLS_CALLERS)
		text_edges(job, out, c, of->callers, of->ncallers, "  called by");
	fprintf(out, "%12" PRIu64 " %6.2f %11" PRIu64 " %6.2f  ", of->total,
		percent_of(of->total, all), of->self, percent_of(of->self, all));
	print_symbol(job, out, of->symbol);
	if (of->recursive)
		fprintf(out, "  (%" PRIu64 " within itself)", of->recursive);
	putc('\n', out);
	if (job->options->calls & CALLS_CALLEES)
		text_edges(job, out, c, of->callees, of->ncallees, "  called");
}

/* ---- JSON, CSV ------------------------------------------------------------------------------- */

/* Parts; a CSV line is a symbol and an edge. */
enum { OF_SYMBOL = 1, OF_CALLER = 2, OF_CALLEE = 4, OF_EDGE = OF_CALLER | OF_CALLEE };

struct called_line {
	struct code_frame frame, other;
	uint64_t self, total, recursive, ticks;
	double percent;
	bool has_other;
};

#define AT(member) COLUMN_AT(struct called_line, member)
#define OTHER      COLUMN_WHEN(struct called_line, has_other), AT(other), FRAME
static const struct column columns[] = {
	{ "", .parts = OF_SYMBOL, AT(frame), FRAME },
	{ "caller", .parts = OF_CALLER, OTHER },
	{ "callee", .parts = OF_CALLEE, OTHER },
	{ "self", .parts = OF_SYMBOL, AT(self) },
	{ "total", .parts = OF_SYMBOL, AT(total) },
	{ "percent", PERCENT(0, 4), .forms = IN_JSON, .parts = OF_SYMBOL, AT(percent) },
	{ "recursive", .forms = IN_JSON, .parts = OF_SYMBOL, AT(recursive) },
	{ "ticks", .parts = OF_EDGE, AT(ticks) },
	COLUMNS_END,
};
#undef AT

static struct called_line line_of(const struct job *job, const struct called *of)
{
	return (struct called_line){
		.frame = { of->symbol, of->kernel },
		.self = of->self,
		.total = of->total,
		.recursive = of->recursive,
		.percent = percent_of(of->total, job->stack_total),
	};
}

static void write_edges(struct table *t, const struct callers *c, struct called_line *l,
			uint32_t first, uint32_t count)
{
	uint32_t i;

	for (i = first; i < first + count; i++) {
		const struct edge *e = &c->edge[i];

		l->has_other = e->other != NO_KEY;
		if (l->has_other)
			l->other = (struct code_frame){ c->called[e->other].symbol,
							c->called[e->other].kernel };
		l->ticks = e->ticks;
		table_row(t, l);
	}
}

static void json_edges(struct table *t, const struct callers *c, unsigned int part, uint32_t first,
		       uint32_t count)
{
	struct called_line l;

	t->part = part;
	table_begin(t, columns, part == OF_CALLER ? "callers" : "callees");
	write_edges(t, c, &l, first, count);
	table_end(t);
}

static void json_called(const struct job *job, void *arg, const struct callers *c,
			const struct called *of)
{
	struct called_line l = line_of(job, of);
	struct table *t = arg;

	json_object(t->json, NULL);
	t->part = OF_SYMBOL;
	table_members(t, columns, &l);
	json_edges(t, c, OF_CALLER, of->callers, of->ncallers);
	json_edges(t, c, OF_CALLEE, of->callees, of->ncallees);
	json_end(t->json, '}');
}

/* Writes one line per edge: caller and callee. */
static void csv_called(const struct job *job, void *arg, const struct callers *c,
		       const struct called *of)
{
	struct called_line l = line_of(job, of);

	if (job->options->calls == CALLS_CALLEES)
		write_edges(arg, c, &l, of->callees, of->ncallees);
	else
		write_edges(arg, c, &l, of->callers, of->ncallers);
}

/* ---- the report ------------------------------------------------------------------------------ */

/* Builds the edges and calls `each` for every requested symbol. */
static int for_each(const struct job *job, void *arg,
		    void (*each)(const struct job *job, void *arg, const struct callers *c,
				 const struct called *of))
{
	struct callers c;
	uint32_t i;
	int rc = calls_checked(job, "callers");

	if (rc)
		return rc;
	rc = callers_build(&c, &job->stacks->calls, &job->model->names);
	if (!rc)
		rc = checked(job, &c);
	for (i = 0; !rc && i < c.ncalled; i++) {
		if (is_wanted(job, &c.called[i]))
			each(job, arg, &c, &c.called[i]);
	}
	callers_free(&c);
	return rc;
}

static bool callers_absent(const struct job *job)
{
	const struct calls *c = &job->stacks->calls;
	const char *name = job->options->symbol;
	uint32_t i;

	for (i = 0; name && i < c->ncall; i++) {
		if (c->call[i].parent != NO_KEY && is_named(job, c->call[i].id))
			return false;
	}
	if (!name)
		return false;
	complain("no call stack has the symbol %s: post -callers lists all", name);
	return true;
}

static int callers_write(const struct job *job, FILE *out)
{
	const struct options *o = job->options;

	print_stack_books(job, out,
			  o->calls == CALLS_CALLERS ? "Callers" :
			  o->calls == CALLS_CALLEES ? "Callees" :
						      "Callers and callees");
	fputs("\n       TOTAL    %%%        SELF    %%%  SYMBOL\n", out);
	return for_each(job, out, text_called);
}

#define SCREEN_SYMBOLS 4
#define SCREEN_EDGES   3

struct callers_screen {
	FILE *out;
	uint32_t shown;
};

static void screen_called(const struct job *job, void *arg, const struct callers *c,
			  const struct called *of)
{
	struct callers_screen *s = arg;
	struct called few = *of;

	if (s->shown++ >= SCREEN_SYMBOLS && !job->options->symbol)
		return;
	if (!job->options->symbol && few.ncallers > SCREEN_EDGES)
		few.ncallers = SCREEN_EDGES;
	if (!job->options->symbol && few.ncallees > SCREEN_EDGES)
		few.ncallees = SCREEN_EDGES;
	text_called(job, s->out, c, &few);
}

/* Prints the first symbols with their largest edges, or all edges of a requested symbol. */
static int callers_screen(const struct job *job, FILE *out)
{
	struct callers_screen s = { .out = out };
	int rc;

	print_no_stacks(job, out);
	print_cut_stacks(job, out);
	fputs("\n       TOTAL    %%%        SELF    %%%  SYMBOL\n", out);
	rc = for_each(job, &s, screen_called);
	putc('\n', out);
	return rc;
}

static int callers_json(const struct job *job, struct json *j)
{
	struct table t = table_json(job, j);
	int rc;

	json_stack_books(job, j);
	json_array(j, "symbols");
	rc = for_each(job, &t, json_called);
	json_end(j, ']');
	return rc;
}

static int callers_csv(const struct job *job, FILE *out)
{
	struct table t = table_csv(job, out);

	t.part = OF_SYMBOL | (job->options->calls == CALLS_CALLEES ? OF_CALLEE : OF_CALLER);
	table_begin(&t, columns, NULL);
	return for_each(job, &t, csv_called);
}

static bool callers_take(struct options *o, const char *option, const char *argument)
{
	o->calls |= strcmp(option, "callees") ? CALLS_CALLERS : CALLS_CALLEES;
	if (argument)
		o->symbol = argument;
	return true;
}

const struct report report_callers = {
	.name = "callers",
	.also = "callees",
	.usage =
		"  -callers[=SYMBOL], -callees[=SYMBOL]\n"
		"                    each symbol with its callers, what it called, to callers.out\n",
	.argument = optional_argument,
	.take = callers_take,
	.kinds = REPORT_OF_SAMPLES | REPORT_OF_STACKS,
	.path = "callers.out",
	.mode = 0666,
	.needs = NEED_SAMPLES | NEED_STACKS,
	.absent = callers_absent,
	.write = callers_write,
	.screen = callers_screen,
	.json = callers_json,
	.csv = callers_csv,
};
