/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The events of -mfentry (fentry.S). If the thread and the function are known and only cycles are
 * read, an event uses only general registers; all others save the vector registers first.
 */
#include "fentry.h"
#include "hook_functions.h"
#include "hook_events.h"

#if defined(__x86_64__)
#include <cpuid.h>

bool hook_has_xsave;

#define XSAVE_USED (1u << 27) /* in CPUID 1: the kernel lets programs use it */

static __attribute__((constructor)) void find_xsave(void)
{
	unsigned int a, b, c = 0, d;

	hook_has_xsave = __get_cpuid(1, &a, &b, &c, &d) && c & XSAVE_USED;
}

static bool is_simple(void)
{
	return hook_reading != HOOK_METRICS && !hook_self.waiting && !hook_self.busy &&
	       hook_self.tree->nodes;
}

/* An event with its early read, if that was taken: saving vector registers takes a while. */
struct slow_event {
	uintptr_t ip, sp;
	uint64_t now;
};

static void entered(uintptr_t event, uintptr_t unused, const void *vectors)
{
	const struct slow_event *e = (const struct slow_event *)event;
	const void *had = hook_self.vectors;

	(void)unused;
	hook_self.vectors = vectors;
	if (hook_reading == HOOK_CYCLES)
		hook_any_entered_at(e->ip, e->sp, 0, e->now);
	else
		hook_any_entered(e->ip, e->sp, 0);
	hook_self.vectors = had;
}

static void left(uintptr_t event, uintptr_t unused, const void *vectors)
{
	const struct slow_event *e = (const struct slow_event *)event;
	const void *had = hook_self.vectors;

	(void)unused;
	hook_self.vectors = vectors;
	if (hook_reading == HOOK_CYCLES)
		hook_any_left_at(0, e->sp, e->now);
	else
		hook_any_left(0, e->sp);
	hook_self.vectors = had;
}

/* Events outside of the fast path, if they can do without vector registers. Not inlined, to keep
 * the fast path short. */
#define SLOW static __attribute__((noinline, no_stack_protector)) void

SLOW any_entered(uintptr_t ip, uintptr_t sp, uint64_t now)
{
	const struct hook_function *f = is_simple() ? functions_find(ip) : NULL;
	uint64_t values[CALL_METRICS] = { now };

	if (!f) {
		hook_with_vectors(entered, (uintptr_t) & (struct slow_event){ ip, sp, now }, 0);
		return;
	}
	hook_self.vectors = NULL;
	hook_entered_known(f, sp, values);
	hook_late();
}

SLOW any_left(uintptr_t ip, uintptr_t sp, uint64_t now)
{
	uint64_t values[CALL_METRICS] = { now };

	if (!is_simple()) {
		hook_with_vectors(left, (uintptr_t) & (struct slow_event){ ip, sp, now }, 0);
		return;
	}
	hook_self.vectors = NULL;
	hook_left(0, sp, values);
	hook_late();
}

__attribute__((no_stack_protector)) void hook_fentry(uintptr_t ip, uintptr_t sp)
{
	const struct hook_function *f;
	uint64_t now = 0;

	if (__builtin_expect(hook_reading == HOOK_CYCLES, 1)) {
		now = GetCycles();
		f = hook_is_plain() ? functions_find(ip) : NULL;
		if (__builtin_expect(f != NULL, 1))
			hook_plain_entered_at(f, sp, 0, now);
		else
			any_entered(ip, sp, now);
		/* From here on both paths are the same: the slow one adds no time to others. */
		hook_self.tree->last[0] = GetCycles();
		return;
	}
	f = hook_reading == HOOK_NOTHING && hook_is_plain() ? functions_find(ip) : NULL;
	if (__builtin_expect(f != NULL, 1))
		hook_plain_entered(f, sp, 0);
	else
		any_entered(ip, sp, now);
}

SLOW any_followed(uintptr_t ip, uintptr_t sp)
{
	hook_return(0, sp);
	hook_fentry(ip, sp);
}

__attribute__((no_stack_protector)) void hook_follow(uintptr_t ip, uintptr_t sp)
{
	const struct hook_function *f;
	uint64_t now;

	if (__builtin_expect(hook_reading != HOOK_CYCLES, 0)) {
		any_followed(ip, sp);
		return;
	}
	now = GetCycles();
	f = hook_is_plain() ? functions_find(ip) : NULL;
	if (__builtin_expect(f != NULL, 1))
		hook_plain_followed_at(f, sp, now - hook_extra.follow);
	else
		any_followed(ip, sp);
	hook_self.tree->last[0] = GetCycles();
}

__attribute__((no_stack_protector)) void hook_return(uintptr_t ip, uintptr_t sp)
{
	uint64_t now = 0;

	if (__builtin_expect(hook_reading == HOOK_CYCLES, 1)) {
		now = GetCycles();
		if (hook_is_plain())
			hook_plain_left_at(0, sp, now);
		else
			any_left(ip, sp, now);
		hook_self.tree->last[0] = GetCycles();
	} else if (hook_reading == HOOK_NOTHING && hook_is_plain()) {
		hook_plain_left(0, sp);
	} else {
		any_left(ip, sp, now);
	}
}
#endif
