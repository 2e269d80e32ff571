/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A report is one entry in reports[]: which option asks for it, where it goes, who writes it. What
 * all of them need (labels, percents, loss in words) is in text.c.
 */
#ifndef POST_REPORT_H
#define POST_REPORT_H

#include <stdio.h>
#include <sys/types.h>

#include "formats/format.h"
#include "model/trace.h"
#include "model/tree.h"
#include "options.h"

struct job {
	const struct options *options;
	struct input *input;
	struct trace *trace;
	struct model *model;
	const char *written;		/* where the full report went; NULL: nowhere */
	bool renamed;			/* an older one was set aside */
	const struct pifile_fault *fault;	/* distinct faults of the file */
	size_t nfaults, more_faults;	/* listed, and only counted */
};

struct report {
	const char *name;
	const char *path;		/* default; "-" is stdout */
	mode_t mode;
	bool names;			/* wants samples aggregated; else it reads records itself */
	bool screen;			/* a screenful on stdout goes with it */
	bool (*wanted)(const struct options *o);
	int (*write)(const struct job *job, FILE *out);	/* 0, or -errno, or REPORT_WRONG */
};

#define REPORT_WRONG 1			/* sums differ: said so on stderr */

extern const struct report report_tprof, report_show, report_json, report_csv;

const struct report *report_choose(const struct options *o);
int screen_write(const struct job *job, FILE *out);

/* ---- text.c ---------------------------------------------------------------------------------- */

double percent_of(uint64_t part, uint64_t whole);
/* The node's name as text reports show it: name_pid and tid_name in hexadecimal. */
void print_label(FILE *out, const struct job *job, const struct node *n);
/* "CPU 0: samples 12, names 3", a line a CPU that lost something, each after prefix; returns the
 * number of lines. */
unsigned int print_losses(FILE *out, const struct trace *t, const char *prefix);
void print_seconds(FILE *out, uint64_t ns);
void print_date(FILE *out, uint64_t realtime_ns);

/* The unknown buckets, for whoever lists them. */
struct bucket {
	const char *name;
	const char *key;		/* in JSON */
	const char *meaning;
	uint64_t ticks;
};
#define BUCKETS 4
void fill_buckets(const struct job *job, struct bucket list[BUCKETS]);

/* Modules in which ticks have no symbol, worst first. *list is freed by the caller. */
int worst_modules(const struct job *job, const struct module ***list, uint32_t *count);
const char *module_reason(const struct module *m);
const char *module_cure(const struct module *m);	/* what to do about it */

/* tree_build, and the proof that nothing fell under the table: both sums equal the trace's. */
int build_checked(struct tree *t, const struct job *job, const enum level *levels, uint32_t cpu,
		  const char *what);
uint64_t cpu_total(const struct trace *t, uint32_t cpu);

#endif
