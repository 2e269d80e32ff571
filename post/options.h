/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The user's wishes: command_line.c fills them in, whoever they concern reads them. */
#ifndef POST_OPTIONS_H
#define POST_OPTIONS_H

#include "model/filter.h"

struct writer;

enum { EXIT_CLEAN = 0, EXIT_DAMAGED = 1, EXIT_UNREADABLE = 2 };

/* The subject of a report, in bits: the command line knows by them which reports go together. */
enum report_kind {
	REPORT_OF_SAMPLES = 1, /* (with -tree and -offcpu those of call stacks are not) */
	REPORT_OF_STACKS = 2,
	REPORT_OF_RUNS = 4,          /* of instructions */
	REPORT_OF_CODE = 8,          /* … one by one */
	REPORT_BY_RUN = 16,          /* … a line each, with its source line */
	REPORT_OF_CALLS = 32,        /* that functions told */
	REPORT_OF_FILE = 64,         /* of what stands in it, not what that means */
	REPORT_OF_ONE = 128,         /* of records as they stand in one file */
	REPORT_OF_RECORDS = 256,     /* all of them; nothing is resolved */
	REPORT_OF_CPUS = 512,        /* no thread has what it tells */
	REPORT_OF_ADDRESS = 1024,    /* one */
	REPORT_OF_AWAY = 2048,       /* time off the CPU */
	REPORT_ONE_FORM = 4096,      /* neither JSON nor CSV */
	REPORT_TELLS_TOTALS = 8192,  /* of samples: they belong before it */
	REPORT_TELLS_DAMAGE = 16384, /* itself: not on stderr too */
};

/* -callers and -callees: which of both were given. */
enum { CALLS_CALLERS = 1, CALLS_CALLEES = 2 };

struct options {
	const char *input;
	const char *const *more; /* several that are read as one: these; else NULL */
	uint32_t inputs;
	bool default_input; /* nobody named one */
	const char *output; /* NULL: the report's own default */
	const char *kernel_map, *kernel_image;
	const char *program;          /* whose functions a log numbers */
	bool descriptors;             /* Java's names as the VM has them */
	const char *event;            /* what reports of samples are of; NULL: the first */
	const struct writer *convert; /* what the trace is written as; NULL: reports */
	struct filter filter;
	struct names_options names;
	double clip;            /* percent: lines below are left out */
	unsigned int reports;   /* by their places in the list, a bit each; at least one */
	unsigned int kinds;     /* REPORT_OF_*, of any of them, */
	unsigned int all_kinds; /* … of all of them */
	unsigned int calls;     /* CALLS_* */
	bool away;              /* reports of call stacks are of time off the CPU */
	bool instructions;      /* … are of instructions that were traced */
	bool by_function, kernel_once, plt_once; /* arc: what is one line */
	bool own_runs;                           /* runs of the library itself are shown too */
	const char *symbol;                      /* of callers and callees: this one only */
	bool per_cpu, offsets;
	bool unnamed_offsets; /* … only where no symbol was found */
	bool diff; /* no report: the second trace against the first (compare/compare.h) */
	bool json, csv;
	bool verbose, quiet;
};

#endif
