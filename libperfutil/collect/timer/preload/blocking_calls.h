/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* C library calls that may block. */
#ifndef PITRACE_TIMER_SLEEPS_H
#define PITRACE_TIMER_SLEEPS_H

#include <pthread.h>

extern pthread_key_t timer_thread_key; /* the calling thread's ring (interpose.c) */

/* Looks up the C library's functions. */
void blocking_calls_init(void);

#endif
