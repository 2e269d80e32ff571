/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Samples for writers of other formats, whatever the input format: each with its thread and stack,
 * in time order (profile_read), or added up (sums.h).
 *
 * A stack is a call in the model's tree: its ancestors lead to the process at the root. A call's
 * symbol is a place: an address in a module. profile_frames returns the functions there (several if
 * some are inlined), each with its line. Reports of call stacks need functions in the tree instead,
 * so NEED_PLACES excludes them.
 */
#ifndef POST_PROFILE_H
#define POST_PROFILE_H

#include "model/trace_books.h"
#include "model/trace_names.h"

/* Limit on the samples written for one record with many ticks: viewers cannot use more, and a
 * damaged file could require more than disks hold. */
#ifndef PROFILE_TICKS_MOST
#define PROFILE_TICKS_MOST (1u << 24)
#endif

struct times;

struct profile_sample {
	uint64_t time;    /* ns, CLOCK_MONOTONIC */
	uint64_t ticks;   /* more than one: of a CPU idle until `time`, or of a profile with
			   * counts */
	uint64_t counted; /* the count of its event; timer: ns */
	uint32_t stack;   /* NEED_STACKS */
	uint32_t symbol;  /* of the sampled address */
	uint32_t thread;
	uint32_t cpu;
	bool kernel;
};

/* Callbacks return 0, or -errno to stop. */
struct profile_reader {
	int (*sample)(void *arg, const struct profile_sample *s); /* or NULL */
	/* Called for any other record of the trace rings, or NULL. */
	int (*record)(void *arg, const struct pirecord *r);
	struct times *times; /* also gets all records; or NULL */
	void *arg;
};

/* Returns the functions at a place as symbols, innermost first, with their names, files and lines;
 * all but the last are inlined. */
static inline uint32_t profile_frames(const struct names *n, uint32_t symbol, const uint32_t **list)
{
	return lines_shown(&n->lines, symbol, list);
}

/* Returns a place's address within its module (kernel: the address itself; generated code: its
 * address at that time). */
uint64_t profile_address(const struct names *n, uint32_t symbol);
/* Returns whether the place is in code that a program made. The kernel's addresses have the bit
 * A2N_CODE, too. */
bool profile_is_made(const struct names *n, const struct symbol *s);

/* Returns the process whose name reports show: with -pnm the first one of that name. */
static inline const struct trace_process *profile_process(const struct names *n, uint32_t process)
{
	return &n->process[n->process[process].group];
}
static inline const struct trace_thread *profile_thread(const struct names *n, uint32_t thread)
{
	return &n->thread[n->thread[thread].group];
}

/* Returns the size of a module's build id; 0: unknown. */
size_t profile_build_id(const struct names *n, uint32_t module, const uint8_t **id);
#define PROFILE_ID_DIGITS (2 * PITRACE_BUILDID_MAX + 1)
/* Returns it in hexadecimal; NULL: unknown. */
const char *profile_build_id_text(const struct names *n, uint32_t module,
				  char digits[PROFILE_ID_DIGITS]);

/* Returns whether samples have counts of their event; otherwise they only have ticks. */
static inline bool profile_counted(const struct trace *t)
{
	return t->events.has_chosen && t->events.kind[t->events.chosen].counted;
}
/* Returns the unit of the chosen event's counts ("nanoseconds", "count"). */
const char *profile_unit(const struct trace *t);

#endif
