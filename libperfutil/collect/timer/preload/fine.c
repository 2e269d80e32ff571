/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The second timer of a thread: samples at instants that do not depend on the kernel's tick. */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "base/now.h"
#include "collect/timer/preload/fine.h"

#define CALM   2      /* ticks without a sleep in between: the thread rarely sleeps */
#define NEARLY 20000u /* ns: too short for another wait */

bool fine_handlers;

static uint64_t cpu_time(void)
{
	struct timespec t;

	if (syscall(SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, &t))
		return 0;
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Returns how often the thread gave up its CPU voluntarily. */
static long voluntary_switches(void)
{
	struct rusage u;

	return syscall(SYS_getrusage, RUSAGE_THREAD, &u) ? -1 : u.ru_nvcsw;
}

static bool resting(const struct fine *f)
{
	return __atomic_load_n(&f->resting, __ATOMIC_RELAXED) ||
	       (__atomic_load_n(&fine_handlers, __ATOMIC_RELAXED) && rings_shared());
}

static bool boxed(void)
{
	return __atomic_load_n(&timer_sandboxed, __ATOMIC_RELAXED);
}

static uint64_t chance(struct fine *f, uint64_t below)
{
	f->random ^= f->random << 13;
	f->random ^= f->random >> 7;
	f->random ^= f->random << 17;
	return (f->random >> 32) * below >> 32;
}

/* 0: disarm. */
static void set(struct fine *f, uint64_t ns)
{
	struct itimerspec when = {
		.it_value = { (time_t)(ns / 1000000000u), (long)(ns % 1000000000u) },
	};

	f->armed = ns != 0;
	if (syscall(SYS_timer_settime, f->timer, 0, &when, NULL))
		f->armed = false;
}

void fine_begin(struct thread_ring *r, uint64_t first)
{
	struct fine *f = &r->fine;

	memset(f, 0, sizeof(*f));
	f->first = cpu_time() + first;
	f->random = now_ns() ^ (uint64_t)r->tid << 32 ^ (uintptr_t)&first;
	f->random = (f->random ^ f->random >> 30) * 0xBF58476D1CE4E5B9ull | 1;
}

void fine_end(struct thread_ring *r)
{
	if (r->fine.has_timer)
		syscall(SYS_timer_delete, r->fine.timer);
	r->fine.has_timer = r->fine.armed = false;
}

static bool make(struct thread_ring *r)
{
	struct sigevent e = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = TIMER_SIGNAL };
	struct fine *f = &r->fine;

	e.sigev_value.sival_ptr = r;
	e._sigev_un._tid = (pid_t)r->tid;
	f->has_timer = !syscall(SYS_timer_create, CLOCK_MONOTONIC, &e, &f->timer);
	f->never = !f->has_timer;
	return f->has_timer;
}

/* Returns the intervals that ended and are not counted yet: 0 up to the number lost. */
static uint32_t over(const struct fine *f, uint64_t now)
{
	uint64_t n = now < f->first ? 0 : (now - f->first) / timer_control->interval + 1;

	n = n > f->booked ? n - f->booked : 0;
	return n < UINT32_MAX ? (uint32_t)n : UINT32_MAX;
}

/* Draws an instant of the interval after the next one to be counted: intervals follow each other
 * without a gap. */
static void draw(struct fine *f, uint64_t now)
{
	f->at = f->first + f->booked * timer_control->interval + chance(f, timer_control->interval);
	set(f, f->at > now + 1 ? f->at - now : 1);
}

uint32_t fine_tick(struct thread_ring *r, uint32_t intervals)
{
	struct fine *f = &r->fine;
	uint32_t n;
	uint64_t now;
	long slept;

	if (!timer_control->fine || f->never || boxed()) {
		f->booked += intervals;
		return intervals;
	}
	slept = voluntary_switches();
	f->calm = slept == f->slept ? f->calm + (f->calm < CALM) : 0;
	f->slept = slept;
	if (f->armed)
		return 0;
	now = cpu_time();
	n = now ? over(f, now) : intervals;
	f->booked += n;
	if (now && f->calm == CALM && !resting(f) && (f->has_timer || make(r)))
		draw(f, now);
	return n;
}

uint32_t fine_second_timer(struct thread_ring *r, bool interrupted)
{
	struct fine *f = &r->fine;
	uint64_t now;
	long slept;
	uint32_t n;

	if (!f->armed)
		return 0;
	f->armed = false;
	if (boxed())
		return 0;
	now = cpu_time();
	slept = voluntary_switches();
	if (slept != f->slept) {
		/* Not rearmed while it sleeps; this system call was interrupted without a restart,
		 * which must not happen again. */
		f->never |= interrupted;
		f->calm = 0;
		f->slept = slept;
	}
	if (f->at > now + NEARLY) {
		/* Other threads ran instead. */
		if (f->calm == CALM && !resting(f))
			set(f, f->at - now);
		return 0;
	}
	n = over(f, now);
	/* May be early by up to NEARLY. */
	n += !n;
	f->booked += n;
	if (f->calm == CALM && !resting(f))
		draw(f, now);
	return n;
}

void fine_pause(struct thread_ring *r)
{
	struct fine *f = &r->fine;
	int keep = errno;

	/* First, so that a tick in between does not arm it again. */
	__atomic_store_n(&f->resting, 1, __ATOMIC_RELAXED);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (f->armed && !boxed())
		set(f, 0);
	errno = keep;
}

void fine_stop_all(void)
{
	struct itimerspec never = { .it_value = { 0, 0 } };

	for (uint32_t i = 0; i < TIMER_RINGS; i++)
		if (timer_rings[i].fine.has_timer)
			syscall(SYS_timer_settime, timer_rings[i].fine.timer, 0, &never, NULL);
}
