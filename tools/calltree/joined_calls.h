/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Functions of compiled code in the call trees of Java methods: the agent for Java provides this to
 * libhookit in the same process, which then records nothing itself. All calls apply to the current
 * thread; a thread unknown to the Java VM has no tree.
 */
#ifndef JOINED_CALLS_H
#define JOINED_CALLS_H

#include <stdbool.h>
#include <stdint.h>

#define JOINED_VERSION 1
#define JOINED_ANY     UINT32_MAX

struct joined_calls {
	/* Returns the number of a function's name; -1: the limit is reached. */
	int32_t (*number)(const char *name);
	/* sp: the frame's stack pointer. anew: called by the first instruction of a frame, which
	 * then belongs to no other function; else it may be the caller's, into which this one is
	 * inlined. */
	void (*enter)(uint32_t number, uintptr_t sp, bool anew);
	/* JOINED_ANY: the function that was entered with exactly this stack pointer. */
	void (*leave)(uint32_t number, uintptr_t sp);
	/* The functions below it have ended, by a jump or an exception. */
	void (*popped)(uintptr_t sp, bool by_exception);
};

/* Returns NULL if the agent counts no calls, or has another version. */
#define JOINED_SYMBOL "jprof_functions"
typedef const struct joined_calls *joined_find(uint32_t version);

#endif
