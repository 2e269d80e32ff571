/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Samples repeat: the same thread at the same address is the same place, until a record changes
 * what either means. So a sample's place is kept, and its ticks counted here, until another needs
 * the room; only then do they go to the rows (counts.h).
 */
#ifndef POST_HITS_H
#define POST_HITS_H

#include "model/counts.h"

/* As long as a line of the processor's caches. */
struct hit {
	uint64_t address;
	uint32_t pid, tid;
	uint32_t where;			/* CPU, if rows are counted by it, and whether in the kernel */
	uint32_t version;		/* of what is known of the process; 0: no hit yet */
	uint32_t ticks;			/* not yet in a row */
	struct place place;
} __attribute__((aligned(64)));

#define HITS_BITS 14

struct hits {
	struct hit *hit;
	struct names *names;
	struct counts *counts;
};

/* 0 or -ENOMEM, this and the others. */
int hits_open(struct hits *h, struct names *n, struct counts *c);
/* Put the sample's place into the room of another. */
int hits_take(struct hits *h, struct hit *hit, const struct pitrace_sample *s, uint64_t time,
	      uint32_t where);
/* After the last sample: all ticks go to the rows. */
int hits_finish(struct hits *h);
void hits_free(struct hits *h);

/* Count a sample; *place is valid until the next. */
static inline int hits_add(struct hits *h, const struct pitrace_sample *s, uint64_t time,
			   uint32_t cpu, bool kernel, const struct place **place)
{
	struct hit *hit = &h->hit[hash_mix(s->address, s->tid) >> 8 & ((1u << HITS_BITS) - 1)];
	uint32_t where = (h->counts->by_cpu ? cpu << 1 : 0) | kernel;

	if (hit->address != s->address || hit->tid != s->tid || hit->pid != s->pid ||
	    hit->where != where || hit->version != names_version(h->names, hit->place.owner)) {
		int rc = hits_take(h, hit, s, time, where);

		if (rc)
			return rc;
	}
	hit->ticks++;
	*place = &hit->place;
	return 0;
}

#endif
