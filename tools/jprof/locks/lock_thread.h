/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The monitors that a thread holds and blocks at. Only the thread itself uses its state. */
#ifndef LOCK_THREAD_H
#define LOCK_THREAD_H

#include <stdbool.h>
#include <stdint.h>

#define LOCK_HELD 24 /* monitors at a time; holds of more are not recorded */

/* A monitor; the hash distinguishes monitors that share a number. */
struct lock_id {
	uint32_t number, hash;
};

struct lock_hold {
	struct lock_id id;
	uint32_t depth;
	uint64_t since;
};

struct lock_thread {
	uint32_t recording; /* the recording that the fields below belong to */
	uint32_t held_count;
	struct lock_hold held[LOCK_HELD];
	uint32_t entering;      /* 1 + index of the monitor that it is about to enter; 0: none */
	uint64_t blocks, waits; /* start time; 0: it does not block or wait */
	uint64_t parks;         /* likewise */
	uint32_t parks_at;      /* number of the blocker */
	bool parks_owned;       /* the blocker is a lock with an owner */
};

/* Resets the state for a new recording: earlier holds do not count. */
void lock_thread_anew(struct lock_thread *t, uint32_t recording);
/* The thread enters the monitor, or is about to. Returns whether it held it already. */
bool lock_thread_enter(struct lock_thread *t, struct lock_id id, uint64_t now);
/* The hold of the monitor that the thread was about to enter starts now. */
void lock_thread_entered(struct lock_thread *t, uint64_t now);
/* The thread exits the monitor. Returns whether that ended the hold, with its duration in *ns. */
bool lock_thread_leave(struct lock_thread *t, struct lock_id id, uint64_t now, uint64_t *ns);
/* The thread releases the monitor to wait, likewise, and holds it again from now on. */
bool lock_thread_wait(const struct lock_thread *t, struct lock_id id, uint64_t now, uint64_t *ns);
void lock_thread_back(struct lock_thread *t, struct lock_id id, uint64_t now);
/* Returns whether the thread holds the monitor, or so many that it may. */
bool lock_thread_may_hold(const struct lock_thread *t, struct lock_id id);
/* The thread blocked at the monitor and entered it. Returns whether that was a get, not the end of
 * a wait. */
bool lock_thread_blocked(struct lock_thread *t, struct lock_id id, uint64_t now);

#endif
