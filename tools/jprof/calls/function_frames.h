/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Functions of compiled code among Java's frames. Their stack pointers say which of them are over,
 * left by longjmp() or an exception of C++: those at the top of the stack, down to a Java frame.
 */
#ifndef FUNCTION_FRAMES_H
#define FUNCTION_FRAMES_H

#include <stdbool.h>

#include "call_thread.h"

/* As joined_calls.h has them. */
void function_enter(struct call_thread *t, uint32_t number, uintptr_t sp, bool anew,
		    const uint64_t *values);
void function_popped(struct call_thread *t, uintptr_t sp, bool by_exception,
		     const uint64_t *values);
void function_end(struct call_thread *t, uint32_t number, uintptr_t sp, const uint64_t *values);

#endif
