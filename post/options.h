/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the user asked for: filled by command_line.c, read by whoever it concerns. */
#ifndef POST_OPTIONS_H
#define POST_OPTIONS_H

#include "model/filter.h"

struct writer;

enum { EXIT_CLEAN = 0, EXIT_DAMAGED = 1, EXIT_UNREADABLE = 2 };

/* In the order in which several are written. */
enum report_id {
	REPORT_TPROF, REPORT_CALLTREE, REPORT_CALLERS, REPORT_FOLDED, REPORT_ANNOTATE,
	REPORT_EXPLAIN,
	REPORT_SCHED, REPORT_OFFCPU, REPORT_IRQ, REPORT_SYSCALLS, REPORT_FAULTS, REPORT_MARKS,
	REPORT_CONVERT, REPORT_SHOW, REPORT_ARC, REPORT_FLOW, REPORT_FUNCTIONS,
	 REPORT_INSTRUCTIONS, REPORT_VERIFY,
	REPORT_STATS, REPORT_INFO, REPORT_VALIDATE,
	REPORTS,
};
#define REPORT_BIT(id) (1u << (id))

/* What REPORT_CALLERS tells. */
enum { CALLS_CALLERS = 1, CALLS_CALLEES = 2 };

struct options {
	const char *input;
	const char *const *more;	/* several that are read as one: these; else NULL */
	uint32_t inputs;
	bool default_input;		/* nobody named one */
	const char *output;		/* NULL: the report's own default */
	const char *kernel_map, *kernel_image;
	const char *program;		/* whose functions a log numbers */
	const char *event;		/* what reports of samples are of; NULL: the first */
	const struct writer *convert;	/* what the trace is written as; NULL: reports */
	struct filter filter;
	struct names_options names;
	double clip;			/* percent: lines below are left out */
	unsigned int reports;		/* REPORT_BIT(); at least one */
	unsigned int calls;		/* CALLS_* */
	bool away;			/* reports of call stacks are of time off the CPU */
	bool instructions;		/* … are of instructions that were traced */
	bool by_function, kernel_once, plt_once;	/* arc: what is one line */
	const char *symbol;		/* of callers and callees: this one only */
	bool per_cpu, offsets;
	bool unnamed_offsets;		/* … only where no symbol was found */
	bool json, csv;
	bool verbose, quiet;
};

#endif
