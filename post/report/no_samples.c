/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A trace without samples: what else it has, and which report shows that. */
#include "report/report.h"

#include <inttypes.h>
#include <perfutil.h>

#include "record/call_record.h"

static const struct {
	uint16_t major;
	const char *by;
} shown[] = {
	{ PITRACE_DISPATCH, "-sched, -offcpu" },
	{ PITRACE_WAKEUP, "-sched" },
	{ PITRACE_INTERRUPT, "-irq" },
	{ PITRACE_SYSCALL, "-syscalls" },
	{ PITRACE_FAULT, "-faults" },
	{ PITRACE_HOOKIT, "-marks" },
	{ PITRACE_NAMED, "-marks" },
};
#define SHOWN (sizeof(shown) / sizeof(shown[0]))

static void line(FILE *out, const char *name, uint64_t records, const char *by)
{
	if (records)
		fprintf(out, "%12" PRIu64 "  %-12s post %s\n", records, name, by);
}

void no_samples(const struct job *job, FILE *out)
{
	const struct trace *t = job->trace;
	uint64_t any = 0, users = 0;
	size_t i;

	fputs("\nThe trace has no samples", out);
	if (!t->records) {
		fputs(". It has no records at all: was tracing on (swtrace on, swtrace off)?\n",
		      out);
		return;
	}
	for (i = PITRACE_USER_FIRST; i < PITRACE_MAJORS; i++)
		users += t->major[i];
	for (any = users + t->major[CALL_RECORD], i = 0; i < SHOWN; i++)
		any += t->major[shown[i].major];
	if (!any) {
		fputs(". Was tprof enabled (swtrace enable tprof), and did anything run\n"
		      "within the trace's scope while tracing was on?\n"
		      "Try: swtrace run -a -- sleep 5; then post\n",
		      out);
		return;
	}
	fputs(", which this report is of. It has records, and other reports that show them:\n",
	      out);
	for (i = 0; i < SHOWN; i++)
		line(out, TraceMajorName(shown[i].major), t->major[shown[i].major], shown[i].by);
	line(out, "call", t->major[CALL_RECORD], "-functions, -flow, -tree");
	line(out, "user's own", users, "-marks");
}
