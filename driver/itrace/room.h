/* SPDX-License-Identifier: GPL-2.0 */
/* Traced threads wait for room in their session's rings. */
#ifndef PITRACE_ITRACE_ROOM_H
#define PITRACE_ITRACE_ROOM_H

#include "core/session.h"
#include "itrace/itrace_table.h"

/* Should the current thread wait if there is little room? Preemption off. */
bool it_should_wait(const struct session *s);
/* Waits; called by the current thread on its way to user code. */
void it_wait_for_room(struct it_thread *t);
/* A consumer has freed space, or waiting is no longer needed. */
void it_wake_waiting(void);

/* Checked after each record. Preemption off. */
static __always_inline bool it_must_wait(const struct it_thread *t)
{
	const struct ring *r = session_trace(t->session);

	return r && unlikely(ring_half_full(r)) && it_should_wait(t->session);
}

#endif
