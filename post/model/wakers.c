/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pairs of waker and wakee; memory is bounded by their number. */
#include "model/wakers.h"

static uint64_t hash_pair(const struct wake_pair *p)
{
	return hash_mix((uint64_t)p->waker << 32 | p->wakee, 4);
}

static uint32_t find_pair(const struct keys *t, const struct wake_pair *list,
			  const struct wake_pair *p)
{
	return keys_find(t, hash_pair(p), list, e, e->waker == p->waker && e->wakee == p->wakee);
}

int wakers_count(struct wakers *w, uint32_t waker, uint32_t wakee, uint64_t slept, uint64_t latency)
{
	struct wake_pair key = { .waker = waker, .wakee = wakee }, *p;
	uint32_t i = find_pair(&w->by_pair, w->pair, &key);

	if (i == NO_KEY) {
		if (keys_next(&w->by_pair, hash_pair(&key), w->pair, w->npair, w->room))
			return -ENOMEM;
		i = w->npair++;
		w->pair[i] = key;
	}
	p = &w->pair[i];
	p->count++;
	p->slept += slept;
	p->latency += latency;
	if (p->longest < latency)
		p->longest = latency;
	return 0;
}

static uint32_t group_of(const struct names *n, uint32_t who)
{
	return who & WAKER_IRQ ? who : n->thread[who].group;
}

int wakers_group(struct wakers *w, const struct names *names)
{
	struct keys by_pair = { 0 };
	uint32_t i, n = 0, at;
	int rc = 0;

	for (i = 0; i < w->npair && !rc; i++) {
		struct wake_pair p = w->pair[i];

		p.waker = group_of(names, p.waker);
		p.wakee = group_of(names, p.wakee);
		at = find_pair(&by_pair, w->pair, &p);
		if (at == NO_KEY) {
			rc = keys_add(&by_pair, hash_pair(&p), n);
			w->pair[n++] = p;
			continue;
		}
		w->pair[at].count += p.count;
		w->pair[at].slept += p.slept;
		w->pair[at].latency += p.latency;
		if (p.longest > w->pair[at].longest)
			w->pair[at].longest = p.longest;
	}
	w->npair = n;
	keys_free(&w->by_pair);
	w->by_pair = by_pair;
	return rc;
}

void wakers_free(struct wakers *w)
{
	free(w->pair);
	keys_free(&w->by_pair);
	*w = (struct wakers){ 0 };
}
