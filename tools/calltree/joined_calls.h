/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Functions of compiled code in the trees of Java's methods: the agent for Java shows this to
 * libhookit in the same process, which notes nothing by itself then. All is of the thread that
 * runs; one that the Java VM does not know has no tree.
 */
#ifndef JOINED_CALLS_H
#define JOINED_CALLS_H

#include <stdbool.h>
#include <stdint.h>

#define JOINED_VERSION 1
#define JOINED_ANY     UINT32_MAX

struct joined_calls {
	/* By a function's name its number; -1: there is no room. */
	int32_t (*number)(const char *name);
	/* sp: where its frame is. anew: told by the first instruction of a frame, which is nobody's
	 * then; else the frame may be its caller's, in which it is inlined. */
	void (*enter)(uint32_t number, uintptr_t sp, bool anew);
	/* JOINED_ANY: that which has been entered with this very stack pointer. */
	void (*leave)(uint32_t number, uintptr_t sp);
	/* The functions below it are over: a jump has left them, or an exception. */
	void (*popped)(uintptr_t sp, bool by_exception);
};

/* NULL: the agent counts no calls, or has another version. */
#define JOINED_SYMBOL "jprof_functions"
typedef const struct joined_calls *joined_find(uint32_t version);

#endif
