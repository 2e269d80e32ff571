/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Samples in machine-readable form. CSV: a flat table, one line per process, thread, module and
 * symbol, for spreadsheets and scripts. JSON: their tree, as members of the JSON object; its keys
 * are stable: new ones may be added, none changes.
 */
#include "report/table.h"

#include <string.h>

#include "model/mangled.h"

/* A CSV line has all of them, a JSON node those of its level. */
struct tprof_line {
	const struct tree_node *of;
	const char *cgroup, *cgroup_path, *process, *thread, *module, *symbol, *name;
	const char *source;
	uint64_t value, offset;
	int64_t pid, tid;
	double percent;
	uint32_t cpu, line;
	bool has_pid, has_tid, has_value, has_offset, has_source, has_line;
	bool is_cgroup, is_symbol, is_unsure, inlined;
};

#define AT(member)   COLUMN_AT(struct tprof_line, member)
#define OF(member)   COLUMN_OF(struct tree_node, member)
#define WHEN(member) COLUMN_WHEN(struct tprof_line, member)
#define JSON         .forms = IN_JSON
#define CSV          .forms = IN_CSV
static const struct column columns[] = {
	{ "cpu", CSV, COLUMN_OPTION(per_cpu), AT(cpu) },
	{ "cgroup", CSV, COLUMN_OPTION(by_cgroup), AT(cgroup) },
	{ "cgroup_path", CSV, COLUMN_OPTION(by_cgroup), AT(cgroup_path) },
	{ "path", JSON, WHEN(is_cgroup), AT(cgroup_path) },
	{ "pid", WHEN(has_pid), AT(pid) },
	{ "process", CSV, AT(process) },
	{ "tid", WHEN(has_tid), AT(tid) },
	{ "thread", CSV, AT(thread) },
	{ "module", CSV, AT(module) },
	{ "symbol", CSV, AT(symbol) },
	{ "value", JSON, .as = AS_HEX, WHEN(has_value), AT(value) },
	{ "inlined", .as = AS_DIGIT, COLUMN_OPTION(names.inlined), WHEN(is_symbol), AT(inlined) },
	{ "source", COLUMN_OPTION(names.by_line), AT(source) },
	{ "line", JSON, COLUMN_OPTION(names.by_line), WHEN(has_source), AT(line) },
	{ "line", CSV, COLUMN_OPTION(names.by_line), WHEN(has_line), AT(line) },
	{ "offset", .as = AS_HEX, COLUMN_OPTION(offsets), WHEN(has_offset), AT(offset) },
	{ "name", JSON, AT(name) },
	{ "ticks", OF(ticks) },
	{ "percent", PERCENT(0, 4), AT(percent) },
	{ "unsure_ticks", JSON, WHEN(is_unsure), OF(unsure) },
	{ "unsure", CSV, OF(unsure) },
	COLUMNS_END,
};
#undef AT
#undef OF

/* ---- fields of each level -------------------------------------------------------------------- */

static void fill_cgroup(const struct job *job, struct tprof_line *l, uint32_t cgroup)
{
	l->is_cgroup = true;
	l->cgroup = level_name(&job->model->names, LEVEL_CGR, cgroup);
	l->cgroup_path = job->model->names.cgroups.list[cgroup].path;
}

static void fill_process(const struct job *job, struct tprof_line *l, const struct trace_process *p)
{
	l->process = p->name;
	l->has_pid = !job->options->names.by_process_name;
	l->pid = id_shown(p->pid);
}

static void fill_thread(const struct job *job, struct tprof_line *l, const struct trace_thread *t)
{
	l->thread = t->name;
	l->has_tid = !job->options->names.by_thread_name;
	l->tid = id_shown(t->tid);
}

static void fill_symbol(struct tprof_line *l, const struct symbol *s)
{
	l->is_symbol = true;
	l->inlined = s->inlined;
	l->symbol = s->name;
	l->has_value = s->result == A2N_OK && !s->inlined;
	l->value = s->value;
}

static void fill_source(struct tprof_line *l, const struct symbol *s)
{
	l->has_source = s->file;
	l->source = s->file;
	l->has_line = s->line;
	l->line = s->line;
}

static void fill_offset(struct tprof_line *l, uint64_t offset)
{
	l->has_offset = true;
	l->offset = offset;
}

static void begin_line(struct tprof_line *l, const struct tree_node *n, uint64_t total)
{
	memset(l, 0, sizeof(*l));
	l->of = n;
	l->percent = percent_of(n->ticks, total);
	l->is_unsure = n->unsure;
}

/* LIN and OFF follow if requested. */
static int build(struct tree *tree, const struct job *job, uint32_t cpu, const char *what)
{
	enum level all[] = { LEVEL_CGR, LEVEL_PID, LEVEL_TID, LEVEL_MOD,
			     LEVEL_SYM, LEVEL_END, LEVEL_END, LEVEL_END };
	enum level *levels = job->options->by_cgroup ? all : all + 1;
	uint32_t depth = levels == all ? 5 : 4;

	if (job->options->names.by_line)
		levels[depth++] = LEVEL_LIN;
	if (job->options->offsets)
		levels[depth] = LEVEL_OFF;
	return build_checked(tree, job, levels, cpu, what);
}

/* ---- CSV ------------------------------------------------------------------------------------- */

static void csv_leaf(struct table *t, const struct tree_node *n, uint32_t cpu, uint64_t total)
{
	const struct names *names = &t->job->model->names;
	const struct row *r = &t->job->model->counts.row[n->row];
	const struct trace_thread *thread = &names->thread[r->thread];
	const struct symbol *s = &names->symbols.symbol[r->symbol];
	struct tprof_line l;

	begin_line(&l, n, total);
	l.cpu = cpu;
	fill_cgroup(t->job, &l, names->process[thread->process].cgroup);
	fill_process(t->job, &l, &names->process[thread->process]);
	fill_thread(t->job, &l, thread);
	l.module = names->module[s->module].name;
	fill_symbol(&l, s);
	fill_source(&l, s);
	if (offset_shown(t->job, n))
		fill_offset(&l, r->offset);
	table_row(t, &l);
}

static int csv_leaves(struct table *t, uint32_t cpu)
{
	uint64_t total = cpu_total(t->job->trace, cpu);
	struct tree tree;
	uint32_t i;
	int rc = build(&tree, t->job, cpu, "csv");

	if (rc)
		return rc;
	for (i = 0; i < tree.count; i++) {
		const struct tree_node *n = &tree.node[i];

		if (n->next == i + 1 && percent_of(n->ticks, total) >= t->job->options->clip)
			csv_leaf(t, n, cpu, total);
	}
	tree_free(&tree);
	return 0;
}

int tprof_csv(const struct job *job, FILE *out)
{
	struct table t = table_csv(job, out);
	uint32_t cpu;
	int rc = 0;

	table_begin(&t, columns, NULL);
	if (!job->options->per_cpu)
		return csv_leaves(&t, ANY_CPU);
	for (cpu = 0; cpu < job->trace->ncpus && !rc; cpu++) {
		if (cpu_total(job->trace, cpu))
			rc = csv_leaves(&t, cpu);
	}
	return rc;
}

/* ---- JSON ------------------------------------------------------------------------------------ */

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
		const struct trace_module *m = &n->module[i];

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

static void json_node(struct table *t, const struct tree_node *n, uint64_t total)
{
	const struct names *names = &t->job->model->names;
	struct tprof_line l;

	begin_line(&l, n, total);
	if (n->level == LEVEL_CGR)
		fill_cgroup(t->job, &l, (uint32_t)n->id);
	else if (n->level == LEVEL_PID)
		fill_process(t->job, &l, &names->process[n->id]);
	else if (n->level == LEVEL_TID)
		fill_thread(t->job, &l, &names->thread[n->id]);
	else if (n->level == LEVEL_SYM)
		fill_symbol(&l, &names->symbols.symbol[n->id]);
	else if (n->level == LEVEL_LIN)
		fill_source(&l, &names->symbols.symbol[n->id]);
	else if (n->level == LEVEL_OFF)
		fill_offset(&l, n->id);
	if (n->level != LEVEL_OFF && n->level != LEVEL_LIN)
		l.name = node_name(t->job->model, n);
	table_members(t, columns, &l);
}

/* Writes the nodes [i, end), which are one parent's children and their descendants. */
static void write_children(struct table *table, const struct tree *t, uint32_t i, uint32_t end,
			   uint64_t total)
{
	static const char *const keys[] = {
		[LEVEL_CGR] = "cgroups", [LEVEL_PID] = "processes", [LEVEL_TID] = "threads",
		[LEVEL_MOD] = "modules", [LEVEL_SYM] = "symbols",   [LEVEL_LIN] = "lines",
		[LEVEL_OFF] = "offsets",
	};

	const struct job *job = table->job;
	struct json *j = table->json;

	/* Offsets of one symbol are either all shown or all hidden. */
	if (i < end && !offset_shown(job, &t->node[i]))
		return;
	json_array(j, keys[i < end                 ? t->node[i].level :
			   job->options->by_cgroup ? LEVEL_CGR :
						     LEVEL_PID]);
	for (; i < end; i = t->node[i].next) {
		if (percent_of(t->node[i].ticks, total) < job->options->clip)
			continue;
		json_object(j, NULL);
		json_node(table, &t->node[i], total);
		if (t->node[i].next > i + 1)
			write_children(table, t, i + 1, t->node[i].next, total);
		json_end(j, '}');
	}
	json_end(j, ']');
}

static int write_processes(const struct job *job, struct json *j, uint32_t cpu)
{
	struct table t = table_json(job, j);
	struct tree tree;
	int rc = build(&tree, job, cpu, "json");

	if (rc)
		return rc;
	write_children(&t, &tree, 0, tree.count, cpu_total(job->trace, cpu));
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
