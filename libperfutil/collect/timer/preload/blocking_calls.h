/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Calls that wait. */
#ifndef PITRACE_TIMER_SLEEPS_H
#define PITRACE_TIMER_SLEEPS_H

#include <pthread.h>

extern pthread_key_t timer_thread_key;	/* a thread's ring (interpose.c) */

/* Find the C library's. */
void blocking_calls_init(void);

#endif
