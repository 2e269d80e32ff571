/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Return addresses of functions whose return is hooked. Each has a place of its own, which follows
 * from where it was on the stack: so it is found whatever becomes of the frames between, when they
 * are left by longjmp or an exception, on a signal's stack, by coroutines on any thread. The memory
 * is taken as stacks are used.
 */
#ifndef PATCH_KEPT_H
#define PATCH_KEPT_H

#include <stdbool.h>
#include <stdint.h>

struct kept_slots {
	uintptr_t back; /* where the function returns to instead: into its stub; 0: free */
	uintptr_t home; /* the real return address */
};

/*
 * frame: of x86-64 the place of the return address: one may be 8 bytes from the next, as compilers
 * align the stack only where they must, so that what is kept takes twice the room. Of arm64 the
 * stack pointer, a multiple of 16.
 */
#define KEPT_AWAY UINT64_C(0x200000000000)
#if defined(__x86_64__)
#define KEPT_BITS      UINT64_C(0x7fffffffffff)
#define KEPT_AT(frame) (((frame) << 1 & KEPT_BITS) ^ KEPT_AWAY)
#else
#define KEPT_AT(frame) ((frame) ^ KEPT_AWAY)
#endif

static inline struct kept_slots *kept_place(uintptr_t frame)
{
	return (struct kept_slots *)KEPT_AT(frame);
}

/* What of it the thread knows to have memory. */
extern __thread struct kept_reach {
	uintptr_t start, size;
} kept_reach __attribute__((visibility("hidden"), tls_model("initial-exec")));

/* The slow half of kept_ready(): it makes system calls, and changes no errno. */
bool kept_more(uintptr_t place);

/* Whether there is memory for a frame. */
static inline bool kept_ready(uintptr_t frame)
{
	uintptr_t place = (uintptr_t)kept_place(frame);

	if (__builtin_expect(frame & 7, 0))
		return false;
	return __builtin_expect(place - kept_reach.start < kept_reach.size, 1) || kept_more(place);
}

#endif
