/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of hits is direct-mapped: a sample takes one look-up, and a miss replaces one entry. */
#include "model/hits.h"

int hits_open(struct hits *h, struct names *n, struct counts *c)
{
	*h = (struct hits){ .names = n, .counts = c };
	h->hit = calloc(1u << HITS_BITS, sizeof(*h->hit));
	h->place = calloc(1u << HITS_BITS, sizeof(*h->place));
	return h->hit && h->place ? 0 : -ENOMEM;
}

static int to_rows(struct hits *h, uint32_t i)
{
	struct hit *hit = &h->hit[i];
	uint32_t ticks = hit->ticks;

	hit->ticks = 0;
	return ticks ? counts_add(h->counts, &h->place[i], hit->where >> 1, ticks) : 0;
}

int hits_take(struct hits *h, uint32_t i, const struct pitrace_sample *s, uint64_t time,
	      uint32_t where)
{
	struct hit *hit = &h->hit[i];
	int rc = to_rows(h, i);

	if (!rc)
		rc = names_new_sample(h->names, s, time, where & 1, &h->place[i]);
	if (rc) {
		hit->version = 0;
		return rc;
	}
	*hit = (struct hit){
		.address = s->address,
		.pid = s->pid,
		.tid = s->tid,
		.where = where,
		.owner = h->place[i].owner,
		.version = names_version(h->names, h->place[i].owner),
	};
	return 0;
}

int hits_settle(struct hits *h)
{
	uint32_t i;
	int rc = 0;

	for (i = 0; i < h->nwait && !rc; i++) {
		const struct hits_waiting *w = &h->wait[i];

		rc = hits_count(h, w->i, &w->sample, w->time, w->where);
	}
	h->nwait = 0;
	return rc;
}

int hits_finish(struct hits *h)
{
	uint32_t i;
	int rc = hits_settle(h);

	for (i = 0; i < 1u << HITS_BITS && !rc; i++)
		rc = to_rows(h, i);
	return rc;
}

void hits_free(struct hits *h)
{
	free(h->hit);
	free(h->place);
	*h = (struct hits){ 0 };
}
