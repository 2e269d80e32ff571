/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The screenful on stdout: where the time went, what is missing, what to do about it. */
#include "report/report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "escape.h"

#define TOP_PROCESSES 5
#define TOP_SYMBOLS 10
#define LOSS_LINES 4
#define HOT_PERCENT 5.0
#define MODULE_WIDTH 24

static bool use_colour(FILE *out)
{
	const char *no = getenv("NO_COLOR");

	return isatty(fileno(out)) && !(no && *no);
}

static void bounded(FILE *out, const char *s, size_t size)
{
	char text[256];

	snprintf(text, sizeof(text), "%.*s", (int)strnlen(s, size), s);
	escape_print(out, text);
}

static void write_header(const struct job *job, FILE *out)
{
	const struct pifile_header *h = &job->input->header;
	const struct trace *t = job->trace;
	uint64_t total = trace_total(t);

	escape_print(out, job->input->path);
	fputs(": ", out);
	bounded(out, h->collector, sizeof(h->collector));
	fputs(", Linux ", out);
	bounded(out, h->release, sizeof(h->release));
	putc(' ', out);
	bounded(out, h->machine, sizeof(h->machine));
	fprintf(out, ", %u CPU%s, %u Hz, ", h->ncpus, h->ncpus == 1 ? "" : "s", t->rate);
	print_seconds(out, t->duration);
	fprintf(out, ", %" PRIu64 " ticks\n", total);
	if (total)
		fprintf(out, "kernel %.2f %%, user %.2f %%, idle %.2f %%\n",
			percent_of(t->kernel, total), percent_of(t->user, total),
			percent_of(t->idle, total));
}

/* A row: percent and ticks; what follows is the caller's. */
static void write_share(const struct job *job, FILE *out, uint64_t ticks, bool colour)
{
	double percent = percent_of(ticks, trace_total(job->trace));
	bool hot = colour && percent >= HOT_PERCENT;

	fprintf(out, "%s%8.2f %11" PRIu64 "%s  ", hot ? "\033[31m" : "", percent, ticks,
		hot ? "\033[0m" : "");
}

static int write_processes(const struct job *job, FILE *out, bool colour)
{
	static const enum level levels[] = { LEVEL_PID, LEVEL_END };
	const struct names *names = &job->model->names;
	struct tree tree;
	uint32_t i;
	int rc = build_checked(&tree, job, levels, ANY_CPU, "of processes");

	if (rc)
		return rc;
	fprintf(out, "\n%8s %11s  PROCESS (PID)\n", "%%%", "TICKS");
	for (i = 0; i < tree.count && i < TOP_PROCESSES; i++) {
		const struct process *p = &names->process[tree.node[i].id];

		write_share(job, out, tree.node[i].ticks, colour);
		escape_print(out, p->name);
		if (!job->options->names.by_process_name)
			fprintf(out, " (%u)", p->pid);
		putc('\n', out);
	}
	if (tree.count > TOP_PROCESSES)
		fprintf(out, "%20s  and %u more\n", "", tree.count - TOP_PROCESSES);
	tree_free(&tree);
	return 0;
}

/* Paths are long; the last part is what one looks for. */
static const char *short_module(const char *name)
{
	const char *slash = strrchr(name, '/');

	return slash && slash[1] ? slash + 1 : name;
}

static int write_symbols(const struct job *job, FILE *out, bool colour)
{
	static const enum level levels[] = { LEVEL_SYM, LEVEL_END };
	const struct names *names = &job->model->names;
	char room[MODULE_WIDTH + 1];
	struct tree tree;
	uint32_t i, shown = 0;
	int rc = build_checked(&tree, job, levels, ANY_CPU, "of symbols");

	if (rc)
		return rc;
	fprintf(out, "\n%8s %11s  %-*s SYMBOL\n", "%%%", "TICKS", MODULE_WIDTH, "MODULE");
	for (i = 0; i < tree.count && shown < TOP_SYMBOLS; i++) {
		const struct symbol *s = &names->symbol[tree.node[i].id];

		if (names->has_idle && tree.node[i].id == names->idle.symbol)
			continue;			/* it stands in the second line */
		shown++;
		write_share(job, out, tree.node[i].ticks, colour);
		escape_into(room, sizeof(room), short_module(names->module[s->module].name));
		fprintf(out, "%-*s ", MODULE_WIDTH, room);
		escape_print(out, s->name);
		putc('\n', out);
	}
	tree_free(&tree);
	return 0;
}

static void write_unknown(const struct job *job, FILE *out)
{
	uint64_t total = trace_total(job->trace);
	struct bucket b[BUCKETS];
	int i;

	fputs("\nunknown: ", out);
	fill_buckets(job, b);
	for (i = 0; i < BUCKETS; i++) {
		fprintf(out, "%s%s %" PRIu64, i ? ", " : "", b[i].name, b[i].ticks);
		if (b[i].ticks)
			fprintf(out, " (%.2f %%)", percent_of(b[i].ticks, total));
	}
	putc('\n', out);
}

/* A line a CPU while they are few; the report has all of them. */
static void write_losses(const struct trace *t, FILE *out)
{
	const char *comma = "lost: ";
	unsigned int cpus = 0, kind;
	uint32_t i;

	for (i = 0; i < t->ncpus; i++) {
		for (kind = 0; kind < PITRACE_LOST_KINDS && !t->cpu[i].lost[kind]; kind++)
			;
		cpus += kind < PITRACE_LOST_KINDS;
	}
	if (cpus <= LOSS_LINES) {
		if (!print_losses(out, t, "lost: "))
			fputs("lost: nothing\n", out);
		return;
	}
	for (kind = 0; kind < PITRACE_LOST_KINDS; kind++) {
		if (!trace_lost(t, kind))
			continue;
		fprintf(out, "%s%s %" PRIu64, comma, trace_lost_name(kind), trace_lost(t, kind));
		comma = ", ";
	}
	fprintf(out, " on %u CPUs\n", cpus);
}

static void write_missing(const struct job *job, FILE *out)
{
	const struct trace *t = job->trace;
	uint32_t i;

	write_losses(t, out);
	for (i = 0; i < t->ncpus; i++) {
		bool mte = t->cpu[i].stopped_by == 1;

		if (t->cpu[i].stopped_by)
			fprintf(out, "the %s buffer of CPU %u filled and stopped the trace:\n"
				"  larger buffers (swtrace init %s) or continuous mode (-t cont)\n",
				mte ? "MTE" : "trace", i, mte ? "-sm" : "-s");
	}
	if (t->late)
		fprintf(out, "late: %" PRIu64
			" samples (%.2f %%), booked where interrupts came back on\n", t->late,
			percent_of(t->late, t->samples));
	if (t->unstable_clock)
		fputs("the clock turned unstable while tracing: times after that are unsure\n",
		      out);
	if (job->nfaults)
		fprintf(out, "damaged: %zu fault%s, the first at byte %" PRIu64 "; %" PRIu64
			" records were read\n", job->nfaults + job->more_faults,
			job->nfaults + job->more_faults == 1 ? "" : "s", job->fault[0].offset,
			t->records);
	else if (!job->input->complete)
		fprintf(out, "the file has no end: it was cut, or its writer did not finish; %"
			PRIu64 " records were read\n", t->records);
}

/* The one thing that would name most of what has no name. */
static int write_cure(const struct job *job, FILE *out)
{
	uint64_t total = trace_total(job->trace), sum = 0;
	const struct module **list, *worst = NULL;
	uint32_t count, i;
	int rc = worst_modules(job, &list, &count);

	if (rc)
		return rc;
	for (i = 0; i < count; i++)
		sum += list[i]->unnamed;
	if (count)
		worst = list[0];
	free(list);
	if (percent_of(sum, total) < 1.0)
		return 0;
	fprintf(out, "%.2f %% of all ticks are in modules but have no symbol, most of them in\n  ",
		percent_of(sum, total));
	escape_print(out, worst->name);
	fputs(": ", out);
	escape_print(out, module_reason(worst));
	fprintf(out, "\n  %s\n", module_cure(worst));
	return 0;
}

static void write_no_samples(const struct job *job, FILE *out)
{
	const struct trace *t = job->trace;

	fputs("\nThe trace has no samples. ", out);
	if (!t->records)
		fputs("It has no records at all: was tracing on (swtrace on, swtrace off)?\n", out);
	else
		fputs("Was tprof enabled (swtrace enable tprof), and did anything run\n"
		      "within the trace's scope while tracing was on?\n"
		      "Try: swtrace run -a -- sleep 5; then post\n", out);
}

int screen_write(const struct job *job, FILE *out)
{
	bool colour = use_colour(out);
	int rc;

	write_header(job, out);
	if (trace_total(job->trace)) {
		rc = write_processes(job, out, colour);
		if (!rc)
			rc = write_symbols(job, out, colour);
		if (rc)
			return rc;
		write_unknown(job, out);
	} else {
		write_no_samples(job, out);
	}
	write_missing(job, out);
	rc = write_cure(job, out);
	if (job->written) {
		fputs("full report: ", out);
		escape_print(out, job->written);
		if (job->renamed) {
			fputs(" (the one before is now ", out);
			escape_print(out, job->written);
			fputs(".old)", out);
		}
		putc('\n', out);
	}
	return rc;
}
