/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Threads that are counted together: their rows and wake-ups become those of their group. */
#include "model/sched.h"

#include <errno.h>

static int add_row(struct sched_row *to, struct sched_row *from)
{
	unsigned int k;
	int rc = spread_merge(&to->latency, &from->latency);

	to->run += from->run;
	to->interrupted += from->interrupted;
	for (k = 0; k < SCHED_REASONS; k++) {
		to->wait[k] += from->wait[k];
		to->off[k] += from->off[k];
		to->left[k] += from->left[k];
		if (from->longest[k] > to->longest[k])
			to->longest[k] = from->longest[k];
	}
	to->unknown += from->unknown;
	to->unsure += from->unsure;
	to->dispatches += from->dispatches;
	to->migrations += from->migrations;
	to->unwoken += from->unwoken;
	to->unsure_latencies += from->unsure_latencies;
	if (!to->seen)
		to->priority = from->priority;
	to->seen |= from->seen;
	spread_free(&from->latency);
	*from = (struct sched_row){ .seen = false };
	return rc;
}

static int group_rows(struct sched *s)
{
	uint32_t i, group;
	int rc = 0;

	for (i = 0; i < s->nrow && !rc; i++) {
		group = s->names->thread[i].group;
		/* The first of a name is its group: that row is there. */
		if (group != i)
			rc = add_row(&s->row[group], &s->row[i]);
	}
	return rc;
}

static bool same_pair(const void *array, uint32_t i, const void *key)
{
	const struct wake_pair *a = (const struct wake_pair *)array + i, *b = key;

	return a->waker == b->waker && a->wakee == b->wakee;
}

static uint32_t group_of(const struct sched *s, uint32_t who)
{
	return who & WAKER_IRQ ? who : s->names->thread[who].group;
}

static int group_pairs(struct sched *s)
{
	struct keys by_pair = { 0 };
	uint32_t i, n = 0, at;
	uint64_t hash;
	int rc = 0;

	for (i = 0; i < s->npair && !rc; i++) {
		struct wake_pair p = s->pair[i];

		p.waker = group_of(s, p.waker);
		p.wakee = group_of(s, p.wakee);
		hash = hash_mix((uint64_t)p.waker << 32 | p.wakee, 4);
		at = keys_find(&by_pair, hash, same_pair, s->pair, &p);
		if (at == NO_KEY) {
			rc = keys_add(&by_pair, hash, n);
			s->pair[n++] = p;
			continue;
		}
		s->pair[at].count += p.count;
		s->pair[at].slept += p.slept;
		s->pair[at].latency += p.latency;
		if (p.longest > s->pair[at].longest)
			s->pair[at].longest = p.longest;
	}
	s->npair = n;
	keys_free(&s->by_pair);
	s->by_pair = by_pair;
	return rc;
}

int sched_group(struct sched *s)
{
	int rc = group_rows(s);

	return rc ? rc : group_pairs(s);
}
