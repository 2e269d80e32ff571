/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The stack as reported by the VM's probes. The VM does not report the ends of methods that its
 * first compiler has inlined if an exception leaves them: the stack pointer shows that they have
 * ended.
 */
#ifndef PROBE_FRAMES_H
#define PROBE_FRAMES_H

#include "call_fast.h"

/* known: the VM's method; at.frame: the stack pointer of compiled code, or the interpreter's frame
 * pointer | 1; at.site: the probe's address in Java code. */
void probe_enter(struct call_thread *t, const void *known, uint32_t method, uint32_t type,
		 struct call_place at, const uint64_t *values);
void probe_end(struct call_thread *t, uint32_t method, enum call_event went, uintptr_t frame,
	       const uint64_t *values);

/* The common cases, as in call_fast.h: a call from another frame, an end of the innermost one. */
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
