/* SPDX-License-Identifier: GPL-2.0 */
/* Traced threads wait for room in their session's rings. */
#ifndef PITRACE_ITRACE_ROOM_H
#define PITRACE_ITRACE_ROOM_H

#include "core/session.h"
#include "itrace/itrace_table.h"

/* Does the current thread wait, where there is little room? Preemption off. */
bool it_should_wait(const struct session *s);
/* The current thread, on its way to user code. */
void it_wait_for_room(struct it_thread *t);
/* A consumer has made room, or there is no need of it any more. */
void it_wake_waiting(void);

/* Asked after each record. Preemption off. */
static __always_inline bool it_must_wait(const struct it_thread *t)
{
	const struct ring *r = session_trace(t->session);

	return r && unlikely(ring_half_full(r)) && it_should_wait(t->session);
}

#endif
