/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pairs of waker and wakee: how often, how long the wakee had slept and then waited for a CPU. */
#ifndef POST_WAKERS_H
#define POST_WAKERS_H

#include "model/trace_names.h"

/* A waker: a thread of names, or (with this bit) a row of irqs; or an unknown interrupt */
#define WAKER_IRQ      0x80000000u
#define WAKER_SOME_IRQ UINT32_MAX

struct wake_pair {
	uint32_t waker, wakee; /* WAKER_*, a thread of names; a thread */
	uint64_t count;        /* wake-ups after which the wakee ran */
	uint64_t slept;        /* sum of the times it had been away, ns */
	uint64_t latency, longest;
};

struct wakers {
	struct wake_pair *pair;
	uint32_t npair, room;
	struct keys by_pair;
};

/* One wake-up after which the wakee ran. 0 or -ENOMEM, both. */
int wakers_count(struct wakers *w, uint32_t waker, uint32_t wakee, uint64_t slept,
		 uint64_t latency);
/* Merges pairs by group. Call after names_group. */
int wakers_group(struct wakers *w, const struct names *n);
void wakers_free(struct wakers *w);

#endif
