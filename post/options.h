/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The user's options: command_line.c sets them, each part reads those that concern it. */
#ifndef POST_OPTIONS_H
#define POST_OPTIONS_H

#include "model/filter.h"

struct writer;

enum { EXIT_CLEAN = 0, EXIT_DAMAGED = 1, EXIT_UNREADABLE = 2 };

/* The subjects of a report, as bits: the command line uses them to decide which reports can be
 * combined. */
enum report_kind {
	REPORT_OF_SAMPLES = 1, /* (with -tree and -offcpu, call stack reports are not) */
	REPORT_OF_STACKS = 2,
	REPORT_OF_RUNS = 4,          /* of instructions */
	REPORT_OF_CODE = 8,          /* of single instructions */
	REPORT_BY_RUN = 16,          /* one line per run, with its source line */
	REPORT_OF_CALLS = 32,        /* recorded on entry and exit of functions */
	REPORT_OF_FILE = 64,         /* of its contents, not of their meaning */
	REPORT_OF_ONE = 128,         /* of the records of a single file */
	REPORT_OF_RECORDS = 256,     /* of all records; nothing is resolved */
	REPORT_OF_CPUS = 512,        /* of CPUs: its data belong to no thread */
	REPORT_OF_ADDRESS = 1024,    /* of a single address */
	REPORT_OF_AWAY = 2048,       /* time off the CPU */
	REPORT_ONE_FORM = 4096,      /* supports neither JSON nor CSV */
	REPORT_TELLS_TOTALS = 8192,  /* prints the totals of samples, which precede it */
	REPORT_TELLS_DAMAGE = 16384, /* itself, so not also on stderr */
};

enum colour_when { COLOUR_AUTO, COLOUR_ALWAYS, COLOUR_NEVER };

/* -callers and -callees: bits for those that were given. */
enum { CALLS_CALLERS = 1, CALLS_CALLEES = 2 };

struct options {
	const char *input;
	const char *const *more; /* several traces read as one; else NULL */
	uint32_t inputs;
	bool default_input; /* no trace was named */
	const char *output; /* NULL: the report's default */
	const char *kernel_map, *kernel_image;
	const char *program;          /* the program whose functions an XRay log numbers */
	bool descriptors;             /* Java names in the VM's form */
	const char *event;            /* event of the sample reports; NULL: the first */
	const struct writer *convert; /* output format of -format; NULL: write reports */
	struct filter filter;
	struct names_options names;
	double clip;                             /* percent: omit smaller lines */
	unsigned int reports;                    /* bit mask by index in the list; at least one */
	unsigned int kinds;                      /* REPORT_OF_*, of any of them */
	unsigned int all_kinds;                  /* REPORT_OF_*, of all of them */
	unsigned int calls;                      /* CALLS_* */
	bool offcpu;                             /* call stack reports show time off the CPU */
	bool instructions;                       /* call stack reports show traced instructions */
	bool by_function, kernel_once, plt_once; /* arc: what a line stands for */
	bool own_runs;                           /* also show runs of the library itself */
	const char *symbol;                      /* of callers and callees: this symbol only */
	bool per_cpu, offsets;
	bool by_cgroup;
	bool unnamed_offsets; /* only where no symbol was found */
	bool diff; /* no report: compare the second trace with the first (compare/compare.h) */
	bool json, csv;
	enum colour_when colour;
	bool verbose, quiet;
};

#endif
