/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The flat table: one line a process, thread, module and symbol, for spreadsheets and scripts. */
#include "report/report.h"

#include <inttypes.h>

#include "escape.h"

static void write_row(const struct job *job, FILE *out, const struct node *n, uint32_t cpu)
{
	const struct names *names = &job->model->names;
	const struct row *r = &job->model->counts.row[n->row];
	const struct thread *t = &names->thread[r->thread];
	const struct process *p = &names->process[t->process];
	const struct symbol *s = &names->symbols.symbol[r->symbol];
	uint64_t total = cpu_total(job->trace, cpu);

	if (cpu != ANY_CPU)
		fprintf(out, "%u,", cpu);
	if (!job->options->names.by_process_name)
		fprintf(out, "%" PRId64, id_shown(p->pid));
	putc(',', out);
	escape_csv(out, p->name);
	putc(',', out);
	if (!job->options->names.by_thread_name)
		fprintf(out, "%" PRId64, id_shown(t->tid));
	putc(',', out);
	escape_csv(out, t->name);
	putc(',', out);
	escape_csv(out, names->module[s->module].name);
	putc(',', out);
	escape_csv(out, s->name);
	csv_source(out, job, s);
	if (job->options->offsets && offset_shown(job, n))
		fprintf(out, ",0x%" PRIx64, r->offset);
	else if (job->options->offsets)
		putc(',', out);
	fprintf(out, ",%" PRIu64 ",%.4f,%" PRIu64 "\n", n->ticks, percent_of(n->ticks, total),
		n->unsure);
}

static int write_rows(const struct job *job, FILE *out, uint32_t cpu)
{
	enum level levels[] = { LEVEL_PID, LEVEL_TID, LEVEL_MOD, LEVEL_SYM,
				LEVEL_END, LEVEL_END, LEVEL_END };
	uint64_t total = cpu_total(job->trace, cpu);
	struct tree tree;
	uint32_t i;
	int rc;

	uint32_t depth = 4;

	if (job->options->names.by_line)
		levels[depth++] = LEVEL_LIN;
	if (job->options->offsets)
		levels[depth] = LEVEL_OFF;
	rc = build_checked(&tree, job, levels, cpu, "csv");
	if (rc)
		return rc;
	for (i = 0; i < tree.count; i++) {
		const struct node *n = &tree.node[i];

		if (n->next == i + 1 && percent_of(n->ticks, total) >= job->options->clip)
			write_row(job, out, n, cpu);
	}
	tree_free(&tree);
	return 0;
}

int tprof_csv(const struct job *job, FILE *out)
{
	uint32_t cpu;
	int rc = 0;

	fprintf(out, "%spid,process,tid,thread,module,symbol%s%s,ticks,percent,unsure\n",
		job->options->per_cpu ? "cpu," : "", csv_source_names(job),
		job->options->offsets ? ",offset" : "");
	if (!job->options->per_cpu)
		return write_rows(job, out, ANY_CPU);
	for (cpu = 0; cpu < job->trace->ncpus && !rc; cpu++) {
		if (cpu_total(job->trace, cpu))
			rc = write_rows(job, out, cpu);
	}
	return rc;
}
