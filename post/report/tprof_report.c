/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tprof.out: a preamble, then the eight reports of the paper's figure 4 between banners. */
#include "report/report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "escape.h"

struct grouping {
	const char *name;
	const char *about;         /* %s: the unit */
	enum level levels[LEVELS]; /* followed by LIN and OFF if requested */
};

static const struct grouping groupings[] = {
	{ "Cgroup", "%s of each cgroup", { LEVEL_CGR } },
	{ "Cgroup_Process", "each cgroup by process", { LEVEL_CGR, LEVEL_PID } },
	{ "Cgroup_Process_Module_Symbol",
	  "each cgroup by process, module and symbol",
	  { LEVEL_CGR, LEVEL_PID, LEVEL_MOD, LEVEL_SYM } },
	{ "Process", "%s of each process", { LEVEL_PID } },
	{ "Process_Module", "each process by module", { LEVEL_PID, LEVEL_MOD } },
	{ "Process_Module_Symbol",
	  "each process by module and symbol",
	  { LEVEL_PID, LEVEL_MOD, LEVEL_SYM } },
	{ "Process_Thread", "each process by thread", { LEVEL_PID, LEVEL_TID } },
	{ "Process_Thread_Module", "each thread by module", { LEVEL_PID, LEVEL_TID, LEVEL_MOD } },
	{ "Process_Thread_Module_Symbol",
	  "each thread by module and symbol",
	  { LEVEL_PID, LEVEL_TID, LEVEL_MOD, LEVEL_SYM } },
	{ "Module", "%s of each module, all processes together", { LEVEL_MOD } },
	{ "Module_Symbol",
	  "each module by symbol, all processes together",
	  { LEVEL_MOD, LEVEL_SYM } },
};
#define GROUPINGS (sizeof(groupings) / sizeof(groupings[0]))

static const char *const labels[] = {
	[LEVEL_CGR] = "CGR", [LEVEL_PID] = "PID", [LEVEL_TID] = "TID", [LEVEL_MOD] = "MOD",
	[LEVEL_SYM] = "SYM", [LEVEL_LIN] = "LIN", [LEVEL_OFF] = "OFF",
};

static const char rule[] =
	"================================================================================\n";

/* ---- preamble -------------------------------------------------------------------------------- */

static void tick_line(const struct job *job, FILE *out, const char *name, uint64_t ticks,
		      const char *about)
{
	fprintf(out, "  %-14s%12" PRIu64 " %6.2f %%%s%s\n", name, ticks,
		percent_of(ticks, trace_total(job->trace)), *about ? "  " : "", about);
}

static void write_ticks(const struct job *job, FILE *out)
{
	const struct trace *t = job->trace;
	struct bucket b[BUCKETS];
	char title[MODE_UNIT];
	uint64_t outside = 0;
	uint32_t i;

	fprintf(out, "\nTOTAL %-10s%12" PRIu64 "\n", mode_title(job, title), trace_total(t));
	tick_line(job, out, "kernel", t->kernel, "");
	tick_line(job, out, "user", t->user, "");
	tick_line(job, out, "idle", t->idle, "computed: an idle CPU's timer sleeps");
	for (i = 0; i < t->ncpus; i++)
		outside += t->cpu[i].out_of_scope;
	if (outside)
		fprintf(out, "  %-14s%12" PRIu64 "           not counted: other processes' ticks\n",
			"out of scope", outside);
	fprintf(out, "Clipping level  %12.2f %%\n\nUnknown\n", job->options->clip);
	fill_buckets(job, b);
	for (i = 0; i < BUCKETS; i++)
		tick_line(job, out, b[i].name, b[i].ticks, b[i].meaning);
	tprof_mangled(job, out);

	fputs("\nLost\n", out);
	warn_losses(out, job, "  ");
	print_stops(out, t, "  ", false);
	print_held(out, t, "  ");
	if (t->events.has_chosen && t->events.chosen)
		return;
	fprintf(out,
		"\nTimer samples of code that runs with interrupts off land where interrupts "
		"come back on:\n%" PRIu64 " samples (%.2f %%) were taken late, and may be such.\n",
		t->late, percent_of(t->late, t->samples));
}

static int write_modules(const struct job *job, FILE *out)
{
	const struct trace_module **list;
	uint32_t count, i;
	int rc = worst_modules(job, &list, &count);

	if (rc)
		return rc;
	if (count)
		fputs("\nTicks without a symbol, by module and why\n", out);
	for (i = 0; i < count; i++) {
		fprintf(out, "%28" PRIu64 " %6.2f %%  ", list[i]->unnamed,
			percent_of(list[i]->unnamed, trace_total(job->trace)));
		escape_print(out, list[i]->name);
		fputs(": ", out);
		escape_print(out, module_reason(list[i]));
		putc('\n', out);
	}
	free(list);
	return 0;
}

/* Returns the index of the first grouping that is reported. */
static size_t first_grouping(const struct job *job)
{
	size_t i = 0;

	while (!job->options->by_cgroup && groupings[i].levels[0] == LEVEL_CGR)
		i++;
	return i;
}

static void write_about(const struct job *job, FILE *out, const struct grouping *g)
{
	const char *rest = g->about;

	fprintf(out, "  )) %-30s", g->name);
	if (!strncmp(rest, "%s", 2)) {
		escape_print(out, mode_unit(job));
		rest += 2;
	}
	fprintf(out, "%s\n", rest);
}

static void write_summary(const struct job *job, FILE *out)
{
	const struct names_options *o = &job->options->names;
	size_t i;

	fputs("\nReports\n", out);
	for (i = first_grouping(job); i < GROUPINGS; i++)
		write_about(job, out, &groupings[i]);
	if (job->options->per_cpu)
		fputs("  and the same for each CPU, in percent of that CPU's ticks\n", out);
	fputs("\nLAB  ", out);
	if (job->options->by_cgroup)
		fputs("CGR cgroup, ", out);
	fputs("PID process, TID thread, MOD module, SYM symbol", out);
	if (o->by_line)
		fputs(", LIN source line", out);
	fputs(job->options->unnamed_offsets ?
		      ", OFF offset in the module where no symbol was found\n" :
	      job->options->offsets ? ", OFF offset in the symbol\n" :
				      "\n",
	      out);
	fputs("TKS  ", out);
	escape_print(out, mode_unit(job));
	fputs("\n%%%  percent of all ", out);
	escape_print(out, mode_unit(job));
	fputs("\nNAMES  process ", out);
	fputs(o->by_process_name ? "name (processes of one name together)" : "name_pid", out);
	fputs(", thread ", out);
	fputs(o->by_thread_name ? "name (threads of one name together)" : "tid_name", out);
	fputs("; pid and tid are hexadecimal\n", out);
}

/* ---- reports --------------------------------------------------------------------------------- */

/* The columns TKS and %%%. There may be millions of lines, mostly with few ticks: formatted numbers
 * are cached, indexed by their lowest bits. */
struct shares {
	uint64_t total;
	struct share {
		uint64_t ticks;
		char text[36];
		int length; /* 0: empty */
	} kept[256];
};

static const struct share *share_of(struct shares *shares, uint64_t ticks)
{
	struct share *s = &shares->kept[ticks % 256];

	if (!s->length || s->ticks != ticks) {
		s->ticks = ticks;
		s->length = snprintf(s->text, sizeof(s->text), "%12" PRIu64 " %6.2f  ", ticks,
				     percent_of(ticks, shares->total));
	}
	return s;
}

static void put_text(char **at, const char *text, size_t n)
{
	memcpy(*at, text, n);
	*at += n;
}

/* Copies the label if it is only a name that fits. */
static bool put_name(char **at, const char *end, const struct job *job, const struct tree_node *n)
{
	const char *name;
	size_t length;

	if (n->level != LEVEL_MOD &&
	    (n->level != LEVEL_SYM || job->model->names.symbols.symbol[n->id].inlined))
		return false;
	name = node_name(job->model, n);
	length = escape_plain(name);
	if (name[length] || length > (size_t)(end - *at))
		return false;
	put_text(at, name, length);
	return true;
}

/* Prints the levels above `depth`. There may be millions of lines, so most take a single write. */
static void write_tree(const struct job *job, FILE *out, const struct tree *t, uint64_t total,
		       uint32_t depth)
{
	static const char blanks[] = "            ";
	struct shares shares = { .total = total };
	uint32_t i = 0;

	while (i < t->count) {
		const struct tree_node *n = &t->node[i];
		const struct share *s;
		char line[512], *at = line;

		if (n->depth >= depth || !offset_shown(job, n) ||
		    percent_of(n->ticks, total) < job->options->clip) {
			i = n->next;
			continue;
		}
		s = share_of(&shares, n->ticks);
		put_text(&at, blanks, 1 + n->depth);
		put_text(&at, labels[n->level], 3);
		put_text(&at, blanks, n->depth < 4 ? 4 - n->depth : 0);
		put_text(&at, s->text, (size_t)s->length);
		put_text(&at, blanks, n->depth);
		if (!put_name(&at, line + sizeof(line) - 40, job, n)) {
			fwrite_unlocked(line, 1, (size_t)(at - line), out);
			print_label(out, job, n);
			at = line;
		}
		if (n->unsure)
			at += sprintf(at, "  (%" PRIu64 " unsure)", n->unsure);
		*at++ = '\n';
		fwrite_unlocked(line, 1, (size_t)(at - line), out);
		i++;
	}
}

static uint32_t depth_of(const struct grouping *g)
{
	uint32_t n = 0;

	while (n < LEVELS && g->levels[n])
		n++;
	return n;
}

/* The tree of a grouping also serves earlier groupings whose levels are its outer ones. */
static int build_grouping(struct tree *tree, const struct job *job, const struct grouping *g,
			  uint32_t cpu)
{
	enum level levels[LEVELS + 2] = { LEVEL_END };
	uint32_t n = depth_of(g);

	memcpy(levels, g->levels, n * sizeof(*levels));
	if (levels[n - 1] == LEVEL_SYM) {
		if (job->options->names.by_line)
			levels[n++] = LEVEL_LIN;
		if (job->options->offsets)
			levels[n] = LEVEL_OFF;
	}
	return build_checked(tree, job, levels, cpu, g->name);
}

static void write_grouping(const struct job *job, FILE *out, const struct tree *tree,
			   const struct grouping *g, bool innermost, uint32_t cpu)
{
	fprintf(out, "\n%s )) %s", rule, g->name);
	if (cpu != ANY_CPU)
		fprintf(out, " of CPU %u (%" PRIu64 " ticks)", cpu, cpu_total(job->trace, cpu));
	fprintf(out, "\n%s\n LAB             TKS    %%%%%%  NAMES\n\n", rule);
	write_tree(job, out, tree, cpu_total(job->trace, cpu),
		   innermost ? UINT32_MAX : depth_of(g));
}

/* Returns whether b has the levels of a, and more. */
static bool is_outer(const struct grouping *a, const struct grouping *b)
{
	uint32_t n = depth_of(a);

	return n < depth_of(b) && !memcmp(a->levels, b->levels, n * sizeof(*a->levels));
}

static int write_groupings(const struct job *job, FILE *out, uint32_t cpu)
{
	struct tree tree;
	size_t i, last;
	int rc;

	for (i = first_grouping(job); i < GROUPINGS; i = last + 1) {
		for (last = i;
		     last + 1 < GROUPINGS && is_outer(&groupings[last], &groupings[last + 1]);)
			last++;
		rc = build_grouping(&tree, job, &groupings[last], cpu);
		if (rc)
			return rc;
		for (; i <= last; i++)
			write_grouping(job, out, &tree, &groupings[i], i == last, cpu);
		tree_free(&tree);
	}
	return 0;
}

static int tprof_write(const struct job *job, FILE *out)
{
	uint32_t cpu;
	int rc;

	fprintf(out, "Tprof report, pitrace %s\n\n", PITRACE_VERSION);
	preamble_system(job, out);
	preamble_run(job, out);
	write_ticks(job, out);
	preamble_damage(job, out);
	if (!trace_total(job->trace)) {
		no_samples(job, out);
		return 0;
	}
	rc = write_modules(job, out);
	if (rc)
		return rc;
	write_summary(job, out);
	rc = write_groupings(job, out, ANY_CPU);
	for (cpu = 0; job->options->per_cpu && cpu < job->trace->ncpus && !rc; cpu++) {
		if (cpu_total(job->trace, cpu))
			rc = write_groupings(job, out, cpu);
	}
	return rc;
}

const struct report report_tprof = {
	.name = "tprof",
	.usage =
		"  -tprof            samples by process, module and symbol: the default (tprof.out)\n",
	.kinds = REPORT_OF_SAMPLES | REPORT_TELLS_TOTALS,
	.path = "tprof.out",
	.mode = 0666,
	.needs = NEED_SAMPLES,
	.write = tprof_write,
	.screen = tprof_screen,
	.json = tprof_json,
	.csv = tprof_csv,
};
