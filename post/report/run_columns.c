/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes a line of -arc or -flow as JSON or CSV. */
#include "report/run_access.h"

static void place_columns(struct run_lines *l, const struct run *run)
{
	const struct names *n = &l->job->model->names;
	const struct symbol *s = &n->symbols.symbol[n->symbols.symbol[run->place.symbol].base];
	bool is = itrace_place(&run->r) || runs_of_calls(l->job);

	column_text(&l->columns, "symbol", is ? s->name : NULL);
	column_text(&l->columns, "module", is ? n->module[s->module].name : NULL);
	column_uint(&l->columns, "offset", is && run->r.known, run->place.offset);
	column_uint(&l->columns, "end_offset", is && !run->r.known, run->place.offset);
	column_bool(&l->columns, "unsure", is && run->place.unsure, true);
}

static void thread_columns(struct run_lines *l, const struct run *run)
{
	const struct names *n = &l->job->model->names;
	const struct trace_thread *th = &n->thread[run->place.thread];
	const struct trace_process *p = &n->process[th->process];

	column_uint(&l->columns, "pid", true, p->pid);
	column_uint(&l->columns, "tid", true, th->tid);
	column_text(&l->columns, "process", p->name);
	column_text(&l->columns, "thread", th->name);
}

static void data_columns(struct run_lines *l, const struct run_access *a)
{
	const struct names *n = &l->job->model->names;
	const struct symbol *s = NULL;

	if (a && a->mapped)
		s = &n->symbols.symbol[n->symbols.symbol[a->data.place.symbol].base];
	column_uint(&l->columns, "bytes", a, a ? a->bytes : 0);
	column_hex(&l->columns, "address", a, a ? a->address : 0);
	column_text(&l->columns, "data_symbol", s ? s->name : NULL);
	column_text(&l->columns, "data_module", s ? n->module[s->module].name : NULL);
	column_uint(&l->columns, "data_offset", s, s ? a->data.place.offset : 0);
}

/* An access is not a run: it has neither a number of instructions nor an end. */
static void put_columns(struct run_lines *l, const struct run *run, const struct run_access *a)
{
	const struct run_text *source = a || l->nested ? NULL : run_source(l, run);
	const struct itrace_run *r = &run->r;
	struct columns *c = &l->columns;

	columns_begin(c);
	do {
		column_uint(c, "time", true, r->time);
		column_uint(c, "cpu", true, r->cpu);
		column_bool(c, "kernel", true, r->kernel);
		column_text(c, "type", a ? a->store ? "STORE" : "LOAD" : run_type(run));
		column_text(c, "ended_by", a ? NULL : run_ended_by(run));
		column_uint(c,
			    l->job->input->calls  ? "nanoseconds" :
			    l->job->input->values ? "value" :
						    "instructions",
			    !a, r->count);
		column_bool(c, "continuous", true, !r->doubt);
		column_text(c, "why", r->doubt ? itrace_doubt_word(r->doubt) : NULL);
		place_columns(l, run);
		thread_columns(l, run);
		if (l->nested)
			column_uint(c, "depth", !a, run->depth);
		else
			column_text(c, "source",
				    source && source->length > 1 ? source->text : NULL);
		data_columns(l, a);
	} while (columns_end(c));
}

void run_columns(struct run_lines *l, const struct run *run)
{
	put_columns(l, run, NULL);
}

void run_access_columns(struct run_lines *l, const struct run_access *a)
{
	put_columns(l, &a->at, a);
}
