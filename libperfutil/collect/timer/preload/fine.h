/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Samples between the kernel's ticks. A timer of CPU time is looked at by the tick only: all its
 * samples lie in step with that. So a second timer, which the tick does not drive, takes them at
 * instants of CPU time: of each interval one that is drawn at random. Intervals are counted by the
 * thread's CPU clock, and each is booked once, by whichever timer comes first.
 *
 * The second timer runs while the thread sleeps, where its signal would interrupt system calls. So
 * it is started by the tick alone, which meets threads that run, set a few ms ahead at most, and
 * taken back before calls that may wait and are not begun again after a signal (sleeps.c). Threads
 * that sleep often stay with the tick.
 */
#ifndef PITRACE_TIMER_FINE_H
#define PITRACE_TIMER_FINE_H

#include "collect/timer/preload/rings.h"

/* The thread's timer of CPU time is about to be set, to end first after so many ns. */
void fine_begin(struct ring *r, uint64_t first);
void fine_end(struct ring *r);
/* The tick's signal, of so many intervals by the kernel's count: how many to book here and now. */
uint32_t fine_tick(struct ring *r, uint32_t intervals);
/* The second timer's signal, likewise; `interrupted`: it may have ended a system call. */
uint32_t fine_second_timer(struct ring *r, bool interrupted);
/* The thread is about to wait: until fine_resume only the tick takes samples. */
void fine_pause(struct ring *r);
static inline void fine_resume(struct ring *r)
{
	__atomic_store_n(&r->fine.resting, 0, __ATOMIC_RELAXED);
}
/*
 * The program handles signals of its own. One that is sent to the process goes to another thread
 * where ours waits for a thread that others run in place of: with more than one thread only the
 * tick takes samples, whose signals wait for none.
 */
extern bool fine_handlers;
/* No system calls from now on, by any thread. */
void fine_stop_all(void);

#endif
