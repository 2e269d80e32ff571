/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Samples by thread (by_thread.h). */
#ifndef POST_THREAD_SAMPLES_H
#define POST_THREAD_SAMPLES_H

#include "export/by_thread.h"
#include "job.h"

struct thread_sample {
	uint64_t time;
	uint64_t counted;
	uint64_t ticks;
	uint32_t stack;
};

struct thread_samples {
	struct by_thread by; /* by group of threads (trace_names.h) */
	uint64_t first;      /* time of the first sample; UINT64_MAX: no samples */
	struct thread_sums { /* by thread */
		uint64_t counted, ticks;
	} * sums;
	uint32_t threads;
	const struct names *names;
};

/* Returns 0 or -errno. */
int thread_samples_read(struct thread_samples *t, const struct job *job);
void thread_samples_free(struct thread_samples *t);

/* by_thread_next() for samples. */
static inline int thread_samples_next(struct by_thread_reader *r, const struct thread_sample **s)
{
	const void *thing;
	int rc = by_thread_next(r, &thing);

	*s = rc > 0 ? thing : NULL;
	return rc;
}

#endif
