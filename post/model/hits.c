/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of hits: direct-mapped, so that a sample is one look and a miss costs one place. */
#include "model/hits.h"

#include <string.h>

int hits_open(struct hits *h, struct names *n, struct counts *c)
{
	size_t size = sizeof(*h->hit) << HITS_BITS;

	*h = (struct hits){ .names = n, .counts = c };
	h->hit = aligned_alloc(sizeof(*h->hit), size);
	if (!h->hit)
		return -ENOMEM;
	memset(h->hit, 0, size);
	return 0;
}

static int to_rows(struct hits *h, struct hit *hit)
{
	uint32_t ticks = hit->ticks;

	hit->ticks = 0;
	return ticks ? counts_add(h->counts, &hit->place, hit->where >> 1, ticks) : 0;
}

int hits_take(struct hits *h, struct hit *hit, const struct pitrace_sample *s, uint64_t time,
	      uint32_t where)
{
	int rc = to_rows(h, hit);

	if (!rc)
		rc = names_sample(h->names, s, time, where & 1, &hit->place);
	if (rc) {
		hit->version = 0;
		return rc;
	}
	hit->address = s->address;
	hit->pid = s->pid;
	hit->tid = s->tid;
	hit->where = where;
	hit->version = names_version(h->names, hit->place.owner);
	return 0;
}

int hits_finish(struct hits *h)
{
	uint32_t i;
	int rc = 0;

	for (i = 0; i < 1u << HITS_BITS && !rc; i++)
		rc = to_rows(h, &h->hit[i]);
	return rc;
}

void hits_free(struct hits *h)
{
	free(h->hit);
	*h = (struct hits){ 0 };
}
