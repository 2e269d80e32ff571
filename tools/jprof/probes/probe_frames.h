/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The stack as the VM's probes tell it. The VM tells most ends, but not those of methods that its
 * first compiler has inlined where an exception leaves them: where the stack pointer is shows that
 * they are over.
 */
#ifndef PROBE_FRAMES_H
#define PROBE_FRAMES_H

#include "call_fast.h"

/* known: the VM's method; at: the frame of compiled code is its stack pointer, an interpreter's its
 * frame pointer | 1; site: where in Java code the probe is. */
void probe_enter(struct call_thread *t, const void *known, uint32_t method, uint32_t type,
		 struct call_place at, const uint64_t *values);
void probe_end(struct call_thread *t, uint32_t method, enum call_event went, uintptr_t frame,
	       const uint64_t *values);

/* Nearly all of them, as in call_fast.h: a call from another frame, an end in the innermost one. */
CALL_INLINE bool probe_enter_again(struct call_thread *t, const void *known, uint32_t method,
				   uint32_t type, struct call_place at, struct call_reads r)
{
	struct call_frame *f = call_innermost(t);

	if (!call_is_kept(t) || f->at.frame == at.frame || !call_enter_again(t, method, type, r))
		return false;
	f[1].at = at;
	f[1].known = known;
	return true;
}

CALL_INLINE bool probe_leave_again(struct call_thread *t, const void *known, uintptr_t frame,
				   struct call_reads r)
{
	const struct call_frame *f = call_innermost(t);

	return call_is_kept(t) && f->known == known && f->at.frame == frame &&
	       call_leave_innermost(t, r);
}

#endif
