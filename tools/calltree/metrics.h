/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The measured metrics: up to eight by their PTT names, read by the running thread. `wall` needs
 * no PTT: it is the raw time stamp counter.
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
	char source[32];     /* the method of reading; part of the calibration key */
	char resolution[64]; /* text */
	const char *note;    /* what it includes, or the cost of a read; NULL */
	uint64_t step;       /* by which its clock advances (clock_step.h); 1: no steps */
};

/* Sets the metrics by names with '+' between them. Returns NULL, or a message that is valid until
 * the next call. */
const char *metrics_set(const char *text, size_t n);
uint32_t metrics_count(void);
const struct metric *metrics_get(uint32_t number);

/* For the current thread. Returns NULL, or why it cannot be measured. */
const char *metrics_thread_begin(void);
void metrics_thread_end(void);

extern bool metrics_wall_alone;
/* The only metric is the thread's cycles, which can be read from PTT's page. */
extern bool metrics_own_alone;
/* The metrics are the thread's cycles and `wall`, read together; then the index of each. */
extern bool metrics_both;
extern uint32_t metrics_at_wall, metrics_at_own;
/* Dispatches and interrupts can be read without a system call. */
extern bool metrics_switches;
/* Read all PTT metrics by one call. A metric that cannot be read now keeps its last value. `wall`
 * is read last, or first for an early read, to exclude the call. */
void metrics_read_all(uint64_t *values, const uint64_t *last);
void metrics_read_all_early(uint64_t *values, const uint64_t *last);

/* Reads them from the page, which is only written by the CPU that runs this thread. */
static inline void metrics_read_switches(uint64_t *dispatches, uint64_t *interrupts)
{
	const volatile struct pitrace_ptt_thread *t = PttOwn.page;

	*dispatches = t ? t->dispatches : 0;
	*interrupts = t ? t->interrupts : 0;
}

/* Computes both from one read of the counter. */
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

/* Returns false if a call is necessary. The branches are always the same, so that the path to the
 * first read has the same length for each event. */
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

/* Must be the last operation of an event. */
static inline void metrics_read(uint64_t *values, const uint64_t *last)
{
	if (!metrics_read_here(values))
		metrics_read_all(values, last);
}

/* Must be the first operation of an event. */
static inline void metrics_read_early(uint64_t *values, const uint64_t *last)
{
	if (!metrics_read_here(values))
		metrics_read_all_early(values, last);
}

/* Whether the thread was dispatched or interrupted since these counts. */
static inline __attribute__((always_inline)) bool metrics_switched(uint64_t dispatches,
								   uint64_t interrupts)
{
	const struct pitrace_ptt_thread *t = PttOwn.page;

	return !t || ((t->dispatches ^ dispatches) | (t->interrupts ^ interrupts));
}

#endif
