/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The events of -mfentry (fentry.S). An event of a thread and a function that are known, of cycles
 * alone, needs no registers but general ones; all others save the vectors first.
 */
#include "fentry.h"
#include "hook_functions.h"
#include "hook_events.h"

#if defined(__x86_64__)
#include <cpuid.h>

void hook_with_vectors(void (*to)(uintptr_t, uintptr_t), uintptr_t a, uintptr_t b);

bool hook_has_xsave;

#define XSAVE_USED (1u << 27) /* of CPUID 1: the kernel lets programs use it */

static __attribute__((constructor)) void find_xsave(void)
{
	unsigned int a, b, c = 0, d;

	hook_has_xsave = __get_cpuid(1, &a, &b, &c, &d) && c & XSAVE_USED;
}

/* Where calls are only counted nothing is read. */
static inline void hook_cycles(uint64_t *values)
{
	if (__builtin_expect(hook_reading == HOOK_CYCLES, 1))
		values[0] = GetCycles();
}

static bool is_simple(void)
{
	return hook_reading != HOOK_METRICS && !hook_self.waiting && !hook_self.busy &&
	       hook_self.tree->nodes;
}

static void entered(uintptr_t ip, uintptr_t sp)
{
	uint64_t now[CALL_METRICS];

	hook_early(now);
	hook_entered(ip, sp, 0, now);
	hook_late();
}

static void left(uintptr_t ip, uintptr_t sp)
{
	uint64_t now[CALL_METRICS];

	(void)ip;
	hook_early(now);
	hook_left(0, sp, now);
	hook_late();
}

__attribute__((no_stack_protector)) void hook_fentry(uintptr_t ip, uintptr_t sp)
{
	const struct hook_function *f;
	uint64_t now[CALL_METRICS];

	hook_cycles(now);
	f = is_simple() ? functions_find(ip) : NULL;
	if (__builtin_expect(!f, 0)) {
		hook_with_vectors(entered, ip, sp);
		return;
	}
	hook_entered_known(f, sp, now);
	hook_cycles(hook_self.tree->last);
}

__attribute__((no_stack_protector)) void hook_return(uintptr_t ip, uintptr_t sp)
{
	uint64_t now[CALL_METRICS];

	hook_cycles(now);
	if (__builtin_expect(!is_simple(), 0)) {
		hook_with_vectors(left, ip, sp);
		return;
	}
	hook_left(0, sp, now);
	hook_cycles(hook_self.tree->last);
}
#endif
