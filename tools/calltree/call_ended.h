/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Threads that have ended, of which a program may have any number: each keeps its tree in as little
 * memory as possible, and merges its minima into those of another thread.
 */
#ifndef CALL_ENDED_H
#define CALL_ENDED_H

#include "call_thread.h"

/* Returns a copy of the tree, without frames and minima; NULL: no memory. No event may follow. The
 * caller frees both by call_thread_free(). */
struct call_thread *call_ended(struct call_thread *t);
/* Merges a thread's minima and spreads into `to`. */
void call_learn(struct call_thread *to, const struct call_thread *t);

#endif
