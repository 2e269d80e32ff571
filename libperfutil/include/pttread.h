/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The shortest read of a thread's own cycles: in place, without a call. What PttInit, PttInitThread
 * and PttGetMetricData do stays theirs (ptt.h).
 */
#ifndef PITRACE_PTTREAD_H
#define PITRACE_PTTREAD_H

#include <cycles.h>
#include <ptt.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The calling thread's page, kept by the library; NULL: not known, or not to be read so. */
struct ptt_own {
	const struct pitrace_ptt_thread *cycles;	/* its first metric is "tsc" */
	const struct pitrace_ptt_thread *page;
};
extern __thread struct ptt_own PttOwn __attribute__((tls_model("initial-exec")));

/* The calling thread's first metric by PttGetMetricData. */
int PttReadByCall(uint64_t *value);

/* Of plain reads: what stands before it in the program is read before what stands behind. */
#define PTT_IN_ORDER __asm__ volatile("" : : : "memory")

/*
 * The same, in place if it is "tsc" and the module serves. Between two reads of one sequence the
 * thread was neither dispatched nor interrupted; only its own CPU writes there, so nothing but the
 * compiler has to be kept to the order.
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
