/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Samples as members of the JSON object. Keys are stable: new ones may come, none changes. */
#include "report/report.h"

#include <inttypes.h>

#include "model/mangled.h"

static void write_ticks(const struct job *job, struct json *j)
{
	const struct trace *t = job->trace;
	struct bucket b[BUCKETS];
	const char *first;
	uint32_t i;

	json_events(job, j);
	json_uint(j, "total_ticks", trace_total(t));
	json_uint(j, "samples", t->samples);
	json_uint(j, "kernel_ticks", t->kernel);
	json_uint(j, "user_ticks", t->user);
	json_uint(j, "idle_ticks", t->idle);
	json_uint(j, "late_samples", t->late);
	json_object(j, "unknown");
	fill_buckets(job, b);
	for (i = 0; i < BUCKETS; i++)
		json_uint(j, b[i].key, b[i].ticks);
	json_end(j, '}');
	json_uint(j, "mangled_names", count_mangled(&job->model->names.symbols, &first));
}

static void write_modules(const struct job *job, struct json *j)
{
	const struct names *n = &job->model->names;
	uint32_t i;

	json_array(j, "modules");
	for (i = 0; i < n->nmodule; i++) {
		const struct module *m = &n->module[i];

		json_object(j, NULL);
		json_string(j, "name", m->name);
		json_uint(j, "ticks", m->ticks);
		json_uint(j, "ticks_without_symbol", m->unnamed);
		json_string(j, "symbols_from", m->symbols_from ? m->symbols_from : "");
		if (m->warning)
			json_string(j, "warning", m->warning);
		json_end(j, '}');
	}
	json_end(j, ']');
}

static void write_node(const struct job *job, struct json *j, const struct node *n, uint64_t total)
{
	const struct names *names = &job->model->names;
	const struct symbol *s;

	json_object(j, NULL);
	switch (n->level) {
	case LEVEL_PID:
		if (!job->options->names.by_process_name)
			json_int(j, "pid", id_shown(names->process[n->id].pid));
		break;
	case LEVEL_TID:
		if (!job->options->names.by_thread_name)
			json_int(j, "tid", id_shown(names->thread[n->id].tid));
		break;
	case LEVEL_SYM:
		s = &names->symbols.symbol[n->id];
		if (s->result == A2N_OK && !s->inlined)
			json_hex(j, "value", s->value);
		if (job->options->names.inlined)
			json_bool(j, "inlined", s->inlined);
		break;
	case LEVEL_LIN:
		s = &names->symbols.symbol[n->id];
		if (s->file) {
			json_string(j, "source", s->file);
			json_uint(j, "line", s->line);
		}
		break;
	case LEVEL_OFF:
		json_hex(j, "offset", n->id);
		break;
	default:
		break;
	}
	if (n->level != LEVEL_OFF && n->level != LEVEL_LIN)
		json_string(j, "name", node_name(job->model, n));
	json_uint(j, "ticks", n->ticks);
	json_fixed(j, "percent", percent_of(n->ticks, total), 4);
	if (n->unsure)
		json_uint(j, "unsure_ticks", n->unsure);
}

/* Nodes [i, end) are one parent's children with all that is below them. */
static void write_children(const struct job *job, struct json *j, const struct tree *t, uint32_t i,
			   uint32_t end, uint64_t total)
{
	static const char *const keys[] = {
		[LEVEL_PID] = "processes", [LEVEL_TID] = "threads", [LEVEL_MOD] = "modules",
		[LEVEL_SYM] = "symbols",   [LEVEL_LIN] = "lines",   [LEVEL_OFF] = "offsets",
	};

	/* They come together: of one symbol either all are shown or none. */
	if (i < end && !offset_shown(job, &t->node[i]))
		return;
	json_array(j, i < end ? keys[t->node[i].level] : "processes");
	for (; i < end; i = t->node[i].next) {
		if (percent_of(t->node[i].ticks, total) < job->options->clip)
			continue;
		write_node(job, j, &t->node[i], total);
		if (t->node[i].next > i + 1)
			write_children(job, j, t, i + 1, t->node[i].next, total);
		json_end(j, '}');
	}
	json_end(j, ']');
}

static int write_processes(const struct job *job, struct json *j, uint32_t cpu)
{
	enum level levels[] = { LEVEL_PID, LEVEL_TID, LEVEL_MOD, LEVEL_SYM,
				LEVEL_END, LEVEL_END, LEVEL_END };
	struct tree tree;
	int rc;

	uint32_t depth = 4;

	if (job->options->names.by_line)
		levels[depth++] = LEVEL_LIN;
	if (job->options->offsets)
		levels[depth] = LEVEL_OFF;
	rc = build_checked(&tree, job, levels, cpu, "json");
	if (rc)
		return rc;
	write_children(job, j, &tree, 0, tree.count, cpu_total(job->trace, cpu));
	tree_free(&tree);
	return 0;
}

int tprof_json(const struct job *job, struct json *j)
{
	uint32_t cpu;
	int rc;

	write_ticks(job, j);
	write_modules(job, j);
	rc = write_processes(job, j, ANY_CPU);
	if (job->options->per_cpu && !rc) {
		json_array(j, "per_cpu");
		for (cpu = 0; cpu < job->trace->ncpus && !rc; cpu++) {
			if (!cpu_total(job->trace, cpu))
				continue;
			json_object(j, NULL);
			json_uint(j, "cpu", cpu);
			json_uint(j, "total_ticks", cpu_total(job->trace, cpu));
			rc = write_processes(job, j, cpu);
			json_end(j, '}');
		}
		json_end(j, ']');
	}
	return rc;
}
