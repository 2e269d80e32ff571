/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The interface between ai.c and the collectors of AboveIdle. */
#ifndef PITRACE_AI_SOURCE_H
#define PITRACE_AI_SOURCE_H

#include <ai.h>
#include <stdbool.h>

#define AI_CPUS 8192u /* CPU numbers are below this: the maximum that Linux supports */

/* A CPU's totals since an arbitrary start; ns. */
struct ai_raw {
	uint32_t cpu;
	bool online;
	bool whole; /* comparable with the previous reading */
	uint64_t wall, idle, interrupt, steal;
	uint64_t dispatches, interrupts;
};

/* One is open at a time. `read` returns the CPUs in ascending order, and their number or a code. */
struct ai_source {
	const char *name;
	int (*open)(struct ai_info *info);
	int (*read)(struct ai_raw *list, uint32_t room);
	void (*close)(void);
};
extern const struct ai_source ai_driver, ai_proc;

/* The account of one CPU. Whatever the source reports, it balances and no value decreases. Time
 * that cannot be accounted yet (idle time is reported in steps, late) is added at the next
 * reading. */
struct ai_book {
	struct ai_counters given;
	struct ai_raw last;
	bool begun; /* `last` is valid */
	uint64_t idle_due, interrupt_due;
};
void ai_book(struct ai_book *book, const struct ai_raw *now);

#endif
