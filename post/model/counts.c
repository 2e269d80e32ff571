/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The aggregation of samples: a hash table with a row for each distinct key. */
#include "model/counts.h"

static int add_one(struct counts *c, const struct counts_pending *p)
{
	uint32_t i = keys_find(&c->by_key, p->hash, c->row, e,
			       e->thread == p->key.thread && e->symbol == p->key.symbol &&
				       e->offset == p->key.offset && e->cpu == p->key.cpu);

	if (i == NO_KEY) {
		if (keys_next(&c->by_key, p->hash, c->row, c->nrow, c->room))
			return -ENOMEM;
		c->row[c->nrow++] = p->key;
		return 0;
	}
	c->row[i].ticks += p->key.ticks;
	c->row[i].unsure += p->key.unsure;
	return 0;
}

/* Rows are rarely in the CPU's caches, and one miss costs more than all the work on a row:
 * prefetches the slots of the whole batch, then their rows, then counts. */
int counts_flush(struct counts *c)
{
	uint32_t i, n = c->npending;
	int rc = 0;

	if (c->by_key.slots) {
		for (i = 0; i < n; i++)
			__builtin_prefetch(keys_slot(&c->by_key, c->pending[i].hash));
		for (i = 0; i < n; i++) {
			const struct keys_slot *s = keys_slot(&c->by_key, c->pending[i].hash);

			if (s->index1)
				__builtin_prefetch(&c->row[s->index1 - 1], 1);
		}
	}
	for (i = 0; i < n && !rc; i++)
		rc = add_one(c, &c->pending[i]);
	c->npending = 0;
	return rc;
}

int counts_add(struct counts *c, const struct sample_place *place, uint32_t cpu, uint64_t ticks)
{
	struct counts_pending *p = &c->pending[c->npending];

	p->key = (struct row){
		.thread = place->thread,
		.symbol = place->symbol,
		.cpu = c->by_cpu ? cpu : 0,
		.offset = c->by_offset ? place->offset : 0,
		.ticks = ticks,
		.unsure = place->unsure ? ticks : 0,
	};
	p->hash = hash_mix((uint64_t)p->key.thread << 32 | p->key.symbol,
			   p->key.offset << 16 ^ p->key.cpu);
	return ++c->npending == COUNTS_BATCH ? counts_flush(c) : 0;
}

/* Rows may become equal here; code that groups rows adds them up. */
void counts_show(struct counts *c, const struct names *n)
{
	const uint32_t *list;
	uint32_t i;

	for (i = 0; lines_wanted(&n->lines) && i < c->nrow; i++) {
		lines_shown(&n->lines, c->row[i].symbol, &list);
		c->row[i].symbol = list[0];
	}
}

int counts_finish(struct counts *c, struct names *n)
{
	uint32_t i;
	int rc = counts_flush(c);

	for (i = 0; i < c->nrow; i++) {
		struct row *r = &c->row[i];
		const struct symbol *s = &n->symbols.symbol[r->symbol];
		struct trace_module *m = &n->module[s->module];

		c->bucket[s->result] += r->ticks;
		c->unsure += r->unsure;
		m->ticks += r->ticks;
		if (s->result != A2N_OK)
			m->unnamed += r->ticks;
		else if (c->unnamed_only)
			r->offset = 0;
	}
	return rc;
}

void counts_free(struct counts *c)
{
	free(c->row);
	keys_free(&c->by_key);
	*c = (struct counts){ 0 };
}
