/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The fastest read of a thread's own cycles: inline, without a call. ptt.h describes PttInit,
 * PttInitThread and PttGetMetricData.
 */
#ifndef PITRACE_PTTREAD_H
#define PITRACE_PTTREAD_H

#include "cycles.h"
#include "ptt.h"
#include "pitrace_attributes.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The calling thread's page, owned by the library; NULL: unknown, or not readable inline. */
struct ptt_own {
	const struct pitrace_ptt_thread *cycles; /* its first metric is "tsc" */
	const struct pitrace_ptt_thread *page;
};
extern __thread struct ptt_own PttOwn __attribute__((tls_model("initial-exec")));

/* Reads the calling thread's first metric by PttGetMetricData. */
int PttReadByCall(uint64_t *value) PITRACE_WRITES(1);

/* Compiler barrier: keeps plain reads before and after it in order. */
#define PTT_IN_ORDER __asm__ volatile("" : : : "memory")

/*
 * The same, inline if the metric is "tsc" and the module is used. The thread was neither dispatched
 * nor interrupted between two reads of one sequence number. Only its own CPU writes there, so
 * compiler barriers suffice.
 */
static inline int PttReadInline(uint64_t *value)
{
	const struct pitrace_ptt_thread *t = PttOwn.cycles;
	uint64_t sequence, now;

	if (__builtin_expect(!t, 0))
		return PttReadByCall(value);
	do {
		PTT_IN_ORDER;
		sequence = t->sequence;
		PTT_IN_ORDER;
		now = ReadCycles() + t->metric[0].value - t->metric[0].last;
		PTT_IN_ORDER;
	} while (__builtin_expect(t->sequence != sequence, 0));
	*value = now;
	return 0;
}

#ifdef __cplusplus
}
#endif
#endif
