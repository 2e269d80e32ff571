/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Threads that have ended, of which a program may have any number: the tree of each is kept in as
 * much memory as it takes, what it has learnt of sequences with that of another one.
 */
#ifndef CALL_ENDED_H
#define CALL_ENDED_H

#include "call_thread.h"

/* A copy of the tree, without frames and what was learnt; NULL: no memory. No event may follow, and
 * both are freed by call_thread_free(). */
struct call_thread *call_ended(struct call_thread *t);
/* What a thread has learnt goes to one that keeps it. */
void call_learn(struct call_thread *to, const struct call_thread *t);

#endif
