/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Suggests further reports for this trace to a user at a terminal. */
#include "report/report.h"

static const struct {
	unsigned int major;
	const char *options;
} reports[] = {
	{ PITRACE_DISPATCH, " -sched -offcpu -critical" },
	{ PITRACE_SYSCALL, " -syscalls -locks" },
	{ PITRACE_INTERRUPT, " -irq" },
	{ PITRACE_FAULT, " -faults" },
	{ PITRACE_HOOKIT, " -marks" },
	{ PITRACE_NAMED, " -marks" },
	{ PITRACE_BRANCH_USER, " -arc -flow -tree" },
	{ PITRACE_BRANCH_KERNEL, " -arc -flow -tree" },
};

void screen_next(const struct job *job, FILE *out)
{
	const struct trace *t = job->trace;
	const char *shown = "";
	bool any = t->stacks;

	if (!job->terminal || !(job->options->kinds & REPORT_TELLS_TOTALS))
		return;
	for (size_t i = 0; i < sizeof(reports) / sizeof(*reports); i++)
		any |= t->major[reports[i].major] > 0;
	if (!any)
		return;
	fputs("also in this trace:", out);
	if (t->stacks)
		fputs(" -calltree -callers -html", out);
	for (size_t i = 0; i < sizeof(reports) / sizeof(*reports); i++)
		if (t->major[reports[i].major] && shown != reports[i].options) {
			shown = reports[i].options;
			fputs(shown, out);
		}
	putc('\n', out);
}
