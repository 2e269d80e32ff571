/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The reports that there are, and how those asked for are made: to files, as one JSON object, on
 * the screen. */
#ifndef POST_REPORTS_H
#define POST_REPORTS_H

#include "report/report.h"
#include "sandbox/opener.h"

extern const struct report report_tprof, report_calltree, report_callers, report_folded,
	report_sched, report_offcpu, report_irq, report_syscalls, report_faults, report_marks,
	report_show, report_convert, report_annotate, report_explain, report_arc, report_flow,
	report_functions,
	report_instructions, report_verify, report_stats, report_info, report_validate;

/* What the model must hold for the reports asked for. */
unsigned int reports_need(const struct options *o);
/* Whether a report is of something that isn't there: then none is to be written. */
bool reports_absent(const struct job *job);
/* Where each output of these options goes, at most REPORTS; how many there are. */
unsigned int reports_outputs(const struct options *o, struct opener_output list[REPORTS]);
/* Write them where they go, and put what belongs there on stdout, unless a report itself went
 * there. A report that could not be written is no reason to keep silent. The exit code. */
struct written {
	const char *path;
	bool renamed;			/* an older one was set aside */
};
struct reports_written {
	struct written list[REPORTS];
	unsigned int n;
};
int reports_write(const struct job *job, struct reports_written *w);
/* `code`, or a worse one. */
int reports_screen(const struct job *job, const struct reports_written *w, int code);

#endif
