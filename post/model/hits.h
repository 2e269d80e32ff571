/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Samples repeat: the same thread at the same address is the same place, until a record changes
 * what either means. So a sample's place is kept, and its ticks counted here, until another needs
 * the room; only then do they go to the rows (counts.h).
 */
#ifndef POST_HITS_H
#define POST_HITS_H

#include "model/counts.h"

/* What each sample looks at: it should stay in the processor's caches. */
struct hit {
	uint64_t address;
	uint32_t pid, tid;
	uint32_t where;			/* CPU, if rows are counted by it; whether in the kernel */
	uint32_t owner;			/* of the pid, and the … */
	uint32_t version;		/* … of what was known of it; 0: no hit yet */
	uint32_t ticks;			/* not yet in a row */
};

#define HITS_BITS 14

struct hits {
	struct hit *hit;
	struct place *place;		/* of each */
	struct names *names;
	struct counts *counts;
};

/* 0 or -ENOMEM, this and the others. */
int hits_open(struct hits *h, struct names *n, struct counts *c);
/* Put the sample's place into the room of the i-th. */
int hits_take(struct hits *h, uint32_t i, const struct pitrace_sample *s, uint64_t time,
	      uint32_t where);
/* After the last sample: all ticks go to the rows. */
int hits_finish(struct hits *h);
void hits_free(struct hits *h);

/* Count a sample; *place is valid until the next. */
static inline int hits_add(struct hits *h, const struct pitrace_sample *s, uint64_t time,
			   uint32_t cpu, bool kernel, const struct place **place)
{
	uint32_t i = hash_mix(s->address, s->tid) >> 8 & ((1u << HITS_BITS) - 1);
	struct hit *hit = &h->hit[i];
	uint32_t where = (h->counts->by_cpu ? cpu << 1 : 0) | kernel;

	if (hit->address != s->address || hit->tid != s->tid || hit->pid != s->pid ||
	    hit->where != where || hit->version != names_version(h->names, hit->owner)) {
		int rc = hits_take(h, i, s, time, where);

		if (rc)
			return rc;
	}
	hit->ticks++;
	*place = &h->place[i];
	return 0;
}

#endif
