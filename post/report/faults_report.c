/* SPDX-License-Identifier: GPL-3.0-or-later */
/* faults.out: page faults by thread and by the symbol of the faulting instruction. */
#include "report/times_report.h"

#include <inttypes.h>
#include <stdlib.h>

#include "escape.h"

#define SCREEN_LINES 20

static uint64_t total_of(const struct job *job)
{
	const struct counts *c = &job->model->times.faults;
	uint64_t total = 0;
	uint32_t i;

	for (i = 0; i < c->nrow; i++)
		total += c->row[i].ticks;
	return total;
}

/* Builds a tree of the faults instead of the samples. */
static int build(struct tree *tree, const struct job *job, const enum level *levels)
{
	struct model *view = malloc(sizeof(*view));
	int rc = -ENOMEM;

	if (!view)
		return rc;
	*view = *job->model;
	view->counts = job->model->times.faults;
	view->ground = NULL;
	rc = tree_build(tree, view, levels, ANY_CPU);
	free(view);
	return rc;
}

static int write_tree(const struct job *job, FILE *out, const enum level *levels, uint32_t most)
{
	uint64_t total = total_of(job);
	struct tree tree;
	uint32_t i, shown = 0;
	int rc = build(&tree, job, levels);

	if (rc)
		return rc;
	fprintf(out, "%10s%7s  NAMES\n", "FAULTS", "%%%");
	for (i = 0; i < tree.count && shown < most; shown++) {
		const struct tree_node *n = &tree.node[i];

		if (percent_of(n->ticks, total) < job->options->clip) {
			i = n->next;
			continue;
		}
		fprintf(out, "%10" PRIu64 "%7.2f  %*s", n->ticks, percent_of(n->ticks, total),
			(int)n->depth * 2, "");
		if (n->level == LEVEL_TID)
			print_thread(out, job, (uint32_t)n->id);
		else
			print_label(out, job, n);
		putc('\n', out);
		i++;
	}
	tree_free(&tree);
	return 0;
}

static const enum level by_thread[] = { LEVEL_TID, LEVEL_MOD, LEVEL_SYM, LEVEL_END };
static const enum level by_symbol[] = { LEVEL_MOD, LEVEL_SYM, LEVEL_END };
static const enum level flat[] = { LEVEL_TID, LEVEL_SYM, LEVEL_END };

static bool nothing(const struct job *job, FILE *out)
{
	static const uint16_t majors[] = { PITRACE_FAULT, 0 };

	if (job->trace->major[PITRACE_FAULT])
		return false;
	times_missing(job, out, "page fault records", majors);
	return true;
}

static int faults_write(const struct job *job, FILE *out)
{
	int rc;

	times_head(job, out, "Page fault");
	if (nothing(job, out))
		return 0;
	fprintf(out, "\nTOTAL FAULTS    %12" PRIu64 "\n", total_of(job));
	times_banner(out, "Thread, module, symbol");
	rc = write_tree(job, out, by_thread, UINT32_MAX);
	if (rc)
		return rc;
	times_banner(out, "Module and symbol, all threads together");
	return write_tree(job, out, by_symbol, UINT32_MAX);
}

static int faults_screen(const struct job *job, FILE *out)
{
	if (nothing(job, out))
		return 0;
	putc('\n', out);
	return write_tree(job, out, by_thread, SCREEN_LINES);
}

/* ---- JSON and CSV ---------------------------------------------------------------------------- */

struct fault_line {
	uint32_t thread;
	const char *module, *symbol;
	uint64_t count;
};

static const struct column columns[] = {
	{ "", COLUMN_AT(struct fault_line, thread), THREAD },
	{ "module", COLUMN_AT(struct fault_line, module) },
	{ "symbol", COLUMN_AT(struct fault_line, symbol) },
	{ "count", COLUMN_AT(struct fault_line, count) },
	COLUMNS_END,
};

/* Writes the leaves of a tree of threads and symbols: a row has both. */
static int faults_rows(struct table *t)
{
	const struct names *names = &t->job->model->names;
	struct tree tree;
	uint32_t i;
	int rc = build(&tree, t->job, flat);

	if (rc)
		return rc;
	table_begin(t, columns, "faults");
	for (i = 0; i < tree.count; i++) {
		const struct tree_node *n = &tree.node[i];
		const struct row *r = &t->job->model->times.faults.row[n->row];
		const struct symbol *s = &names->symbols.symbol[r->symbol];

		if (n->depth)
			table_row(t, &(struct fault_line){
					     .thread = r->thread,
					     .module = names->module[s->module].name,
					     .symbol = s->name,
					     .count = n->ticks,
				     });
	}
	table_end(t);
	tree_free(&tree);
	return 0;
}

const struct report report_faults = {
	.name = "faults",
	.usage = "  -faults           page faults by thread and symbol (faults.out)\n",
	.path = "faults.out",
	.mode = 0666,
	.needs = NEED_TIMES,
	.write = faults_write,
	.screen = faults_screen,
	.rows = faults_rows,
};
