/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A cache of sample places. Samples repeat: the same thread at the same address has the same place
 * until a record changes the meaning of either. The place is kept and its ticks are counted here
 * until another sample needs the entry; only then are they added to the rows (counts.h).
 */
#ifndef POST_HITS_H
#define POST_HITS_H

#include "model/counts.h"

/* The fields that each sample is compared with: small, to stay in the CPU's caches. */
struct hit {
	uint64_t address;
	uint32_t pid, tid;
	uint32_t where;   /* CPU, if rows are counted by CPU; kernel or user */
	uint32_t owner;   /* index of the pid's owner */
	uint32_t version; /* version of that owner's names; 0: empty entry */
	uint32_t ticks;   /* not yet added to a row */
};

#define HITS_BITS 14

/* A sample that waits until its hit is prefetched. */
struct hits_waiting {
	struct pitrace_sample sample;
	uint32_t i, where;
	uint64_t time;
};

#define HITS_WAIT 16

struct hits {
	struct hit *hit;
	struct hits_waiting wait[HITS_WAIT];
	uint32_t nwait;
	struct sample_place *place; /* by entry */
	struct names *names;
	struct counts *counts;
};

/* Each returns 0 or -ENOMEM. */
int hits_open(struct hits *h, struct names *n, struct counts *c);
/* Puts the sample's place into entry i. */
int hits_take(struct hits *h, uint32_t i, const struct pitrace_sample *s, uint64_t time,
	      uint32_t where);
/* Call after the last sample: adds all ticks to the rows. */
int hits_finish(struct hits *h);
void hits_free(struct hits *h);

/* Counts the waiting samples. Call before anything changes that their names depend on. */
int hits_settle(struct hits *h);

static inline uint32_t hits_place(const struct pitrace_sample *s)
{
	return hash_mix(s->address, s->tid) >> 8 & ((1u << HITS_BITS) - 1);
}

static inline uint32_t hits_where(const struct hits *h, uint32_t cpu, bool kernel)
{
	return (h->counts->by_cpu ? cpu << 1 : 0) | kernel;
}

static inline int hits_count(struct hits *h, uint32_t i, const struct pitrace_sample *s,
			     uint64_t time, uint32_t where)
{
	struct hit *hit = &h->hit[i];

	if (hit->address != s->address || hit->tid != s->tid || hit->pid != s->pid ||
	    hit->where != where || !hit->version ||
	    hit->version != names_version(h->names, hit->owner)) {
		int rc = hits_take(h, i, s, time, where);

		if (rc)
			return rc;
	}
	hit->ticks++;
	return 0;
}

/* Counts a sample; *place is valid until the next sample. */
static inline int hits_add(struct hits *h, const struct pitrace_sample *s, uint64_t time,
			   uint32_t cpu, bool kernel, const struct sample_place **place)
{
	uint32_t i = hits_place(s);

	*place = &h->place[i];
	return hits_count(h, i, s, time, hits_where(h, cpu, kernel));
}

/* Counts a sample later, for callers that do not need its place. */
static inline int hits_add_later(struct hits *h, const struct pitrace_sample *s, uint64_t time,
				 uint32_t cpu, bool kernel)
{
	struct hits_waiting *w = &h->wait[h->nwait++];

	w->sample = *s;
	w->i = hits_place(s);
	w->where = hits_where(h, cpu, kernel);
	w->time = time;
	__builtin_prefetch(&h->hit[w->i], 1);
	return h->nwait == HITS_WAIT ? hits_settle(h) : 0;
}

#endif
