/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Samples sorted by thread, for formats in which each thread has a list of its own: samples come in
 * order of time and are kept here until their thread is written. 32 bytes per sample.
 */
#ifndef POST_BY_THREAD_H
#define POST_BY_THREAD_H

#include "job.h"

struct thread_sample {
	uint64_t time;
	uint64_t counted;
	uint64_t ticks;
	uint32_t stack;
};

struct thread_samples {
	struct thread_sample *sample; /* in the order of time */
	uint32_t count, room;
};

struct by_thread {
	struct thread_samples *thread; /* by group (trace_names.h) */
	uint32_t threads;
	const struct names *names;
	uint64_t first, last; /* times; first > last: no sample */
};

/* 0 or -errno. */
int by_thread_read(struct by_thread *b, const struct job *job);
void by_thread_free(struct by_thread *b);

#endif
