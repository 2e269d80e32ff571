/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Samples as writers of other formats see them, whatever format they came in: each one with its
 * thread and its stack, in order of time (profile_read), or added up (sums.h).
 *
 * A stack is a call of the model's one tree: its parents lead to the process at the root. A call's
 * symbol is a place: an address of a module. profile_frames gives the functions there (several if
 * some are inlined), each with its line. Reports of call stacks need functions in the tree instead,
 * so NEED_PLACES excludes them.
 */
#ifndef POST_PROFILE_H
#define POST_PROFILE_H

#include "model/trace_books.h"
#include "model/trace_names.h"

/* Limit on the samples written for one record with many ticks: viewers cannot use more, and a
 * damaged file could ask for more than disks hold. */
#ifndef PROFILE_TICKS_MOST
#define PROFILE_TICKS_MOST (1u << 24)
#endif

struct profile_sample {
	uint64_t time;    /* ns, CLOCK_MONOTONIC */
	uint64_t ticks;   /* more than one: of an idle CPU, until `time`; or of a profile with
			   * counts */
	uint64_t counted; /* what its event counted; the timer: ns */
	uint32_t stack;   /* NEED_STACKS */
	uint32_t symbol;  /* where it was taken */
	uint32_t thread;
	uint32_t cpu;
	bool kernel;
};

/* Each: 0, or -errno, which ends it. */
struct profile_reader {
	int (*sample)(void *arg, const struct profile_sample *s); /* or NULL */
	/* Any other record of the trace rings, or NULL. */
	int (*record)(void *arg, const struct pirecord *r);
	void *arg;
};

/* The functions at a place, as symbols, innermost first: their names, files, lines; all but the
 * last are inlined. */
static inline uint32_t profile_frames(const struct names *n, uint32_t symbol, const uint32_t **list)
{
	return lines_shown(&n->lines, symbol, list);
}

/* A place's address within its module (kernel: the address itself; code that programs made: its
 * address then). */
uint64_t profile_address(const struct names *n, uint32_t symbol);

/* The process whose name reports show: with -pnm the first one of that name. */
static inline const struct trace_process *profile_process(const struct names *n, uint32_t process)
{
	return &n->process[n->process[process].group];
}
static inline const struct trace_thread *profile_thread(const struct names *n, uint32_t thread)
{
	return &n->thread[n->thread[thread].group];
}

/* A module's known build id; 0: none. */
size_t profile_build_id(const struct names *n, uint32_t module, const uint8_t **id);
#define PROFILE_ID_DIGITS (2 * PITRACE_BUILDID_MAX + 1)
/* The same in hexadecimal; NULL: none. */
const char *profile_build_id_text(const struct names *n, uint32_t module,
				  char digits[PROFILE_ID_DIGITS]);

/* Whether samples have counts of their event; else there are ticks alone. */
static inline bool profile_counted(const struct trace *t)
{
	return t->events.has_chosen && t->events.kind[t->events.chosen].counted;
}
/* The unit of the chosen event's counts ("nanoseconds", "count"). */
const char *profile_unit(const struct trace *t);

#endif
