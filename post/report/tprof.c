/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tprof.out: a preamble, then the eight reports of the paper's figure 4 between banners. */
#include "report/report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "escape.h"

struct grouping {
	const char *name;
	const char *about;
	enum level levels[LEVELS];	/* an OFF level follows SYM when offsets are asked for */
};

static const struct grouping groupings[] = {
	{ "Process", "ticks of each process", { LEVEL_PID } },
	{ "Process_Module", "each process by module", { LEVEL_PID, LEVEL_MOD } },
	{ "Process_Module_Symbol", "each process by module and symbol",
	  { LEVEL_PID, LEVEL_MOD, LEVEL_SYM } },
	{ "Process_Thread", "each process by thread", { LEVEL_PID, LEVEL_TID } },
	{ "Process_Thread_Module", "each thread by module", { LEVEL_PID, LEVEL_TID, LEVEL_MOD } },
	{ "Process_Thread_Module_Symbol", "each thread by module and symbol",
	  { LEVEL_PID, LEVEL_TID, LEVEL_MOD, LEVEL_SYM } },
	{ "Module", "ticks of each module, all processes together", { LEVEL_MOD } },
	{ "Module_Symbol", "each module by symbol, all processes together",
	  { LEVEL_MOD, LEVEL_SYM } },
};
#define GROUPINGS (sizeof(groupings) / sizeof(groupings[0]))

static const char *const labels[] = {
	[LEVEL_PID] = "PID", [LEVEL_TID] = "TID", [LEVEL_MOD] = "MOD", [LEVEL_SYM] = "SYM",
	[LEVEL_OFF] = "OFF",
};

static const char rule[] =
	"================================================================================\n";

/* ---- preamble -------------------------------------------------------------------------------- */

static void field(FILE *out, const char *name, const char *value)
{
	if (!*value)
		return;
	fprintf(out, "%-16s", name);
	escape_print(out, value);
	putc('\n', out);
}

/* Facts of the system section that have a line of their own under this name. */
static const struct {
	const char *key, *name;
} known_facts[] = {
	{ "os", "Platform" }, { "cpu model", "CPU model" }, { "cpu speed", "CPU speed" },
	{ "cpu mhz", "CPU MHz" }, { "command", "Command" },
	/* Told by the header already: not repeated. */
	{ "kernel", NULL }, { "machine", NULL }, { "cpus", NULL }, { "collector", NULL },
};

static const char *known_name(const char *key, bool *known)
{
	size_t i;

	for (i = 0; i < sizeof(known_facts) / sizeof(known_facts[0]); i++) {
		if (strcasecmp(known_facts[i].key, key) == 0) {
			*known = true;
			return known_facts[i].name;
		}
	}
	*known = false;
	return NULL;
}

static void write_system(const struct job *job, FILE *out)
{
	const struct pifile_header *h = &job->input->header;
	const struct trace *t = job->trace;
	char text[128];
	const char *name;
	bool known;
	size_t i;

	for (i = 0; i < t->nfacts; i++) {
		name = known_name(t->facts[i].key, &known);
		if (name && strcmp(name, "Platform") == 0)
			field(out, name, t->facts[i].value);
	}
	snprintf(text, sizeof(text), "Linux %.*s %.*s",
		 (int)strnlen(h->release, sizeof(h->release)), h->release,
		 (int)strnlen(h->machine, sizeof(h->machine)), h->machine);
	field(out, "Kernel", text);
	if (t->cpus_online && t->cpus_online != h->ncpus)
		snprintf(text, sizeof(text), "%u, %u of them online", h->ncpus, t->cpus_online);
	else
		snprintf(text, sizeof(text), "%u", h->ncpus);
	field(out, "Processors", text);
	for (i = 0; i < t->nfacts; i++) {
		name = known_name(t->facts[i].key, &known);
		if (name && strcmp(name, "Platform") != 0)
			field(out, name, t->facts[i].value);
		else if (!known)
			field(out, t->facts[i].key, t->facts[i].value);
	}
}

static void write_run(const struct job *job, FILE *out)
{
	const struct pifile_header *h = &job->input->header;
	const struct trace *t = job->trace;
	char text[64];

	fprintf(out, "%-16s", "Trace file");
	escape_print(out, job->input->path);
	fprintf(out, " (%s, %" PRIu64 " bytes, %" PRIu64 " records)\n", job->input->format->name,
		job->input->size, t->records);
	fprintf(out, "%-16s", "Trace start");
	print_date(out, t->start_realtime);
	fprintf(out, "\n%-16s", "Trace length");
	print_seconds(out, t->duration);
	if (t->intervals > 1)
		fprintf(out, " in %" PRIu64 " intervals", t->intervals);
	putc('\n', out);
	if (t->unstable_clock)
		field(out, "Clock", "turned unstable while tracing: times after that are unsure");
	snprintf(text, sizeof(text), "time, %u ticks a second and CPU, dither %u.%u %%", t->rate,
		 t->dither / 10, t->dither % 10);
	field(out, "Mode", text);
	snprintf(text, sizeof(text), "%.*s", (int)strnlen(h->collector, sizeof(h->collector)),
		 h->collector);
	field(out, "Collector", text);
	if (h->scope == PITRACE_SCOPE_PROCESS)
		snprintf(text, sizeof(text), "process %d and its children", h->pid);
	else
		snprintf(text, sizeof(text), "system");
	field(out, "Scope", text);
}

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
	uint64_t outside = 0;
	uint32_t i;

	fprintf(out, "\nTOTAL TICKS     %12" PRIu64 "\n", trace_total(t));
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

	fputs("\nLost\n", out);
	if (!print_losses(out, t, "  "))
		fputs("  nothing\n", out);
	for (i = 0; i < t->ncpus; i++) {
		if (t->cpu[i].stopped_by)
			fprintf(out, "  the %s buffer of CPU %u filled and stopped the trace\n",
				t->cpu[i].stopped_by == 1 ? "MTE" : "trace", i);
	}
	fprintf(out, "\nTimer samples of code that runs with interrupts off land where interrupts "
		"come back on:\n%" PRIu64 " samples (%.2f %%) were taken late, and may be such.\n",
		t->late, percent_of(t->late, t->samples));
}

static void write_damage(const struct job *job, FILE *out)
{
	size_t i;

	if (!job->nfaults && job->input->complete)
		return;
	fputs("\nDamage\n", out);
	if (!job->nfaults)
		fputs("  the file has no end: it was cut, or its writer did not finish\n", out);
	for (i = 0; i < job->nfaults; i++) {
		fprintf(out, "  at byte %" PRIu64 ": ", job->fault[i].offset);
		escape_print(out, job->fault[i].what);
		putc('\n', out);
	}
	if (job->more_faults)
		fprintf(out, "  and %zu more\n", job->more_faults);
}

static int write_modules(const struct job *job, FILE *out)
{
	const struct module **list;
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

static void write_summary(const struct job *job, FILE *out)
{
	const struct names_options *o = &job->options->names;
	size_t i;

	fputs("\nReports\n", out);
	for (i = 0; i < GROUPINGS; i++)
		fprintf(out, "  )) %-30s%s\n", groupings[i].name, groupings[i].about);
	if (job->options->per_cpu)
		fputs("  and the same for each CPU, in percent of that CPU's ticks\n", out);
	fputs("\nLAB  PID process, TID thread, MOD module, SYM symbol", out);
	fputs(job->options->offsets ? ", OFF offset in the symbol\n" : "\n", out);
	fputs("TKS  ticks\n%%%  percent of all ticks\nNAMES  process ", out);
	fputs(o->by_process_name ? "name (processes of one name together)" : "name_pid", out);
	fputs(", thread ", out);
	fputs(o->by_thread_name ? "name (threads of one name together)" : "tid_name", out);
	fputs("; pid and tid are hexadecimal\n", out);
}

/* ---- reports --------------------------------------------------------------------------------- */

static void write_tree(const struct job *job, FILE *out, const struct tree *t, uint64_t total)
{
	uint32_t i = 0;

	while (i < t->count) {
		const struct node *n = &t->node[i];
		double percent = percent_of(n->ticks, total);

		if (percent < job->options->clip) {
			i = n->next;
			continue;
		}
		fprintf(out, " %*s%-*s%12" PRIu64 " %6.2f  %*s", (int)n->depth, "",
			7 - (int)n->depth, labels[n->level], n->ticks, percent, (int)n->depth, "");
		print_label(out, job, n);
		if (n->unsure)
			fprintf(out, "  (%" PRIu64 " unsure)", n->unsure);
		putc('\n', out);
		i++;
	}
}

static int write_grouping(const struct job *job, FILE *out, const struct grouping *g, uint32_t cpu)
{
	enum level levels[LEVELS + 2] = { LEVEL_END };
	struct tree tree;
	size_t n;
	int rc;

	for (n = 0; n < LEVELS && g->levels[n]; n++)
		levels[n] = g->levels[n];
	if (job->options->offsets && levels[n - 1] == LEVEL_SYM)
		levels[n] = LEVEL_OFF;
	rc = build_checked(&tree, job, levels, cpu, g->name);
	if (rc)
		return rc;
	fprintf(out, "\n%s )) %s", rule, g->name);
	if (cpu != ANY_CPU)
		fprintf(out, " of CPU %u (%" PRIu64 " ticks)", cpu, cpu_total(job->trace, cpu));
	fprintf(out, "\n%s\n LAB             TKS    %%%%%%  NAMES\n\n", rule);
	write_tree(job, out, &tree, cpu_total(job->trace, cpu));
	tree_free(&tree);
	return 0;
}

static int write_groupings(const struct job *job, FILE *out, uint32_t cpu)
{
	int rc = 0;
	size_t i;

	for (i = 0; i < GROUPINGS && !rc; i++)
		rc = write_grouping(job, out, &groupings[i], cpu);
	return rc;
}

static int tprof_write(const struct job *job, FILE *out)
{
	uint32_t cpu;
	int rc;

	fprintf(out, "Tprof report, pitrace %s\n\n", PITRACE_VERSION);
	write_system(job, out);
	write_run(job, out);
	write_ticks(job, out);
	write_damage(job, out);
	rc = write_modules(job, out);
	if (rc)
		return rc;
	write_summary(job, out);
	if (!trace_total(job->trace))
		fputs("\nThe trace has no samples.\n", out);
	rc = write_groupings(job, out, ANY_CPU);
	for (cpu = 0; job->options->per_cpu && cpu < job->trace->ncpus && !rc; cpu++) {
		if (cpu_total(job->trace, cpu))
			rc = write_groupings(job, out, cpu);
	}
	return rc;
}

static bool tprof_wanted(const struct options *o)
{
	(void)o;
	return true;
}

const struct report report_tprof = {
	.name = "tprof",
	.path = "tprof.out",
	.mode = 0666,
	.names = true,
	.screen = true,
	.wanted = tprof_wanted,
	.write = tprof_write,
};
