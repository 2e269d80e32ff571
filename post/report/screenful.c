/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The screenful on stdout: its header and the missing data; each report prints the rest. */
#include "report/report.h"

#include <perfutil.h>
#include <inttypes.h>
#include <string.h>

#include "escape.h"

#define LOSS_LINES 4

static void bounded(FILE *out, const char *s, size_t size)
{
	char text[256];

	snprintf(text, sizeof(text), "%.*s", (int)strnlen(s, size), s);
	escape_print(out, text);
}

void screen_header(const struct job *job, FILE *out)
{
	const struct pifile_header *h = &job->input->header;
	const struct trace *t = job->trace;
	bool samples = job->options->kinds & REPORT_TELLS_TOTALS;

	escape_print(out, job->input->name);
	fputs(": ", out);
	bounded(out, h->collector, sizeof(h->collector));
	if (h->release[0] || h->machine[0]) {
		fputs(", Linux ", out);
		bounded(out, h->release, sizeof(h->release));
		putc(' ', out);
		bounded(out, h->machine, sizeof(h->machine));
	}
	if (h->ncpus)
		fprintf(out, ", %u CPU%s", h->ncpus, h->ncpus == 1 ? "" : "s");
	fputs(", ", out);
	if (samples && t->events.has_chosen && t->events.chosen)
		escape_print(out, mode_name(t));
	else if (samples)
		fprintf(out, "%u Hz", t->rate);
	fputs(samples ? ", " : "", out);
	print_seconds(out, t->duration);
	if (samples)
		escape_printf(out, ", %" PRIu64 " %s\n", trace_total(t), mode_unit(job));
	else
		fprintf(out, ", %" PRIu64 " records\n", t->records);
	if (trace_fact(t, "collector note")) {
		fputs("collector: ", out);
		escape_print(out, trace_fact(t, "collector note"));
		putc('\n', out);
	}
}

/* One line per CPU if they are few; the report lists all of them. */
static void write_losses(const struct job *job, FILE *out)
{
	const struct trace *t = job->trace;
	const char *comma = "lost: ";
	unsigned int cpus = 0, kind;
	uint32_t i;

	for (i = 0; i < t->ncpus; i++) {
		for (kind = 0; kind < PITRACE_LOST_KINDS && !t->cpu[i].lost[kind]; kind++)
			;
		cpus += kind < PITRACE_LOST_KINDS;
	}
	if (cpus <= LOSS_LINES) {
		warn_losses(out, job, "lost: ");
		return;
	}
	for (kind = 0; kind < PITRACE_LOST_KINDS; kind++) {
		if (!trace_lost(t, kind))
			continue;
		fprintf(out, "%s%s %" PRIu64, comma, TraceLostName((int)kind), trace_lost(t, kind));
		comma = ", ";
	}
	fprintf(out, " on %u CPUs\n", cpus);
}

int screen_missing(const struct job *job, FILE *out)
{
	const struct trace *t = job->trace;

	write_losses(job, out);
	print_stops(out, t, "", true);
	print_held(out, t, "wrap: ");
	if (t->late)
		fprintf(out,
			"late: %" PRIu64
			" samples (%.2f %%), booked where interrupts came back on\n",
			t->late, percent_of(t->late, t->samples));
	if (t->unstable_clock)
		fputs("the clock turned unstable while tracing: times after that are unsure\n",
		      out);
	if (job->nfaults) {
		fprintf(out, "damaged: %zu fault%s", job->nfaults + job->more_faults,
			job->nfaults + job->more_faults == 1 ? "" : "s");
		if (job->fault[0].offset != NO_OFFSET)
			fprintf(out, ", the first at byte %" PRIu64, job->fault[0].offset);
		fprintf(out, "; %" PRIu64 " records were read\n", t->records);
	}
	if (!job->nfaults && !job->input->complete)
		fprintf(out,
			"the file has no end: it was cut, or its writer did not finish; %" PRIu64
			" records were read\n",
			t->records);
	return job->options->kinds & REPORT_TELLS_TOTALS ? tprof_cure(job, out) : 0;
}
