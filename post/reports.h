/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The reports that there are, and how those asked for are made: to files, as one JSON object, on
 * the screen. */
#ifndef POST_REPORTS_H
#define POST_REPORTS_H

#include "report/report.h"
#include "sandbox/opener.h"

/* The list, in the order in which several are written and -help tells of them: a new one is one
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

/* The one at a place of the list; the bit of its place. */
const struct report *report_at(size_t place);
unsigned int report_bit(const struct report *r);
/* Sets the subjects of the reports that were asked for: kinds, all_kinds. */
void reports_kinds(struct options *o);

/* Returns what the model must hold for the reports that were asked for. */
unsigned int reports_need(const struct options *o);
/* Those of records know what is damaged when they have read them. */
bool reports_meet_damage(unsigned int needs);
/* Whether a report is of something that isn't there: then none is to be written. */
bool reports_absent(const struct job *job);
/* Where each output of these options goes, at most REPORT_COUNT; how many there are. */
unsigned int reports_outputs(const struct options *o, struct opener_output list[REPORT_COUNT]);
/* Write them where they go, and put what belongs there on stdout, unless a report itself went
 * there. A report that could not be written is no reason to keep silent. The exit code. */
struct written {
	const char *path;
	bool renamed; /* an older one was set aside */
};
struct reports_written {
	struct written list[REPORT_COUNT];
	unsigned int n;
};
int reports_write(const struct job *job, struct reports_written *w);
/* `code`, or a worse one. */
int reports_screen(const struct job *job, const struct reports_written *w, int code);

#endif
