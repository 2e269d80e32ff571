/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Entry and exit of functions, from any kind of instrumentation. `sp` is the stack pointer at the
 * event: calls whose frames are below it are over, whether an exception, longjmp() or a child of
 * vfork() has ended them.
 */
#ifndef HOOK_EVENTS_H
#define HOOK_EVENTS_H

#include "hook_functions.h"
#include "hook_thread.h"
#include "metrics.h"

/* Note an event, between its early and its late read. values: the early ones. site: the address in
 * the function where the event was reported, with some bits of the frame's caller above, which
 * distinguishes an inlined function from a new call with the same frame. 0: the event comes from
 * the first instruction of a frame, which is always a new call. */
#define HOOK_SITE_BITS (sizeof(uintptr_t) == 8 ? 48 : 24)
void hook_entered(uintptr_t function, uintptr_t sp, uintptr_t site, uint64_t *values);
/* The same for a function that is already known. */
void hook_entered_known(const struct hook_function *known, uintptr_t sp, uint64_t *values);
/* function 0: ends the call that was entered with this stack pointer. */
void hook_left(uintptr_t function, uintptr_t sp, uint64_t *values);

/* Ends the calls below this stack pointer: an exception is caught above them, or a jump has popped
 * them. Includes the early and late reads. */
void hook_popped(uintptr_t sp, enum call_event went);

/* Returns whether the fast path applies: the thread's tree is `plain`, and no event is in progress
 * or waiting. */
static inline __attribute__((always_inline)) bool hook_is_plain(void)
{
	const struct hook_thread *h = &hook_self;

	return __builtin_expect(h->tree->plain && !h->busy && !h->waiting &&
					atomic_load_explicit(&hook_on, memory_order_relaxed),
				1);
}

/* Events while hook_is_plain() holds, for known functions; _at: with the cycles. */
void hook_plain_entered_at(const struct hook_function *f, uintptr_t sp, uintptr_t site,
			   uint64_t now);
void hook_plain_entered(const struct hook_function *f, uintptr_t sp, uintptr_t site);
void hook_plain_left_at(uintptr_t function, uintptr_t sp, uint64_t now);
void hook_plain_left(uintptr_t function, uintptr_t sp);

/* The innermost function has ended by a jump to f. */
void hook_plain_followed_at(const struct hook_function *f, uintptr_t sp, uint64_t now);

/* How much more some events cost than a return, before their early and after their late reads, in
 * cycles, as learnt by training; 0: not known. */
struct hook_extra {
	uint64_t follow;
	bool jumps; /* whether the members below are known */
	int64_t jump_before, jump_behind;
};
extern HOOK_OURS struct hook_extra hook_extra;

/* The early read is an event's first action, the late read its last. */
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
/* Calls to(a, b, saved registers), which may use vector registers: they are saved before and
 * restored after it (fentry.S). */
typedef void hook_vectors(uintptr_t a, uintptr_t b, const void *vectors);
void hook_with_vectors(hook_vectors *to, uintptr_t a, uintptr_t b);
#endif

/* Events outside of the fast path, including the late read; _at: the cycles were read already.
 * Separate functions, so that the fast path saves no registers around its reads. */
void hook_any_entered_at(uintptr_t function, uintptr_t sp, uintptr_t site, uint64_t now);
void hook_any_entered(uintptr_t function, uintptr_t sp, uintptr_t site);
void hook_any_left_at(uintptr_t function, uintptr_t sp, uint64_t now);
void hook_any_left(uintptr_t function, uintptr_t sp);

/* Complete events, with their reads. */
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

/* Without a stack canary: its check would run after the last read. */
#define HOOK_BARE __attribute__((visibility("default"), no_stack_protector))

#endif
