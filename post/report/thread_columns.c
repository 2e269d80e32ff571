/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/thread_columns.h"

#include <inttypes.h>
#include <string.h>

#include "escape.h"

static void print_process_of(FILE *out, const struct job *job, const struct trace_process *p)
{
	escape_print(out, p->name);
	if (!job->options->names.by_process_name)
		fprintf(out, " (%" PRId64 ")", id_shown(p->pid));
}

static const struct cgroup *cgroup_of(const struct job *job, uint32_t process)
{
	const struct names *n = &job->model->names;

	return &n->cgroups.list[n->process[process].cgroup];
}

void print_cgroup(FILE *out, const struct job *job, uint32_t process)
{
	if (!job->options->by_cgroup)
		return;
	fputs(" in ", out);
	escape_print(out, cgroup_of(job, process)->name);
}

void print_process(FILE *out, const struct job *job, uint32_t process)
{
	print_process_of(out, job, &job->model->names.process[process]);
	print_cgroup(out, job, process);
}

void print_thread(FILE *out, const struct job *job, uint32_t thread)
{
	const struct names_options *o = &job->options->names;
	const struct names *n = &job->model->names;
	const struct trace_thread *t = &n->thread[thread];
	const struct trace_process *p = &n->process[t->process];

	if (!o->by_thread_name) {
		/* The process's name has the label of its trace. */
		escape_print(out, n->origins && t->tid == p->pid ? p->name : t->name);
		fprintf(out, " (%" PRId64 ")", id_shown(t->tid));
		if (t->tid == p->pid) {
			print_cgroup(out, job, t->process);
			return;
		}
		fputs(" of ", out);
	} else if (strcmp(t->name, p->name) != 0) {
		escape_print(out, t->name);
		fputs(" of ", out);
	}
	print_process_of(out, job, p);
	print_cgroup(out, job, t->process);
}

void json_cgroup(struct json *j, const struct job *job, const char *prefix, uint32_t process)
{
	const struct cgroup *g = cgroup_of(job, process);
	char key[32];

	if (!job->options->by_cgroup)
		return;
	snprintf(key, sizeof(key), "%scgroup", prefix);
	json_string(j, key, g->name);
	snprintf(key, sizeof(key), "%scgroup_path", prefix);
	json_string(j, key, g->path);
}

void csv_cgroup_names(const struct cell *x)
{
	if (x->job->options->by_cgroup)
		fputs(",cgroup,cgroup_path", x->out);
}

void csv_cgroup(const struct cell *x, uint32_t process)
{
	const struct cgroup *g = NULL;

	if (!x->job->options->by_cgroup)
		return;
	if (process != NO_KEY)
		g = cgroup_of(x->job, process);
	putc(',', x->out);
	if (g)
		escape_csv(x->out, g->name);
	putc(',', x->out);
	if (g)
		escape_csv(x->out, g->path);
}

void json_thread(struct json *j, const struct job *job, const char *prefix, uint32_t thread)
{
	const struct names *n = &job->model->names;
	const struct trace_thread *t = &n->thread[thread];
	const struct trace_process *p = &n->process[t->process];
	char key[32];

	snprintf(key, sizeof(key), "%spid", prefix);
	if (!job->options->names.by_process_name)
		json_int(j, key, id_shown(p->pid));
	snprintf(key, sizeof(key), "%sprocess", prefix);
	json_string(j, key, p->name);
	snprintf(key, sizeof(key), "%stid", prefix);
	if (!job->options->names.by_thread_name)
		json_int(j, key, id_shown(t->tid));
	snprintf(key, sizeof(key), "%sthread", prefix);
	json_string(j, key, t->name);
	json_cgroup(j, job, prefix, t->process);
}

static void process_text(const struct cell *x)
{
	print_process(x->out, x->job, *(const uint32_t *)x->value);
}

static void process_json(const struct cell *x)
{
	uint32_t process = *(const uint32_t *)x->value;
	const struct trace_process *p = &x->job->model->names.process[process];

	if (!x->job->options->names.by_process_name)
		json_int(x->json, "pid", id_shown(p->pid));
	json_string(x->json, "process", p->name);
	json_cgroup(x->json, x->job, "", process);
}

static void process_names(const struct cell *x)
{
	fputs("pid,process", x->out);
	csv_cgroup_names(x);
}

static void process_csv(const struct cell *x)
{
	uint32_t process = *(const uint32_t *)x->value;
	const struct trace_process *p = &x->job->model->names.process[process];

	if (!x->job->options->names.by_process_name)
		fprintf(x->out, "%" PRId64, id_shown(p->pid));
	putc(',', x->out);
	escape_csv(x->out, p->name);
	csv_cgroup(x, process);
}

const struct column_sort sort_process = {
	.text = process_text,
	.json = process_json,
	.names = process_names,
	.csv = process_csv,
};

static void thread_text(const struct cell *x)
{
	print_thread(x->out, x->job, *(const uint32_t *)x->value);
}

static void thread_json(const struct cell *x)
{
	if (x->value)
		json_thread(x->json, x->job, "", *(const uint32_t *)x->value);
}

static void thread_names(const struct cell *x)
{
	fputs("pid,process,tid,thread", x->out);
	csv_cgroup_names(x);
}

static void thread_csv(const struct cell *x)
{
	const struct names *n = &x->job->model->names;
	const struct trace_thread *t;
	const struct trace_process *p;

	if (!x->value) {
		fputs(",,,", x->out);
		csv_cgroup(x, NO_KEY);
		return;
	}
	t = &n->thread[*(const uint32_t *)x->value];
	p = &n->process[t->process];
	if (!x->job->options->names.by_process_name)
		fprintf(x->out, "%" PRId64, id_shown(p->pid));
	putc(',', x->out);
	escape_csv(x->out, p->name);
	putc(',', x->out);
	if (!x->job->options->names.by_thread_name)
		fprintf(x->out, "%" PRId64, id_shown(t->tid));
	putc(',', x->out);
	escape_csv(x->out, t->name);
	csv_cgroup(x, t->process);
}

const struct column_sort sort_thread = {
	.text = thread_text,
	.json = thread_json,
	.names = thread_names,
	.csv = thread_csv,
};
