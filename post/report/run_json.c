/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A line of -arc or -flow as a JSON object: the fields by their names, numbers as numbers. */
#include "report/run_lines.h"

#include "json.h"

static void json_symbol(const struct run_lines *l, struct json *j, const struct run *run)
{
	const struct names *n = &l->job->model->names;
	const struct symbol *s = &n->symbols.symbol[n->symbols.symbol[run->place.symbol].base];

	if (!itrace_place(&run->r)) {
		json_null(j, "symbol");
		json_null(j, "module");
		return;
	}
	json_string(j, "symbol", s->name);
	json_string(j, "module", n->module[s->module].name);
	json_uint(j, run->r.known ? "offset" : "end_offset", run->place.offset);
	if (run->place.unsure)
		json_bool(j, "unsure", true);
}

static void json_thread(const struct run_lines *l, struct json *j, const struct run *run)
{
	const struct names *n = &l->job->model->names;
	const struct thread *th = &n->thread[run->place.thread];
	const struct process *p = &n->process[th->process];

	json_uint(j, "pid", p->pid);
	json_uint(j, "tid", th->tid);
	json_string(j, "process", p->name);
	json_string(j, "thread", th->name);
}

void run_json_place(const struct run_lines *l, struct json *j, const struct run *run)
{
	json_symbol(l, j, run);
	json_thread(l, j, run);
}

void run_json(struct run_lines *l, const struct run *run, bool flow)
{
	const struct itrace_run *r = &run->r;
	const struct run_text *source;
	struct json j;

	json_begin(&j, l->out.out, false);
	json_object(&j, NULL);
	json_uint(&j, "time", r->time);
	json_uint(&j, "cpu", r->cpu);
	json_bool(&j, "kernel", r->kernel);
	json_string(&j, "type", run_type(run));
	json_string(&j, "ended_by", run_ended_by(run));
	json_uint(&j, "instructions", r->count);
	json_bool(&j, "continuous", !r->doubt);
	if (r->doubt)
		json_string(&j, "why", itrace_doubt_word(r->doubt));
	run_json_place(l, &j, run);
	if (flow)
		json_uint(&j, "depth", run->depth);
	source = flow ? NULL : run_source(l, run);
	if (source && source->length > 1)
		json_string(&j, "source", source->text);
	json_end(&j, '}');
}
