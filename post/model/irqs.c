/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Entries push, exits pop; closing an interrupt adds its time to the enclosing one. */
#include "model/irqs.h"

#include <string.h>

static struct irq_cpu *cpu_at(struct irqs *q, uint32_t cpu)
{
	return array_reach(q->cpu, q->ncpus, cpu) ? NULL : &q->cpu[cpu];
}

static uint32_t get_row(struct irqs *q, uint32_t cpu, uint32_t source, uint32_t number)
{
	struct irq_row key = { .cpu = cpu, .source = source, .number = number };
	uint64_t hash = hash_mix((uint64_t)source << 32 | number, cpu);
	uint32_t i = keys_find(&q->by_key, hash, q->row, e,
			       e->cpu == key.cpu && e->source == key.source &&
				       e->number == key.number);

	if (i != NO_KEY)
		return i;
	if (keys_next(&q->by_key, hash, q->row, q->nrow, q->room))
		return NO_KEY;
	hash = hash_mix(key.source, key.number);
	key.first = keys_find(&q->by_source, hash, q->row, e,
			      e->source == key.source && e->number == key.number);
	if (key.first == NO_KEY) {
		if (keys_add(&q->by_source, hash, q->nrow))
			return NO_KEY;
		key.first = q->nrow;
	}
	q->row[q->nrow] = key;
	return q->nrow++;
}

/* Closes the innermost interrupt; returns its duration. */
static uint64_t close_one(struct irqs *q, struct irq_cpu *c, uint64_t time)
{
	struct irq_open *o = &c->open[--c->depth];
	uint64_t took = time > o->since ? time - o->since : 0;

	/* An interrupted inner one may end after the last record of the outer one. */
	q->row[o->row].self += took > o->inner ? took - o->inner : 0;
	if (c->depth)
		c->open[c->depth - 1].inner += took;
	else
		c->outer += took;
	return took;
}

int irqs_enter(struct irqs *q, uint32_t cpu, uint32_t source, uint32_t number, uint64_t time)
{
	struct irq_cpu *c = cpu_at(q, cpu);
	uint32_t row;

	if (!c)
		return -ENOMEM;
	if (c->depth == IRQ_DEPTH) /* deeper nesting means missing exits */
		irqs_cut(q, cpu, time);
	row = get_row(q, cpu, source, number);
	if (row == NO_KEY)
		return -ENOMEM;
	c->open[c->depth++] = (struct irq_open){ .row = row, .since = time };
	return 0;
}

int irqs_exit(struct irqs *q, uint32_t cpu, uint32_t source, uint32_t number, uint64_t time)
{
	struct irq_cpu *c = cpu_at(q, cpu);
	struct irq_row *row;
	uint32_t at;

	if (!c)
		return -ENOMEM;
	for (at = c->depth; at; at--) {
		row = &q->row[c->open[at - 1].row];
		if (row->source == source && row->number == number)
			break;
	}
	if (!at) {
		c->stray++;
		return 0;
	}
	while (c->depth > at) {
		q->row[c->open[c->depth - 1].row].cut++;
		close_one(q, c, time);
	}
	return spread_add(&row->time, close_one(q, c, time));
}

void irqs_cut(struct irqs *q, uint32_t cpu, uint64_t time)
{
	struct irq_cpu *c = cpu < q->ncpus ? &q->cpu[cpu] : NULL;

	while (c && c->depth) {
		q->row[c->open[c->depth - 1].row].cut++;
		close_one(q, c, time);
	}
}

uint64_t irqs_time(const struct irqs *q, uint32_t cpu, uint64_t time)
{
	const struct irq_cpu *c = cpu < q->ncpus ? &q->cpu[cpu] : NULL;

	if (!c)
		return 0;
	return c->outer + (c->depth && time > c->open[0].since ? time - c->open[0].since : 0);
}

uint32_t irqs_innermost(const struct irqs *q, uint32_t cpu)
{
	const struct irq_cpu *c = cpu < q->ncpus ? &q->cpu[cpu] : NULL;

	return c && c->depth ? q->row[c->open[c->depth - 1].row].first : NO_KEY;
}

bool irqs_add_up(const struct irqs *q)
{
	uint64_t outer = 0, self = 0;
	uint32_t i;

	for (i = 0; i < q->ncpus; i++)
		outer += q->cpu[i].outer;
	for (i = 0; i < q->nrow; i++)
		self += q->row[i].self;
	return outer == self;
}

void irqs_free(struct irqs *q)
{
	uint32_t i;

	for (i = 0; i < q->nrow; i++)
		spread_free(&q->row[i].time);
	free(q->row);
	free(q->cpu);
	keys_free(&q->by_key);
	keys_free(&q->by_source);
	*q = (struct irqs){ 0 };
}
