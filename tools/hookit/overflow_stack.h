/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A stack for signal handlers of the calling thread: without one, no handler runs when the thread's
 * own stack overflows. A thread that has such a stack keeps its own.
 */
#ifndef OVERFLOW_STACK_H
#define OVERFLOW_STACK_H

/* Returns what overflow_stack_take() expects; NULL: none was given. */
void *overflow_stack_give(void);
/* Called in the same thread. */
void overflow_stack_take(void *stack);

#endif
