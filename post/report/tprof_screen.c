/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Samples on the screen: processes and symbols with the most ticks; unresolved ticks and why. */
#include "report/report.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "escape.h"
#include "model/mangled.h"

#define TOP_PROCESSES 5
#define TOP_CGROUPS   10
#define TOP_SYMBOLS   10
#define MODULE_WIDTH  24

/* Lists the events that are not in this report. */
void tprof_others(const struct job *job, FILE *out)
{
	const struct events *e = &job->trace->events;
	const char *comma = "not in this report (-e NAME): ";
	unsigned int i;

	for (i = 0; i < EVENT_KINDS; i++) {
		if (!e->kind[i].samples || (e->has_chosen && i == e->chosen))
			continue;
		fputs(comma, out);
		escape_print(out, e->kind[i].name);
		fprintf(out, " %" PRIu64, e->kind[i].samples);
		if (job->input->values && strcmp(mode_unit_of(job, i), e->kind[i].name) != 0) {
			putc(' ', out);
			escape_print(out, mode_unit_of(job, i));
		}
		comma = ", ";
	}
	if (*comma == ',')
		fputs(job->input->values ? "\n" : " ticks\n", out);
}

void tprof_modes(const struct job *job, FILE *out)
{
	const struct trace *t = job->trace;
	uint64_t total = trace_total(t);

	fprintf(out, "kernel %.2f %%, user %.2f %%, idle %.2f %%\n", percent_of(t->kernel, total),
		percent_of(t->user, total), percent_of(t->idle, total));
}

/* Prints a row's percentage and ticks; the caller prints the rest. */
static void write_share(const struct job *job, FILE *out, uint64_t ticks, bool colour)
{
	double percent = percent_of(ticks, trace_total(job->trace));
	bool hot = colour && percent >= HOT_PERCENT;

	fprintf(out, "%s%8.2f %11" PRIu64 "%s  ", hot ? COLOUR_HOT : "", percent, ticks,
		hot ? COLOUR_OFF : "");
}

/* Processes of one name are summed: make starts hundreds. */
struct name_share {
	const char *name;
	uint64_t ticks;
	uint32_t process, count; /* the process with the most ticks; number of processes */
};

static int by_name(const void *pa, const void *pb)
{
	const struct name_share *a = pa, *b = pb;
	int order = strcmp(a->name, b->name);

	return order ? order : a->ticks > b->ticks ? -1 : a->ticks < b->ticks;
}

static int by_ticks(const void *pa, const void *pb)
{
	const struct name_share *a = pa, *b = pb;

	return a->ticks > b->ticks ? -1 : a->ticks < b->ticks ? 1 : strcmp(a->name, b->name);
}

/* Merges processes of the same name; returns the number of names. */
static uint32_t share_by_name(const struct names *names, const struct tree *tree,
			      struct name_share *share)
{
	uint32_t i, n = 0;

	for (i = 0; i < tree->count; i++)
		share[i] = (struct name_share){ names->process[tree->node[i].id].name,
						tree->node[i].ticks, tree->node[i].id, 1 };
	qsort(share, tree->count, sizeof(*share), by_name);
	for (i = 0; i < tree->count; i++) {
		if (n && !strcmp(share[n - 1].name, share[i].name)) {
			share[n - 1].ticks += share[i].ticks;
			share[n - 1].count++;
		} else {
			share[n++] = share[i];
		}
	}
	qsort(share, n, sizeof(*share), by_ticks);
	return n;
}

static void write_process(const struct job *job, FILE *out, const struct name_share *share)
{
	const struct trace_process *p = &job->model->names.process[share->process];

	escape_print(out, share->name);
	if (share->count > 1)
		fprintf(out, " (%" PRIu32 " processes)", share->count);
	else if (!job->options->names.by_process_name)
		fprintf(out, " (%" PRId64 ")", id_shown(p->pid));
	putc('\n', out);
}

static int write_processes(const struct job *job, FILE *out, bool colour)
{
	static const enum level levels[] = { LEVEL_PID, LEVEL_END };
	struct name_share *share;
	char title[MODE_UNIT];
	struct tree tree;
	uint32_t i, n;
	int rc = build_checked(&tree, job, levels, ANY_CPU, "of processes");

	if (rc)
		return rc;
	share = malloc(((size_t)tree.count + 1) * sizeof(*share));
	if (!share) {
		tree_free(&tree);
		return -ENOMEM;
	}
	n = share_by_name(&job->model->names, &tree, share);
	fprintf(out, "\n%8s %11.11s  PROCESS (PID)\n", "%%%", mode_title(job, title));
	for (i = 0; i < n && i < TOP_PROCESSES; i++) {
		write_share(job, out, share[i].ticks, colour);
		write_process(job, out, &share[i]);
	}
	if (n > TOP_PROCESSES)
		fprintf(out, "%20s  and %" PRIu32 " more\n", "", n - TOP_PROCESSES);
	free(share);
	tree_free(&tree);
	return 0;
}

static int write_cgroups(const struct job *job, FILE *out, bool colour)
{
	static const enum level levels[] = { LEVEL_CGR, LEVEL_END };
	const struct names *names = &job->model->names;
	char title[MODE_UNIT];
	struct tree tree;
	uint32_t i;
	int rc = build_checked(&tree, job, levels, ANY_CPU, "of cgroups");

	if (rc)
		return rc;
	fprintf(out, "\n%8s %11.11s  %-*s PATH\n", "%%%", mode_title(job, title), MODULE_WIDTH,
		"CGROUP");
	for (i = 0; i < tree.count && i < TOP_CGROUPS; i++) {
		const struct cgroup *g = &names->cgroups.list[tree.node[i].id];
		char room[MODULE_WIDTH + 1];

		write_share(job, out, tree.node[i].ticks, colour);
		escape_into(room, sizeof(room), node_name(job->model, &tree.node[i]));
		fprintf(out, "%-*s ", MODULE_WIDTH, room);
		escape_print(out, g->path);
		putc('\n', out);
	}
	if (tree.count > TOP_CGROUPS)
		fprintf(out, "%20s  and %" PRIu32 " more\n", "", tree.count - TOP_CGROUPS);
	tree_free(&tree);
	return 0;
}

static int write_symbols(const struct job *job, FILE *out, bool colour)
{
	static const enum level levels[] = { LEVEL_SYM, LEVEL_END };
	const struct names *names = &job->model->names;
	char room[MODULE_WIDTH + 1];
	char title[MODE_UNIT];
	struct tree tree;
	uint32_t i, shown = 0;
	int rc = build_checked(&tree, job, levels, ANY_CPU, "of symbols");

	if (rc)
		return rc;
	fprintf(out, "\n%8s %11.11s  %-*s SYMBOL\n", "%%%", mode_title(job, title), MODULE_WIDTH,
		"MODULE");
	for (i = 0; i < tree.count && shown < TOP_SYMBOLS; i++) {
		const struct symbol *s = &names->symbols.symbol[tree.node[i].id];

		if (names->has_idle && tree.node[i].id == names->idle.symbol)
			continue; /* shown in the second line */
		shown++;
		write_share(job, out, tree.node[i].ticks, colour);
		escape_into(room, sizeof(room), short_module(names->module[s->module].name));
		fprintf(out, "%-*s ", MODULE_WIDTH, room);
		print_function(out, s);
		putc('\n', out);
	}
	tree_free(&tree);
	return 0;
}

void tprof_unknown(const struct job *job, FILE *out)
{
	uint64_t total = trace_total(job->trace);
	struct bucket b[BUCKETS];
	int i;

	fputs("unknown: ", out);
	fill_buckets(job, b);
	for (i = 0; i < BUCKETS; i++) {
		/* Few traces have generated code. */
		if (b[i].rare && !b[i].ticks)
			continue;
		fprintf(out, "%s%s %" PRIu64, i ? ", " : "", b[i].name, b[i].ticks);
		if (b[i].ticks)
			fprintf(out, " (%.2f %%)", percent_of(b[i].ticks, total));
	}
	putc('\n', out);
}

/* Reports names by newer compilers than libiberty knows, or by Swift. */
void tprof_mangled(const struct job *job, FILE *out)
{
	const char *first;
	uint32_t n = count_mangled(&job->model->names.symbols, &first);

	if (!n)
		return;
	fprintf(out, "%u name%s stayed mangled, the first is ", n, n == 1 ? "" : "s");
	escape_print(out, first);
	putc('\n', out);
}

/* Returns the known runtime with the most ticks in unannounced code, and these ticks; or NULL. */
static const char *unannounced_runtime(const struct job *job, uint64_t *ticks)
{
	const struct counts *c = &job->model->counts;
	const struct names *n = &job->model->names;
	const char *worst = NULL;
	uint32_t i, k;

	*ticks = 0;
	for (i = 0; i < n->runtimes.n; i++) {
		const char *name = n->runtimes.list[i].name;
		uint64_t sum = 0;

		if (name == worst)
			continue;
		for (k = 0; k < c->nrow; k++) {
			const struct row *r = &c->row[k];
			uint32_t pid = n->process[n->thread[r->thread].process].pid;

			if (n->symbols.symbol[r->symbol].result == A2N_RESULT_JIT_UNKNOWN &&
			    runtimes_of(&n->runtimes, pid) == name)
				sum += r->ticks;
		}
		if (sum > *ticks) {
			*ticks = sum;
			worst = name;
		}
	}
	return worst;
}

/* Suggests the one step that would resolve most of the unresolved ticks. */
int tprof_cure(const struct job *job, FILE *out)
{
	uint64_t total = trace_total(job->trace), sum = 0;
	const struct trace_module **list, *worst = NULL;
	uint64_t unannounced;
	const char *runtime = unannounced_runtime(job, &unannounced);
	uint32_t count, i;
	int rc = worst_modules(job, &list, &count);

	if (rc)
		return rc;
	if (runtime && percent_of(unannounced, total) >= 1.0)
		fprintf(out,
			"%.2f %% of all ticks are in unannounced JIT code of %s: restart it with\n"
			"  swtrace run --jit -- COMMAND\n",
			percent_of(unannounced, total), runtime);
	else
		runtime = NULL;
	for (i = 0; i < count; i++) {
		if (runtime && !strcmp(list[i]->name, A2N_JITCODE))
			continue;
		sum += list[i]->unnamed;
		if (!worst)
			worst = list[i];
	}
	free(list);
	if (!worst || percent_of(sum, total) < 1.0)
		return 0;
	fprintf(out, "%.2f %% of all ticks are in modules but have no symbol, most of them in\n  ",
		percent_of(sum, total));
	escape_print(out, worst->name);
	fputs(": ", out);
	escape_print(out, module_reason(worst));
	fprintf(out, "\n  %s\n", module_cure(worst));
	return 0;
}

int tprof_screen(const struct job *job, FILE *out)
{
	bool colour = text_colour(job, job->terminal);
	int rc;

	tprof_others(job, out);
	if (!trace_total(job->trace)) {
		no_samples(job, out);
		return 0;
	}
	tprof_modes(job, out);
	rc = job->options->by_cgroup ? write_cgroups(job, out, colour) : 0;
	if (!rc)
		rc = write_processes(job, out, colour);
	if (!rc)
		rc = write_symbols(job, out, colour);
	if (!rc) {
		putc('\n', out);
		tprof_unknown(job, out);
		tprof_mangled(job, out);
	}
	return rc;
}
