/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * When the waits began that are not over yet, at most one of each thread. What happened between two
 * neighbours of these times will be looked at as a whole or not at all: nobody waits since a moment
 * in between.
 */
#ifndef POST_OPEN_WAITS_H
#define POST_OPEN_WAITS_H

#include <stdbool.h>
#include <stdint.h>

struct open_waits {
	struct open_wait {
		uint64_t from;
		uint32_t thread;
		uint32_t next; /* itself while it is open; else none behind the next one */
	} * list;              /* by time */
	uint32_t count, room, open;
	uint32_t *place; /* by thread: of its wait + 1; 0: it has none */
	uint32_t places;
};

/* One that is older than the newest is taken for as old as that. 0 or -ENOMEM. */
int open_waits_begin(struct open_waits *w, uint32_t thread, uint64_t from);
void open_waits_end(struct open_waits *w, uint32_t thread);
/* When the oldest one began; UINT64_MAX: there is none. */
uint64_t open_waits_oldest(struct open_waits *w);
/* Whether one began after `from` and before `to`. */
bool open_waits_within(struct open_waits *w, uint64_t from, uint64_t to);
void open_waits_free(struct open_waits *w);

#endif
