/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Return addresses of functions whose return is hooked. The place of each is computed from its
 * place on the stack, so it is found whatever happens to the frames in between: if they are left by
 * longjmp() or an exception, on a signal's stack, in coroutines on any thread. Memory is mapped as
 * stacks are used.
 */
#ifndef PATCH_KEPT_H
#define PATCH_KEPT_H

#include <stdbool.h>
#include <stdint.h>

struct kept_slots {
	uintptr_t back; /* the replaced return address, in its stub; 0: free */
	uintptr_t home; /* the real return address */
};

/*
 * frame: on x86-64 the address of the return address. Two can be 8 bytes apart, because compilers
 * align the stack only where necessary, so the slots need twice the size of the stack. On arm64 the
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

/* The part that this thread knows to be mapped. */
extern __thread struct kept_reach {
	uintptr_t start, size;
} kept_reach __attribute__((visibility("hidden"), tls_model("initial-exec")));

/* The slow path of kept_ready(): makes system calls and leaves errno unchanged. */
bool kept_more(uintptr_t place);

/* Returns whether there is memory for the frame's slots. */
static inline bool kept_ready(uintptr_t frame)
{
	uintptr_t place = (uintptr_t)kept_place(frame);

	if (__builtin_expect(frame & 7, 0))
		return false;
	return __builtin_expect(place - kept_reach.start < kept_reach.size, 1) || kept_more(place);
}

#endif
