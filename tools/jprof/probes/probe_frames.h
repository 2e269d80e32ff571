/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The stack as the VM's probes tell it. The VM tells most ends, but not those of methods that its
 * first compiler has inlined where an exception leaves them: where the stack pointer is shows that
 * they are over.
 */
#ifndef PROBE_FRAMES_H
#define PROBE_FRAMES_H

#include "call_thread.h"

/* at: the frame of compiled code is its stack pointer, an interpreter's its frame pointer | 1;
 * site: where in Java code the probe is. */
void probe_enter(struct call_thread *t, uint32_t method, uint32_t type, struct call_place at,
		 const uint64_t *values);
void probe_end(struct call_thread *t, uint32_t method, enum call_event went, uintptr_t frame,
	       const uint64_t *values);

#endif
