/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Work for the guest programs: loops whose instructions can be counted, loops that last a given CPU
 * time, each in a function of its own that nobody inlines, so that a trace must show its name.
 */
#ifndef WORK_H
#define WORK_H

#include <stdint.h>
#include <time.h>

/* Debian's kernels for this machine. */
#ifdef __powerpc64__
#define WORK_PAGE 65536
#else
#define WORK_PAGE 4096
#endif

/* Exactly 2 * n instructions; n > 0. */
static inline __attribute__((always_inline)) void turns(unsigned long n)
{
#if defined(__x86_64__) || defined(__i386__)
	__asm__ volatile("1: dec %0\n\tjnz 1b" : "+r"(n) : : "cc");
#elif defined(__aarch64__)
	__asm__ volatile("1: subs %0, %0, #1\n\tb.ne 1b" : "+r"(n) : : "cc");
#elif defined(__powerpc64__)
	__asm__ volatile("1: addic. %0, %0, -1\n\tbne 1b" : "+b"(n) : : "cc", "xer");
#elif defined(__s390x__)
	__asm__ volatile("1: aghi %0, -1\n\tjne 1b" : "+d"(n) : : "cc");
#else
#error "a counted loop for this architecture"
#endif
}

static inline int64_t clock_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * 1000000000ll + t.tv_nsec;
}

/* A function that works for so many ms of its thread's CPU time, and does really work in it: an
 * emulated CPU that was halted meanwhile must not be excused. The clock is read now and then:
 * nearly all ticks fall into the function itself. */
#define ROUNDS(ms) (5 * (ms)) /* of turns(20000) */
#define WORKER(name)                                                                      \
	__attribute__((noinline)) void name(long ms);                                     \
	void name(long ms)                                                                \
	{                                                                                 \
		int64_t end = clock_ns(CLOCK_THREAD_CPUTIME_ID) + ms * 1000000ll;         \
		long rounds = 0;                                                          \
                                                                                          \
		do                                                                        \
			turns(20000);                                                     \
		while (++rounds < ROUNDS(ms) || clock_ns(CLOCK_THREAD_CPUTIME_ID) < end); \
	}

#endif
