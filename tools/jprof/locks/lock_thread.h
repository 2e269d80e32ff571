/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a thread holds, and what it blocks at. Only the thread itself comes here. */
#ifndef LOCK_THREAD_H
#define LOCK_THREAD_H

#include <stdbool.h>
#include <stdint.h>

#define LOCK_HELD 24 /* monitors at once; holds of more are not seen */

/* A monitor; where several share a number the hash tells them apart. */
struct lock_id {
	uint32_t number, hash;
};

struct lock_hold {
	struct lock_id id;
	uint32_t depth;
	uint64_t since;
};

struct lock_thread {
	uint32_t recording; /* what is below is of this one */
	uint32_t held_count;
	struct lock_hold held[LOCK_HELD];
	uint32_t entering; /* 1 + which of them it is about to enter, and may block at; 0: none */
	uint64_t blocks, waits; /* since when it does; 0: it does not */
	uint64_t parks;         /* likewise */
	uint32_t parks_at;      /* the number */
	bool parks_owned;       /* at a lock, which has a holder */
};

/* A recording begins: what it held before is of no matter. */
void lock_thread_anew(struct lock_thread *t, uint32_t recording);
/* It enters the monitor, or is about to; whether it held it already. */
bool lock_thread_enter(struct lock_thread *t, struct lock_id id, uint64_t now);
/* The monitor that it was about to enter it holds since now. */
void lock_thread_entered(struct lock_thread *t, uint64_t now);
/* It leaves it. True: it holds it no more, after *ns. */
bool lock_thread_leave(struct lock_thread *t, struct lock_id id, uint64_t now, uint64_t *ns);
/* It gives it up to wait, likewise, and has it back since now. */
bool lock_thread_wait(const struct lock_thread *t, struct lock_id id, uint64_t now, uint64_t *ns);
void lock_thread_back(struct lock_thread *t, struct lock_id id, uint64_t now);
/* It has blocked at it and entered it. Was that a get, not the end of a wait? */
bool lock_thread_blocked(struct lock_thread *t, struct lock_id id, uint64_t now);

#endif
