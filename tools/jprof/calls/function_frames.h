/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Functions of compiled code among Java frames. Their stack pointers show which of them have ended
 * by longjmp() or a C++ exception: those at the top of the stack, down to the first Java frame.
 */
#ifndef FUNCTION_FRAMES_H
#define FUNCTION_FRAMES_H

#include <stdbool.h>

#include "call_thread.h"

/* The operations of joined_calls.h, on the thread's tree. */
void function_enter(struct call_thread *t, uint32_t number, uintptr_t sp, bool anew,
		    const uint64_t *values);
void function_popped(struct call_thread *t, uintptr_t sp, bool by_exception,
		     const uint64_t *values);
void function_end(struct call_thread *t, uint32_t number, uintptr_t sp, const uint64_t *values);

#endif
