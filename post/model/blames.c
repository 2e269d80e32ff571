/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sums of the time of threads by its cause, and of waits between threads. */
#include "model/critical.h"

#include <inttypes.h>
#include <stdlib.h>

#include "complain.h"

static uint64_t hash_blame(enum blame_kind kind, uint32_t who)
{
	return hash_mix((uint64_t)kind << 32 | who, 7);
}

static int find_blame(struct keys *by, struct blame **list, uint32_t *n, uint32_t *room,
		      const struct blame *key, uint32_t *at)
{
	uint64_t hash = hash_blame(key->kind, key->who);

	*at = keys_find(by, hash, *list, e, e->kind == key->kind && e->who == key->who);
	if (*at != NO_KEY)
		return 0;
	if (keys_next(by, hash, *list, *n, *room))
		return -ENOMEM;
	*at = (*n)++;
	(*list)[*at] = (struct blame){ .kind = key->kind, .who = key->who };
	return 0;
}

int blame_of(struct critical *c, enum blame_kind kind, uint32_t who, uint32_t *blame)
{
	const struct blame key = { .kind = kind, .who = who };

	return find_blame(&c->by_blame, &c->blame, &c->nblame, &c->room_blame, &key, blame);
}

int blame_add(struct critical *c, uint32_t row, bool victim, uint32_t blame, uint64_t ns)
{
	struct blame *b = &c->blame[blame];

	c->all_ns += ns;
	if (!victim)
		return 0;
	if (array_reach(c->victim, c->nvictim, row))
		return -ENOMEM;
	c->victim[row] += ns;
	c->ns += ns;
	b->ns += ns;
	if (b->who == row && b->kind != BLAME_IRQ)
		b->own += ns;
	return 0;
}

/* ---- waits between threads ------------------------------------------------------------------- */

static uint64_t hash_edge(const struct wait_edge *e)
{
	return hash_mix((uint64_t)e->waiter << 32 | e->waker, hash_mix(e->object, e->call));
}

static uint32_t find_edge(const struct keys *t, const struct wait_edge *list,
			  const struct wait_edge *key)
{
	return keys_find(t, hash_edge(key), list, e,
			 e->waiter == key->waiter && e->waker == key->waker &&
				 e->call == key->call && e->object == key->object);
}

int wait_edge_add(struct critical *c, const struct wait_edge *key, uint64_t ns, uint64_t direct)
{
	uint32_t i = find_edge(&c->by_edge, c->edge, key);
	struct wait_edge *e;

	if (i == NO_KEY) {
		if (keys_next(&c->by_edge, hash_edge(key), c->edge, c->nedge, c->room_edge))
			return -ENOMEM;
		i = c->nedge++;
		c->edge[i] = *key;
	}
	e = &c->edge[i];
	e->count++;
	e->ns += ns;
	e->direct += direct;
	if (e->longest < ns)
		e->longest = ns;
	return 0;
}

/* ---- groups ---------------------------------------------------------------------------------- */

static uint32_t group_of(const struct critical *c, uint32_t row)
{
	return c->sched->names->thread[row].group;
}

static bool is_thread(const struct blame *b)
{
	return b->kind != BLAME_IRQ && b->who != BLAME_NOBODY;
}

static int group_blames(struct critical *c)
{
	struct keys by = { 0 };
	uint32_t i, at, n = 0, room = c->room_blame;
	int rc = 0;

	for (i = 0; i < c->nblame && !rc; i++) {
		struct blame b = c->blame[i];

		if (is_thread(&b))
			b.who = group_of(c, b.who);
		rc = find_blame(&by, &c->blame, &n, &room, &b, &at);
		if (rc)
			break;
		c->blame[at].ns += b.ns;
		c->blame[at].own += b.own;
	}
	keys_free(&c->by_blame);
	c->by_blame = by;
	c->nblame = n;
	return rc;
}

static int group_edges(struct critical *c)
{
	struct keys by = { 0 };
	uint32_t i, at, n = 0;
	int rc = 0;

	for (i = 0; i < c->nedge && !rc; i++) {
		struct wait_edge e = c->edge[i];

		e.waiter = group_of(c, e.waiter);
		if (e.waker < WAKER_IRQ)
			e.waker = group_of(c, e.waker);
		at = find_edge(&by, c->edge, &e);
		if (at == NO_KEY) {
			rc = keys_add(&by, hash_edge(&e), n);
			c->edge[n++] = e;
			continue;
		}
		c->edge[at].count += e.count;
		c->edge[at].ns += e.ns;
		c->edge[at].direct += e.direct;
		if (c->edge[at].longest < e.longest)
			c->edge[at].longest = e.longest;
	}
	keys_free(&c->by_edge);
	c->by_edge = by;
	c->nedge = n;
	return rc;
}

static void group_rows(const struct critical *c, uint64_t *row, uint32_t n)
{
	uint32_t i, group;

	/* The list grows ahead and may be longer than the number of rows. */
	for (i = 0; i < n && i < c->sched->names->nthread; i++) {
		group = group_of(c, i); /* never greater than i */
		if (group == i)
			continue;
		row[group] += row[i];
		row[i] = 0;
	}
}

int critical_group(struct critical *c)
{
	int rc;

	if (!c->wanted)
		return 0;
	group_rows(c, c->victim, c->nvictim);
	group_rows(c, c->shares.row, c->shares.nrow);
	rc = group_blames(c);
	return rc ? rc : group_edges(c);
}

/* ---- consistency ----------------------------------------------------------------------------- */

static bool same(const char *what, uint64_t have, uint64_t want)
{
	if (have != want)
		complain("internal error: %s: %" PRIu64 " of %" PRIu64 " ns", what, have, want);
	return have == want;
}

bool critical_adds_up(const struct critical *c)
{
	uint64_t booked = 0, blamed = 0, victims = 0, shared = c->shares.nobody + c->shares.others;
	const struct sched *s = c->sched;
	uint32_t i, k;
	bool right;

	if (!c->wanted)
		return true;
	for (i = 0; i < s->nrow; i++) {
		booked += s->row[i].run + s->row[i].unknown;
		for (k = 0; k < SCHED_REASONS; k++)
			booked += s->row[i].wait[k] + s->row[i].off[k];
	}
	for (i = 0; i < c->nblame; i++)
		blamed += c->blame[i].ns;
	for (i = 0; i < c->nvictim; i++)
		victims += c->victim[i];
	for (i = 0; i < c->shares.nrow; i++)
		shared += c->shares.row[i];
	right = same("threads' time that was blamed on something", c->all_ns, booked);
	right &= same("blame", blamed, victims);
	right &= same("shares of wall time", shared, c->shares.wall);
	return right;
}
