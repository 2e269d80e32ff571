/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by all reports of call stacks: statistics of stacks, and the check of sums. */
#include "report/calls_report.h"

#include <inttypes.h>
#include <string.h>

#include "complain.h"
#include "escape.h"

int calls_checked(const struct job *job, const char *what)
{
	const struct calls *c = &job->stacks->calls;
	uint64_t self = 0, want = job->stack_total;
	uint32_t i;

	for (i = 0; i < c->ncall; i++)
		self += c->call[i].self;
	if (self == want && c->total == want)
		return 0;
	complain("internal error: report %s sums to %" PRIu64 " (its own ticks to %" PRIu64
		 ") of %" PRIu64 " ticks",
		 what, c->total, self, want);
	return REPORT_WRONG;
}

int whole_stacks_announced(const struct whole_stacks *w, const char *what)
{
	if (!w->cut)
		return 0;
	complain("%s: too many calls to list each stack whole: of %" PRIu64
		 " stack%s only the innermost call is there",
		 what, w->cut, w->cut == 1 ? "" : "s");
	return REPORT_WRONG;
}

static void book(const struct job *job, FILE *out, const char *name, uint64_t ticks)
{
	fprintf(out, "  %12" PRIu64 " %6.2f %%  %s\n", ticks, percent_of(ticks, job->stack_total),
		name);
}

/* Returns whether the trace only has switch-outs, as a perf.data of one process does. */
static bool only_leaves(const struct job *job)
{
	const struct events *e = &job->trace->events;

	for (unsigned int i = 0; !job->trace->major[PITRACE_DISPATCH] && i < EVENT_KINDS; i++)
		if (!strcmp(e->kind[i].name, "sched:sched_switch"))
			return true;
	return false;
}

void print_no_stacks(const struct job *job, FILE *out)
{
	if (job->stacks->with || job->options->instructions)
		return;
	if (job->options->offcpu && only_leaves(job))
		fputs("\nThe trace has the times when threads left their CPUs, but not their return. Record both with:\n"
		      "  perf record -e sched:sched_switch -g -a -- COMMAND\n"
		      "or --switch-events in place of -a\n",
		      out);
	else if (job->options->offcpu)
		fputs("\nThe trace has no call stacks of dispatches: see -g in swtrace(1)\n", out);
	else if (job->trace->samples)
		fputs("\nThe trace has no call stacks: record them with swtrace run -g\n", out);
	else
		all_left_out(job, out);
}

void print_cut_stacks(const struct job *job, FILE *out)
{
	const struct stacks *st = job->stacks;
	uint64_t cut = st->ended[STACKS_WRONG], partial = st->ended[STACKS_PARTIAL];

	if (percent_of(cut + partial, job->stack_total) < 1)
		return;
	fprintf(out,
		"\nCallers are missing in %.2f %% of the stacks (%.2f %% were cut where they could not be right): "
		"the code has no frame pointers; swtrace run -g=dwarf records them\n",
		percent_of(cut + partial, job->stack_total), percent_of(cut, job->stack_total));
}

void print_stack_books(const struct job *job, FILE *out, const char *heading)
{
	const struct stacks *st = job->stacks;
	const struct trace *t = job->trace;
	char title[MODE_UNIT];
	unsigned int i;

	fprintf(out, "%s, pitrace %s\n\n", heading, PITRACE_VERSION);
	fprintf(out, "%-16s", "Trace file");
	escape_print(out, job->input->name);
	putc('\n', out);
	if (job->options->instructions && job->input->calls) {
		fprintf(out,
			"Nanoseconds in instrumented functions, instead of ticks\n\nTOTAL %-12s%10" PRIu64
			"\n",
			"ns", job->stack_total);
		if (st->too_deep)
			book(job, out, "deeper than 1000 calls: counted there", st->too_deep);
		return;
	}
	if (job->options->instructions) {
		fprintf(out, "Traced instructions, instead of ticks\n\nTOTAL %-12s%10" PRIu64 "\n",
			"INSTRUCTIONS", job->stack_total);
		if (st->too_deep)
			book(job, out, "deeper than 1000 calls: counted there", st->too_deep);
		if (job->model->switches.instructions)
			fprintf(out,
				"  and %" PRIu64
				" of turning the trace on and off, left out: -own counts them\n",
				job->model->switches.instructions);
		if (!job->stack_total)
			fputs("\nThe trace has none: record them with swtrace run --itrace\n", out);
		return;
	}
	if (!job->options->offcpu)
		print_mode(job, out);
	if (job->options->offcpu)
		fputs("Microseconds off the CPU, by where threads left it, instead of ticks\n",
		      out);
	fprintf(out, "\nTOTAL %-10s%12" PRIu64 "\n",
		job->options->offcpu ? "us" : mode_title(job, title), job->stack_total);
	book(job, out, "with a call stack", st->with);
	book(job, out, "without one", st->without);
	if (st->malformed)
		book(job, out, "of them with a malformed stack", st->malformed);
	if (t->idle && !job->options->offcpu)
		book(job, out, "idle", t->idle);
	for (i = 0; i < STACKS_ENDS && !st->ended[i]; i++)
		;
	if (i < STACKS_ENDS)
		fputs("Stacks that ended early\n", out);
	for (i = 0; i < STACKS_ENDS; i++) {
		if (st->ended[i])
			book(job, out, stacks_end_words(i), st->ended[i]);
	}
	print_cut_stacks(job, out);
	print_no_stacks(job, out);
}

void json_stack_books(const struct job *job, struct json *j)
{
	const struct stacks *st = job->stacks;
	unsigned int i;

	json_events(job, j);
	json_string(j, "unit",
		    job->options->offcpu                            ? "us off the CPU" :
		    job->options->instructions && job->input->calls ? "nanoseconds" :
		    job->options->instructions                      ? "instructions" :
								      mode_unit(job));
	json_uint(j, "total_ticks", job->stack_total);
	json_uint(j, "idle_ticks", job->options->offcpu ? 0 : job->trace->idle);
	json_object(j, "stacks");
	json_uint(j, "with", st->with);
	json_uint(j, "without", st->without);
	json_uint(j, "malformed", st->malformed);
	json_array(j, "ended_early");
	for (i = 0; i < STACKS_ENDS; i++) {
		if (!st->ended[i])
			continue;
		json_object(j, NULL);
		json_string(j, "why", stacks_end_words(i));
		json_uint(j, "ticks", st->ended[i]);
		json_end(j, '}');
	}
	json_end(j, ']');
	json_end(j, '}');
}

void print_symbol(const struct job *job, FILE *out, uint32_t symbol)
{
	const struct names *n = &job->model->names;
	const struct symbol *s = &n->symbols.symbol[symbol];

	print_function(out, s);
	fputs("  [", out);
	escape_print(out, short_module(n->module[s->module].name));
	putc(']', out);
	if (s->file) {
		fputs("  ", out);
		print_line(out, s, false);
	}
}

void frame_json(const struct cell *x)
{
	const struct names *n = &x->job->model->names;
	const struct code_frame *f = x->value;
	const struct symbol *s = f ? &n->symbols.symbol[f->symbol] : NULL;

	if (!s)
		return;
	json_string(x->json, "name", s->name);
	json_string(x->json, "module", n->module[s->module].name);
	json_bool(x->json, "kernel", f->kernel);
	json_source(x->json, x->job, s);
}

void frame_names(const struct cell *x)
{
	const char *names = csv_source_names(x->job), *bar = *x->column->name ? "_" : "";

	fprintf(x->out, "%s,%s%smodule,%s%skernel", *x->column->name ? x->column->name : "name",
		x->column->name, bar, x->column->name, bar);
	for (; *names; names += 1 + strcspn(names + 1, ","))
		fprintf(x->out, ",%s%s%.*s", x->column->name, bar, (int)strcspn(names + 1, ","),
			names + 1);
}

void frame_csv(const struct cell *x)
{
	const struct names *n = &x->job->model->names;
	const struct code_frame *f = x->value;
	const struct symbol *s = f ? &n->symbols.symbol[f->symbol] : NULL;

	if (s) {
		escape_csv(x->out, s->name);
		putc(',', x->out);
		escape_csv(x->out, n->module[s->module].name);
		fprintf(x->out, ",%d", f->kernel);
	} else {
		fputs(",,", x->out);
	}
	csv_source(x->out, x->job, s);
}

const struct column_sort sort_frame = {
	.json = frame_json,
	.names = frame_names,
	.csv = frame_csv,
};
