/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ptt: what its files share. */
#ifndef PTT_TOOL_H
#define PTT_TOOL_H

#include <pttview.h>
#include <stdbool.h>
#include <stdio.h>
#include "command.h"
#include "form.h"

#define EXIT_PTT   COMMAND_FAILED /* with run, other codes are the command's own */
#define EXIT_BOOKS 1              /* the books do not balance */

enum sort { SORT_PROCESS, SORT_THREAD, SORT_DISPATCHES, SORT_INTERRUPTS, SORT_METRIC };

struct ptt_options {
	enum form form;
	const char *metric[PTT_METRICS];
	int metrics; /* 0: none given */
	int priv;    /* enum trace_priv */
	int threads; /* 0: default */
	bool charged;
	bool cpus; /* also show CPUs */
	bool cpi;
	bool cgroup; /* also show the threads' */
	enum sort sort;
	int by;                    /* the metric of SORT_METRIC */
	uint64_t interval, repeat; /* ns; number of intervals; 0: not given */
	int pid[PTTVIEW_HELD_PIDS];
	int pids;
	char *chosen;     /* of -pl */
	const char *file; /* of -o */
	char **words;     /* the operands; ends with NULL */
};

/* ---- what was counted: dump.c ---------------------------------------------------------------- */

struct ptt_row {
	int slot;
	struct ptt_thread_data t;
	const char *cgroup; /* its name; NULL: unknown */
};

/* The counts at one moment, or between two. */
struct dump {
	struct ptt_info info;
	bool charged;
	struct ptt_row *row; /* by slot, until they are sorted */
	int rows;
	char **cgroup; /* those of the rows */
	uint32_t cgroups, cgroups_room;
	bool with_cgroups;
	struct pttview_gone gone;
	struct pttview_cpu *cpu; /* the existing ones */
	int *cpu_number;
	int cpus;
	uint64_t at, cycles;     /* CLOCK_MONOTONIC, ns; the machine's counter */
	uint64_t elapsed, ticks; /* since the begin: ns; units of that counter */
	uint64_t interval;       /* its number; 0: not one of several */
	bool partly;             /* only some threads were chosen */
	bool torn;               /* threads exited meanwhile: `gone` may be wrong */
	bool whole;              /* threads' values add up to the CPUs' part for them */
	int cpi[2];              /* cycles, instructions among the metrics; -1: not shown */
};

/* Returns 0 or -ENOMEM; the caller calls dump_free() in either case. `begun` is a time like
 * `at`. */
int dump_take(struct dump *d, const struct pttview *v, uint64_t begun);
/* Computes the difference of two moments. */
int dump_between(struct dump *d, const struct dump *before, const struct dump *now);
void dump_free(struct dump *d);
/* thread_names.c: sets the threads' current names. */
void dump_name(struct dump *d);
/* ptt_cgroups.c: sets the cgroups of threads that exist now. Returns 0 or -ENOMEM. */
int dump_cgroups(struct dump *d);
/* Returns whether /proc has the pids of the initial namespace, as PTT has. */
bool pids_are_ours(void);
/* Keeps only the processes of -pl; calls `missed`, if not NULL, for each name without a process. */
void dump_choose(struct dump *d, const char *chosen, void (*missed)(void *arg, const char *name),
		 void *arg);
/* Removes threads that used nothing. */
void dump_busy(struct dump *d);
void dump_sort(struct dump *d, enum sort sort, int by);
bool dump_used(const struct dump *d, const struct ptt_thread_data *t);
/* Returns whether each CPU's four parts add up to its time, in each metric. */
bool dump_balanced(const struct dump *d);

/* cpi.c: shows cycles per instruction. Returns false after a message if a metric is missing. */
bool dump_cpi(struct dump *d);
/* Returns false if there were no instructions. */
bool cpi_of(const struct dump *d, const uint64_t *value, double *cpi);

/* ---- output ---------------------------------------------------------------------------------- */

extern const char *const bucket_names[]; /* of enum pttview_bucket */
void show(FILE *out, const struct ptt_options *o, const struct dump *d);
void show_json(FILE *out, const struct dump *d);
void show_csv(FILE *out, const struct dump *d);

/* ---- sub-commands: exit codes, after a message if not 0 -------------------------------------- */

int cmd_run(const struct ptt_options *o);
int cmd_init(const struct ptt_options *o);
int cmd_term(const struct ptt_options *o);
int cmd_info(const struct ptt_options *o);
int cmd_charge(bool charged);
int cmd_dump(const struct ptt_options *o);
int cmd_top(const struct ptt_options *o);

/* Prints the message of the last library call and returns EXIT_PTT. */
int ptt_failed(void);
/* Returns the number of threads to make room for: as given, or twice as many as exist; 0: the
 * library's default. */
int ptt_room(const struct ptt_options *o);

#endif
