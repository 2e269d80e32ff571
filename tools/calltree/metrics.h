/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What is measured: up to eight metrics, by the names that PTT has for them, read by the thread
 * that runs. `wall` needs no PTT: it is the machine's counter as it stands.
 */
#ifndef METRICS_H
#define METRICS_H

#include <stdbool.h>

#include "call_thread.h"
#include "cycles.h"
#include "pttread.h"

struct metric {
	char name[64];
	char unit[16];
	char source[32];     /* what reads it: part of what calibration depends on */
	char resolution[64]; /* in words */
	const char *note;    /* what it holds besides, or what a read costs; NULL */
	uint64_t step;       /* by which its clock goes on (clock_step.h); 1: it has none */
};

/* By names with '+' between them. NULL, or why not: in words, until the next call. */
const char *metrics_set(const char *text, size_t n);
uint32_t metrics_count(void);
const struct metric *metrics_get(uint32_t number);

/* For the thread that runs. NULL, or why it cannot be measured. */
const char *metrics_thread_begin(void);
void metrics_thread_end(void);

extern bool metrics_wall_alone;
/* The only metric is a thread's own cycles, and PTT's page has them. */
extern bool metrics_own_alone;
/* There are these and `wall`, which are read at once: which value is which. */
extern bool metrics_both;
extern uint32_t metrics_at_wall, metrics_at_own;
/* Whether dispatches and interrupts are known without a system call. */
extern bool metrics_switches;
/* All PTT's by one call. Of one that cannot be read at the moment: the last value. The time that
 * passes is read last, or first: what the call takes is not in it. */
void metrics_read_all(uint64_t *values, const uint64_t *last);
void metrics_read_all_early(uint64_t *values, const uint64_t *last);

/* They are the page's, which only the CPU writes that runs this thread. */
static inline void metrics_read_switches(uint64_t *dispatches, uint64_t *interrupts)
{
	const volatile struct pitrace_ptt_thread *t = PttOwn.page;

	*dispatches = t ? t->dispatches : 0;
	*interrupts = t ? t->interrupts : 0;
}

/* One read of the counter is both. */
static inline void metrics_read_both(uint64_t *values, const struct pitrace_ptt_thread *t)
{
	uint64_t sequence, now, own;

	do {
		PTT_IN_ORDER;
		sequence = t->sequence;
		PTT_IN_ORDER;
		now = ReadCycles();
		own = now + t->metric[0].value - t->metric[0].last;
		PTT_IN_ORDER;
	} while (__builtin_expect(t->sequence != sequence, 0));
	values[metrics_at_wall] = now;
	values[metrics_at_own] = own;
}

/* false: they take a call. The branches go one way all the time: the way to the first read is as
 * long for each event. */
static inline bool metrics_read_here(uint64_t *values)
{
	if (__builtin_expect(metrics_wall_alone, 1))
		values[0] = GetCycles();
	else if (__builtin_expect(metrics_both && PttOwn.cycles, 1))
		metrics_read_both(values, PttOwn.cycles);
	else
		return false;
	return true;
}

/* The last thing that an event does. */
static inline void metrics_read(uint64_t *values, const uint64_t *last)
{
	if (!metrics_read_here(values))
		metrics_read_all(values, last);
}

/* The first. */
static inline void metrics_read_early(uint64_t *values, const uint64_t *last)
{
	if (!metrics_read_here(values))
		metrics_read_all_early(values, last);
}

/* Whether the thread was dispatched or interrupted since it had so many of both. */
static inline __attribute__((always_inline)) bool metrics_switched(uint64_t dispatches,
								   uint64_t interrupts)
{
	const struct pitrace_ptt_thread *t = PttOwn.page;

	return !t || ((t->dispatches ^ dispatches) | (t->interrupts ^ interrupts));
}

#endif
