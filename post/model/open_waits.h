/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Start times of the waits that have not ended, at most one per thread. The time between two
 * neighbours is later read as a whole or not at all, since no wait begins in between.
 */
#ifndef POST_OPEN_WAITS_H
#define POST_OPEN_WAITS_H

#include <stdbool.h>
#include <stdint.h>

struct open_waits {
	struct open_wait {
		uint64_t from;
		uint32_t thread;
		uint32_t next; /* own index while open; else no wait up to next - 1 is open */
	} * list;              /* by time */
	uint32_t count, room, open;
	uint32_t *place; /* by thread: index of its wait + 1; 0: none */
	uint32_t places;
};

/* Adds a wait; one that is older than the newest gets the newest one's time. Returns 0 or
 * -ENOMEM. */
int open_waits_begin(struct open_waits *w, uint32_t thread, uint64_t from);
void open_waits_end(struct open_waits *w, uint32_t thread);
/* Returns the start of the oldest wait; UINT64_MAX: none. */
uint64_t open_waits_oldest(struct open_waits *w);
/* Returns whether a wait began after `from` and before `to`. */
bool open_waits_within(struct open_waits *w, uint64_t from, uint64_t to);
void open_waits_free(struct open_waits *w);

#endif
