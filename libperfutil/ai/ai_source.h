/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where AboveIdle's numbers come from: what ai.c and its collectors share. */
#ifndef PITRACE_AI_SOURCE_H
#define PITRACE_AI_SOURCE_H

#include <ai.h>
#include <stdbool.h>

#define AI_CPUS	8192u			/* CPU numbers are below: as Linux can be built for */

/* A CPU's totals since whenever; ns. */
struct ai_raw {
	uint32_t cpu;
	bool online;
	bool whole;			/* they may be set against those of the reading before */
	uint64_t wall, idle, interrupt, steal;
	uint64_t dispatches, interrupts;
};

/* One is open at a time. `read` gives the CPUs by rising numbers: their number or a code. */
struct ai_source {
	const char *name;
	int (*open)(struct ai_info *info);
	int (*read)(struct ai_raw *list, uint32_t room);
	void (*close)(void);
};
extern const struct ai_source ai_driver, ai_proc;

/* One CPU's books: whatever the source says, they balance and no value steps back. What cannot be
 * booked yet (idleness is told in steps, late) is booked with the next reading. */
struct ai_book {
	struct ai_counters given;
	struct ai_raw last;
	bool begun;			/* `last` is a reading */
	uint64_t idle_due, interrupt_due;
};
void ai_book(struct ai_book *book, const struct ai_raw *now);

#endif
