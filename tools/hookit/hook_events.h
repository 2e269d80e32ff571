/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The events of functions, whoever tells them. `sp` is the stack pointer where it was told: what
 * was entered deeper than that is over, whether an exception, longjmp() or a child of vfork() has
 * ended it.
 */
#ifndef HOOK_EVENTS_H
#define HOOK_EVENTS_H

#include "hook_thread.h"
#include "metrics.h"

/* Between the two reads. values: the early ones. site: where in the function this was told, with
 * some bits of where its frame was called from above: so that one that is inlined is told from one
 * that begins anew where another was. 0: told by the first instruction of a frame, where it is
 * always anew. */
#define HOOK_SITE_BITS (sizeof(uintptr_t) == 8 ? 48 : 24)
void hook_entered(uintptr_t function, uintptr_t sp, uintptr_t site, uint64_t *values);
/* The same for one that has been met; known: which it is. */
struct hook_function;
void hook_entered_known(const struct hook_function *known, uintptr_t sp, uint64_t *values);
/* function 0: what was entered with this very stack pointer ends. */
void hook_left(uintptr_t function, uintptr_t sp, uint64_t *values);

/* The first thing that an event does, and the last. */
static inline __attribute__((always_inline)) void hook_early(uint64_t *values)
{
	if (__builtin_expect(hook_reading == HOOK_CYCLES, 1))
		values[0] = GetCycles();
	else if (hook_reading == HOOK_METRICS && hook_self.tree->nodes)
		metrics_read(values, hook_self.tree->last);
}

static inline __attribute__((always_inline)) void hook_late(void)
{
	if (__builtin_expect(hook_reading == HOOK_CYCLES, 1))
		hook_self.tree->last[0] = GetCycles();
	else if (hook_reading == HOOK_METRICS && hook_self.tree->nodes)
		hook_read_late(hook_self.tree);
}

/* Without a canary: its check would come after the last read. */
#define HOOK_BARE __attribute__((visibility("default"), no_stack_protector))

#endif
