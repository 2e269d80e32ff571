/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Samples that a filter dropped before any passed: if none passes, the message can list what the
 * trace contains. */
#ifndef POST_LEFT_OUT_H
#define POST_LEFT_OUT_H

#include <stdbool.h>
#include <stdint.h>

#define LEFT_THREADS 256 /* of further ones only ticks are counted */
#define LEFT_CPUS    64

struct left_thread {
	uint32_t pid, tid;
	const char *name;
	const char *cgroup; /* its name; NULL: unknown */
	uint64_t ticks;
};

struct left_out {
	bool over; /* a sample has passed */
	uint64_t ticks;
	uint64_t first, last; /* ns of the trace's clock */
	struct left_thread thread[LEFT_THREADS];
	uint32_t threads;
	uint32_t cpu[LEFT_CPUS];
	uint32_t cpus;
};

static inline void left_out_cpu(struct left_out *l, uint32_t cpu)
{
	uint32_t i;

	for (i = 0; i < l->cpus && l->cpu[i] != cpu; i++)
		;
	if (i == l->cpus && i < LEFT_CPUS)
		l->cpu[l->cpus++] = cpu;
}

static inline void left_out_thread(struct left_out *l, const struct left_thread *add)
{
	uint32_t i;

	for (i = 0; i < l->threads; i++) {
		if (l->thread[i].tid == add->tid && l->thread[i].pid == add->pid &&
		    l->thread[i].name == add->name) {
			l->thread[i].ticks += add->ticks;
			return;
		}
	}
	if (i < LEFT_THREADS)
		l->thread[l->threads++] = *add;
}

#endif
