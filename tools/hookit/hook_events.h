/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The events of functions, whoever tells them. `sp` is the stack pointer where it was told: what
 * was entered deeper than that is over, whether an exception, longjmp() or a child of vfork() has
 * ended it.
 */
#ifndef HOOK_EVENTS_H
#define HOOK_EVENTS_H

#include "hook_functions.h"
#include "hook_thread.h"
#include "metrics.h"

/* Between the two reads. values: the early ones. site: where in the function this was told, with
 * some bits of where its frame was called from above: so that one that is inlined is told from one
 * that begins anew where another was. 0: told by the first instruction of a frame, where it is
 * always anew. */
#define HOOK_SITE_BITS (sizeof(uintptr_t) == 8 ? 48 : 24)
void hook_entered(uintptr_t function, uintptr_t sp, uintptr_t site, uint64_t *values);
/* The same for one that has been met; known: which it is. */
void hook_entered_known(const struct hook_function *known, uintptr_t sp, uint64_t *values);
/* function 0: what was entered with this very stack pointer ends. */
void hook_left(uintptr_t function, uintptr_t sp, uint64_t *values);

/* The functions below this stack pointer are over: an exception is caught above them, or a jump has
 * popped them. With its reads. */
void hook_popped(uintptr_t sp, enum call_event went);

/* Of a thread whose tree is `plain`, where nothing else is going on: nearly all events. */
static inline __attribute__((always_inline)) bool hook_is_plain(void)
{
	const struct hook_thread *h = &hook_self;

	return __builtin_expect(h->tree->plain && !h->busy && !h->waiting &&
					atomic_load_explicit(&hook_on, memory_order_relaxed),
				1);
}

/* The same while that holds: of functions that have been met; with the cycles, or without. */
void hook_plain_entered_at(const struct hook_function *f, uintptr_t sp, uintptr_t site,
			   uint64_t now);
void hook_plain_entered(const struct hook_function *f, uintptr_t sp, uintptr_t site);
void hook_plain_left_at(uintptr_t function, uintptr_t sp, uint64_t now);
void hook_plain_left(uintptr_t function, uintptr_t sp);

/* … of one that the innermost one has jumped to. */
void hook_plain_followed_at(const struct hook_function *f, uintptr_t sp, uint64_t now);

/* What some events cost more than a return does, before their early reads and behind their late
 * ones, in cycles, as training has found it; 0: nobody knows. */
struct hook_extra {
	uint64_t follow;
	bool jumps; /* whether the rest is known */
	int64_t jump_before, jump_behind;
};
extern HOOK_OURS struct hook_extra hook_extra;

/* The first thing that an event does, and the last. */
static inline __attribute__((always_inline)) void hook_early(uint64_t *values)
{
	if (__builtin_expect(hook_reading == HOOK_CYCLES, 1))
		values[0] = GetCycles();
	else if (hook_reading == HOOK_METRICS && hook_self.tree->nodes)
		metrics_read_early(values, hook_self.tree->last);
}

static inline __attribute__((always_inline)) void hook_late(void)
{
	if (__builtin_expect(hook_reading == HOOK_CYCLES, 1))
		hook_self.tree->last[0] = GetCycles();
	else if (hook_reading == HOOK_METRICS && hook_self.tree->nodes)
		hook_read_late(hook_self.tree);
}

#if defined(__x86_64__)
/* Calls to(a, b, where they are), which may use vector registers where nobody has saved them
 * (fentry.S). */
typedef void hook_vectors(uintptr_t a, uintptr_t b, const void *vectors);
void hook_with_vectors(hook_vectors *to, uintptr_t a, uintptr_t b);
#endif

/* Any event whose cycles are read, or nothing yet: with the late read. By themselves, so that what
 * surrounds the reads of plain ones saves no registers. */
void hook_any_entered_at(uintptr_t function, uintptr_t sp, uintptr_t site, uint64_t now);
void hook_any_entered(uintptr_t function, uintptr_t sp, uintptr_t site);
void hook_any_left_at(uintptr_t function, uintptr_t sp, uint64_t now);
void hook_any_left(uintptr_t function, uintptr_t sp);

/* Whole events, with their reads. */
static inline __attribute__((always_inline)) void hook_enters(uintptr_t function, uintptr_t sp,
							      uintptr_t site)
{
	const struct hook_function *f;
	uint64_t now;

	if (__builtin_expect(hook_reading == HOOK_CYCLES, 1)) {
		now = GetCycles();
		f = hook_is_plain() ? functions_find(function) : NULL;
		if (__builtin_expect(!f, 0)) {
			hook_any_entered_at(function, sp, site, now);
			return;
		}
		hook_plain_entered_at(f, sp, site, now);
		hook_self.tree->last[0] = GetCycles();
		return;
	}
	f = hook_reading == HOOK_NOTHING && hook_is_plain() ? functions_find(function) : NULL;
	if (__builtin_expect(f != NULL, 1))
		hook_plain_entered(f, sp, site);
	else
		hook_any_entered(function, sp, site);
}

static inline __attribute__((always_inline)) void hook_leaves(uintptr_t function, uintptr_t sp)
{
	uint64_t now;

	if (__builtin_expect(hook_reading == HOOK_CYCLES, 1)) {
		now = GetCycles();
		if (!hook_is_plain()) {
			hook_any_left_at(function, sp, now);
			return;
		}
		hook_plain_left_at(function, sp, now);
		hook_self.tree->last[0] = GetCycles();
	} else if (hook_reading == HOOK_NOTHING && hook_is_plain()) {
		hook_plain_left(function, sp);
	} else {
		hook_any_left(function, sp);
	}
}

/* Without a canary: its check would come after the last read. */
#define HOOK_BARE __attribute__((visibility("default"), no_stack_protector))

#endif
