/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pairs of waker and wakee: the number of wake-ups, the time that the wakee had slept and then
 * waited for a CPU. */
#ifndef POST_WAKERS_H
#define POST_WAKERS_H

#include "model/trace_names.h"

/* A waker: a thread in names, or (with this bit) a row of irqs; or an unknown interrupt. */
#define WAKER_IRQ      0x80000000u
#define WAKER_SOME_IRQ UINT32_MAX

struct wake_pair {
	uint32_t waker, wakee; /* waker: WAKER_* or a thread in names; wakee: a thread */
	uint64_t count;        /* wake-ups after which the wakee ran */
	uint64_t slept;        /* total time off the CPU before the wake-up, ns */
	uint64_t latency, longest;
};

struct wakers {
	struct wake_pair *pair;
	uint32_t npair, room;
	struct keys by_pair;
};

/* Counts a wake-up after which the wakee ran. Functions return 0 or -ENOMEM. */
int wakers_count(struct wakers *w, uint32_t waker, uint32_t wakee, uint64_t slept,
		 uint64_t latency);
/* Merges pairs by group. Call after names_group(). */
int wakers_group(struct wakers *w, const struct names *n);
void wakers_free(struct wakers *w);

#endif
