/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The list of reports, and functions that write the requested ones: to files, as one JSON object,
 * on the screen. */
#ifndef POST_REPORTS_H
#define POST_REPORTS_H

#include "report/report.h"
#include "sandbox/opener.h"

/* The reports in the order in which they are written and listed by -help. A new report adds one
 * line here. */
/* clang-format off */
#define REPORTS(report) \
	report(tprof) \
	report(sched) \
	report(offcpu) \
	report(critical) \
	report(irq) \
	report(syscalls) \
	report(locks) \
	report(faults) \
	report(marks) \
	report(arc) \
	report(flow) \
	report(functions) \
	report(calls) \
	report(instructions) \
	report(verify) \
	report(calltree) \
	report(callers) \
	report(folded) \
	report(html) \
	report(annotate) \
	report(explain) \
	report(info) \
	report(stats) \
	report(validate) \
	report(show) \
	report(convert)
/* clang-format on */

#define DECLARED(name) extern const struct report report_##name;
REPORTS(DECLARED)
#undef DECLARED

#define ONE(name) +1
enum { REPORT_COUNT = REPORTS(ONE) };
#undef ONE
#define REPORT_BIT(place) (1u << (place))

/* Return the report at an index of the list, and the bit of its index. */
const struct report *report_at(size_t place);
unsigned int report_bit(const struct report *r);
/* Sets o->kinds and o->all_kinds from the requested reports. */
void reports_kinds(struct options *o);

/* Returns what the model must hold for the requested reports. */
unsigned int reports_need(const struct options *o);
/* Returns whether the reports find damage while they read: true for reports of records. */
bool reports_meet_damage(unsigned int needs);
/* Returns whether the trace lacks the subject of a requested report: then no report is written. */
bool reports_absent(const struct job *job);
/* Lists the outputs of these options, at most REPORT_COUNT. Returns their number. */
unsigned int reports_outputs(const struct options *o, struct opener_output list[REPORT_COUNT]);
/* Writes the reports to their outputs, and their summary to stdout unless a report is written
 * there. A report that cannot be written does not stop the others. Returns the exit code. */
struct written {
	const char *path;
	bool renamed; /* an older file was renamed */
};
struct reports_written {
	struct written list[REPORT_COUNT];
	unsigned int n;
};
int reports_write(const struct job *job, struct reports_written *w);
/* Returns `code`, or a worse exit code. */
int reports_screen(const struct job *job, const struct reports_written *w, int code);

#endif
