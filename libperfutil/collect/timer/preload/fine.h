/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Samples between the kernel's ticks. A CPU time timer is checked only at the tick: all its samples
 * are in step with it. So a second timer, which does not depend on the tick, takes them at a random
 * instant of CPU time in each interval. Intervals are counted by the thread's CPU clock, each once,
 * by the timer that expires first.
 *
 * The second timer also runs while the thread sleeps, when its signal would interrupt system calls.
 * So only the tick, which hits running threads, arms it, at most a few ms ahead, and it is disarmed
 * before calls that may block and are not restarted after a signal (blocking_calls.c). Threads that
 * sleep often use only the tick.
 */
#ifndef PITRACE_TIMER_FINE_H
#define PITRACE_TIMER_FINE_H

#include "collect/timer/preload/rings.h"

/* Call before the thread's CPU time timer is set, which expires first after `first` ns. */
void fine_begin(struct thread_ring *r, uint64_t first);
void fine_end(struct thread_ring *r);
/* The tick's signal, for this number of intervals by the kernel's count. Returns how many to record
 * here and now. */
uint32_t fine_tick(struct thread_ring *r, uint32_t intervals);
/* The second timer's signal, likewise; `interrupted`: it may have interrupted a system call. */
uint32_t fine_second_timer(struct thread_ring *r, bool interrupted);
/* The thread is about to block: only the tick takes samples until fine_resume. */
void fine_pause(struct thread_ring *r);
static inline void fine_resume(struct thread_ring *r)
{
	__atomic_store_n(&r->fine.resting, 0, __ATOMIC_RELAXED);
}
/*
 * The program handles signals. While a thread is preempted with our signal pending, the kernel
 * delivers a signal sent to the process to another thread. So with more than one thread only the
 * tick takes samples.
 */
extern bool fine_handlers;
/* From now on no thread may make system calls. */
void fine_stop_all(void);

#endif
