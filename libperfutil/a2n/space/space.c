/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * An address space over time: a tree with the present state (now), and the former state (past). A
 * new mapping is one piece of the tree, and the pieces that it replaces become facts of the past: a
 * change costs at most four facts, whatever it replaces. If an event is older than the piece that
 * it replaces, the later time is used, and its mapping is split where these times differ.
 *
 * `now` includes inherited facts, so that a fork only takes a reference to it. Look-ups search the
 * layers, as long as there are few: facts that apply to children may still be added to a parent.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "a2n/space/space.h"
#include "a2n/space/space_past.h"
#include "a2n/space/space_tree.h"
#include "base/array.h"

#define MAX_LAYERS 8
/* Limits: events that go back in time can cost more facts (of 72 bytes) and time than available.
 * Events of real programs cost a few facts each; occasionally one that covers a whole heap visits
 * its pieces. */
#define FACTS_START      (1u << 21)
#define FACTS_PER_CHANGE 16u
#define FACTS_MOST       (1u << 26)
#define STEPS_START      (1ull << 28)
#define STEPS_PER_CHANGE 4096u

/* Facts inherited by a fork are valid from the first moment on; the time before the fork is
 * unknown. */
#define MOMENT_INHERITED ((struct moment){ 0, 1 })

static bool same(const struct mapping *a, const struct mapping *b)
{
	if (!a->module && !b->module && a->delta <= MAPPING_FREE && b->delta <= MAPPING_FREE)
		return true;
	return a->module == b->module && a->delta == b->delta;
}

static struct mapping mapping_of(const struct space_piece *p)
{
	return p ? p->mapping : (struct mapping){ NULL, 0 };
}

static bool is_own(const struct space *s, const struct space_piece *p)
{
	return p && p->owner == s->id;
}

struct space *space_new(struct spaces *all)
{
	struct space *s = calloc(1, sizeof(*s));

	if (s) {
		s->all = all;
		s->id = ++all->count;
		s->next = all->first;
		all->first = s;
	}
	return s;
}

/* Checks whether the limits are exceeded. */
static bool refuse(struct spaces *all, struct moment from)
{
	bool full = all->full;

	all->changes++;
	if (!full)
		full = all->facts > FACTS_START + FACTS_PER_CHANGE * all->changes ||
		       all->facts > FACTS_MOST ||
		       all->steps > STEPS_START + STEPS_PER_CHANGE * all->changes;
	if (full && (!all->full || from.time < all->since)) {
		all->since = from.time;
		all->change++;
	}
	all->full = full;
	return full;
}

bool space_blank(const struct space *s)
{
	return !s->parent && !s->facts && !s->base;
}

/* ---- the present ----------------------------------------------------------------------------- */

/* Replaces everything in [start, last] by a piece. */
static int overlay(struct space_node **tree, const struct space_piece *piece, uint64_t last)
{
	const struct space_piece *at;
	struct space_piece behind = { 0 };
	uint64_t end;

	if (last != UINT64_MAX) {
		at = space_tree_find(*tree, last + 1, &end);
		if (at)
			behind = *at;
		if (!at || behind.start <= last) {
			behind.start = last + 1;
			if (space_tree_put(tree, &behind))
				return -ENOMEM;
		}
	}
	if (space_tree_drop(tree, piece->start, last) || space_tree_put(tree, piece))
		return -ENOMEM;
	return 0;
}

/* Counts the facts that parents got since `now` was built, and that apply to this space. */
static uint32_t late_facts(const struct space *s)
{
	uint32_t late = 0;

	for (s = s->parent; s; s = s->parent)
		late += s->late;
	return late;
}

struct slice {
	struct space *space;
	struct moment at;
	struct space_node *tree;
	int rc;
};

static void add_past(void *arg, const struct past_fact *f)
{
	struct slice *slice = arg;
	const struct space_piece piece = { f->start, f->mapping, f->from, slice->space->id,
					   f->walk };

	slice->space->all->steps++;
	if (slice->rc || f->before || !moment_not_after(f->from, slice->at) ||
	    moment_not_after(f->to, slice->at))
		return;
	slice->rc = overlay(&slice->tree, &piece, f->last);
}

static int add_own(void *arg, const struct space_piece *p, uint64_t start, uint64_t last)
{
	struct slice *slice = arg;

	(void)start;
	slice->space->all->steps++;
	if (is_own(slice->space, p) && moment_not_after(p->from, slice->at))
		slice->rc = overlay(&slice->tree, p, last);
	return slice->rc;
}

/* Returns the state at a moment, in its own tree; NULL may be an empty one. */
static struct space_node *slice(struct space *s, struct moment at, int *rc)
{
	struct slice slice_at = { .space = s, .at = at };

	if (s->late_seen == late_facts(s) && moment_not_after(s->latest, at))
		return space_tree_get(s->now);
	slice_at.tree = s->parent ? slice(s->parent, s->forked, rc) : space_tree_get(s->base);
	if (!*rc)
		space_tree_walk(s->now, 0, UINT64_MAX, add_own, &slice_at);
	if (s->past && !*rc)
		space_past_each(s->past, NULL, add_past, &slice_at);
	if (slice_at.rc)
		*rc = slice_at.rc;
	return slice_at.tree;
}

/* Updates `now` by the facts that parents got late. */
static int refresh(struct space *s)
{
	struct space_node *tree;
	int rc = 0;

	if (s->late_seen == late_facts(s))
		return 0;
	tree = slice(s, MOMENT_AT(UINT64_MAX), &rc);
	if (rc) {
		space_tree_put_back(tree);
		return rc;
	}
	space_tree_put_back(s->now);
	s->now = tree;
	s->late_seen = late_facts(s);
	return 0;
}

struct wanted {
	struct spaces *all;
	const struct mapping *mapping;
};

static int is_other(void *arg, const struct space_piece *p, uint64_t start, uint64_t last)
{
	const struct wanted *wanted = arg;
	const struct mapping there = mapping_of(p);

	(void)start, (void)last;
	wanted->all->steps++;
	return !same(&there, wanted->mapping);
}

bool space_has(struct space *s, uint64_t start, uint64_t last, const struct mapping *mapping)
{
	struct wanted wanted = { s->all, mapping };

	return !refresh(s) && !space_tree_walk(s->now, start, last, is_other, &wanted);
}

struct mapping space_part(struct space *s, uint64_t start, uint64_t last, uint64_t *end)
{
	const struct space_piece *p;

	refresh(s);
	s->all->steps++;
	p = space_tree_find(s->now, start, end);
	if (*end > last)
		*end = last;
	return mapping_of(p);
}

/* ---- changes --------------------------------------------------------------------------------- */

static int add_fact(struct space *s, const struct past_fact *fact)
{
	if (!s->past)
		s->past = calloc(1, sizeof(*s->past));
	if (!s->past || space_past_add(s->past, fact))
		return -ENOMEM;
	s->all->facts++;
	return 0;
}

/* A change in progress. */
struct space_change {
	struct space *space;
	struct moment from;
	struct space_piece piece; /* the part that is not in `pieces` yet */
	struct past_fact walked;  /* the part that is not in the past yet */
	struct space_piece *pieces;
	uint32_t n, room;
	bool any, any_walked;
};

/* The change's piece continues at `start`, from this moment on. */
static int extend(struct space_change *c, uint64_t start, struct moment from)
{
	if (c->any && c->piece.from.time == from.time && c->piece.from.order == from.order)
		return 0;
	if (c->any) {
		if (array_next(c->pieces, c->n, c->room))
			return -ENOMEM;
		c->pieces[c->n++] = c->piece;
	}
	c->any = true;
	c->piece.start = start;
	c->piece.from = from;
	if (!moment_not_after(from, c->space->latest))
		c->space->latest = from;
	return 0;
}

static int end_walked(struct space_change *c)
{
	const bool any = c->any_walked;

	c->any_walked = false;
	return any ? add_fact(c->space, &c->walked) : 0;
}

/* The space has no fact of its own in [start, end]: what a walk finds there was there before
 * too. */
static int add_walked(struct space_change *c, uint64_t start, uint64_t end, struct moment from)
{
	if (!c->any_walked)
		c->walked = (struct past_fact){ .start = start,
						.to = from,
						.mapping = c->piece.mapping,
						.before = true };
	c->any_walked = true;
	c->walked.last = end;
	return 0;
}

static int replace(void *arg, const struct space_piece *old, uint64_t start, uint64_t last)
{
	struct space_change *c = arg;
	struct past_fact fact = { .start = start, .last = last };
	struct moment from = c->from;

	c->space->all->steps++;

	if (!is_own(c->space, old)) {
		if (c->piece.walk && c->piece.mapping.module && add_walked(c, start, last, from))
			return -ENOMEM;
		return extend(c, start, from);
	}
	if (!moment_not_after(old->from, from)) {
		from.time = old->from.time;
		if (from.order < old->from.order)
			from.order = old->from.order;
	}
	fact.from = old->from;
	fact.to = from;
	fact.mapping = old->mapping;
	fact.walk = old->walk;
	if (end_walked(c) || add_fact(c->space, &fact))
		return -ENOMEM;
	return extend(c, start, from);
}

static int set(struct spaces *all, struct space *s, struct moment from, uint64_t start,
	       uint64_t last, const struct mapping *mapping, bool walk)
{
	struct space_change c = { .space = s,
				  .from = from,
				  .piece = { .mapping = *mapping, .walk = walk, .owner = s->id } };
	int rc = refresh(s);

	all->change++;
	if (moment_not_after(from, s->last_fork))
		s->late++;
	if (!rc)
		rc = space_tree_walk(s->now, start, last, replace, &c);
	if (!rc)
		rc = end_walked(&c);
	/* The first piece replaces the whole range. */
	if (!rc && c.n) {
		rc = overlay(&s->now, &c.pieces[0], last);
		for (uint32_t i = 1; i < c.n && !rc; i++)
			rc = space_tree_put(&s->now, &c.pieces[i]);
		if (!rc)
			rc = space_tree_put(&s->now, &c.piece);
	} else if (!rc) {
		rc = overlay(&s->now, &c.piece, last);
	}
	s->facts += c.n + 1;
	all->facts += c.n + 1;
	free(c.pieces);
	return rc;
}

int space_map(struct spaces *all, struct space *s, struct moment from, uint64_t start,
	      uint64_t last, const struct mapping *mapping, bool walk)
{
	if (refuse(all, from))
		return 0;
	if (space_blank(s))
		s->event_first = !walk;
	if (space_has(s, start, last, mapping))
		return 0;
	return set(all, s, from, start, last, mapping, walk);
}

int space_unmap(struct spaces *all, struct space *s, struct moment from, uint64_t start,
		uint64_t last)
{
	return space_clear(all, s, from, start, last, MAPPING_FREE);
}

struct known_part {
	struct spaces *all;
	uint64_t start, last;
};

/* Finds the first part that has a module or a reason. */
static int first_known(void *arg, const struct space_piece *p, uint64_t start, uint64_t last)
{
	struct known_part *part = arg;
	const struct mapping there = mapping_of(p);

	part->all->steps++;
	part->start = start;
	part->last = last;
	return there.module || there.delta > MAPPING_FREE;
}

int space_clear(struct spaces *all, struct space *s, struct moment from, uint64_t start,
		uint64_t last, uint64_t why)
{
	const struct mapping nothing = { NULL, why };
	struct known_part part = { .all = all, .last = start - 1 };
	int rc;

	if (refuse(all, from))
		return 0;
	/* Most unmapped memory is data without events. */
	do {
		rc = refresh(s);
		if (rc || !space_tree_walk(s->now, part.last + 1, last, first_known, &part))
			return rc;
		/* A reason applies only to parts with a module; MAPPING_FREE to all. */
		if (why == MAPPING_FREE)
			part = (struct known_part){ all, start, last };
		rc = set(all, s, from, part.start, part.last, &nothing, false);
	} while (!rc && part.last != last);
	return rc;
}

struct space *space_fork(struct spaces *all, struct space *parent, struct moment at)
{
	struct space *s = space_new(all);
	int rc = 0;

	if (!s || !parent || refuse(all, at))
		return s;
	s->now = slice(parent, at, &rc);
	if (rc)
		return NULL;
	if (!moment_not_after(at, parent->last_fork))
		parent->last_fork = at;
	/* Skips layers without facts of their own (unless a walk may still add some). */
	while (parent->parent && !parent->facts && parent->parent->facts) {
		at = parent->forked;
		parent = parent->parent;
	}
	if (parent->depth + 1 < MAX_LAYERS) {
		s->parent = parent;
		s->forked = at;
		s->depth = parent->depth + 1;
		s->late_seen = late_facts(s);
	} else {
		s->base = space_tree_get(s->now);
	}
	return s;
}

/* ---- look-ups -------------------------------------------------------------------------------- */

/* A fact of a layer. */
struct held {
	struct mapping mapping;
	struct moment from;
	uint64_t start, last;
	bool walk;
};

static const struct space_piece *own_piece(const struct space *s, uint64_t address, uint64_t *last)
{
	const struct space_piece *p = space_tree_find(s->now, address, last);

	return is_own(s, p) ? p : NULL;
}

/* Finds its own fact that is valid at an address at a moment; false: none. */
static bool own_fact(struct space *s, uint64_t address, struct moment at, struct held *held)
{
	const struct past_fact *f;
	const struct space_piece *p;
	uint64_t last;

	p = own_piece(s, address, &last);
	if (p && moment_not_after(p->from, at)) {
		*held = (struct held){ p->mapping, p->from, p->start, last, p->walk };
		return true;
	}
	f = p && s->past ? space_past_find(s->past, address, at) : NULL;
	if (!f || f->before)
		return false;
	*held = (struct held){ f->mapping, f->from, f->start, f->last, f->walk };
	return true;
}

/* Finds its next own fact after a moment; of several from the same moment the last one is used. */
static bool next_fact(struct space *s, uint64_t address, struct moment at, struct held *held)
{
	const struct past_fact *f = s->past ? space_past_next(s->past, address, at) : NULL;
	const struct space_piece *p;
	uint64_t last;

	if (f)
		return own_fact(s, address, f->from, held);
	p = own_piece(s, address, &last);
	return p && !moment_not_after(p->from, at) && own_fact(s, address, p->from, held);
}

/* Finds the next one with a mapping other than *held, which is valid if `known`. */
static bool next_change(struct space *s, uint64_t address, bool known, struct held *held)
{
	struct held next = *held;

	while (next_fact(s, address, next.from, &next)) {
		if (known && same(&held->mapping, &next.mapping))
			continue;
		*held = next;
		return true;
	}
	return false;
}

bool space_next(struct space *s, uint64_t address, struct moment *at, struct mapping *mapping)
{
	struct held held = { .from = *at };
	bool known = own_fact(s, address, *at, &held);

	held.from = *at;
	if (!next_change(s, address, known, &held))
		return false;
	*at = held.from;
	*mapping = held.mapping;
	return true;
}

bool space_reused(struct space *s, uint64_t address, uint64_t from, uint64_t to)
{
	struct moment at = MOMENT_AT(from);
	struct held held;
	struct mapping mapping;
	unsigned int seen = 0;

	if (own_fact(s, address, at, &held))
		seen += held.mapping.module != NULL;
	else
		at = MOMENT_START;
	while (seen < 2 && space_next(s, address, &at, &mapping) && at.time <= to)
		seen += mapping.module != NULL;
	return seen > 1;
}

/* The range of addresses and time in which an answer is valid. */
struct space_hit {
	uint64_t low, last, from, to;
};

static void within(struct space_hit *hit, uint64_t low, uint64_t last)
{
	if (low > hit->low)
		hit->low = low;
	if (last < hit->last)
		hit->last = last;
}

static void during(struct space_hit *hit, struct moment from, struct moment to)
{
	if (from.time > hit->from)
		hit->from = from.time;
	if (to.time < hit->to)
		hit->to = to.time;
}

/* Implements find_in() where the present state is not sufficient. */
static bool find_past(struct space *s, uint64_t address, struct moment at, struct space_hit *hit,
		      bool times, struct mapping *found, struct mapping *walked)
{
	const struct past_fact *f = s->past ? space_past_find(s->past, address, at) : NULL;
	struct held next;

	if (f) {
		within(hit, f->start, f->last);
		if (times)
			during(hit, f->from, f->to);
		if (!f->before) {
			*found = f->mapping;
			return true;
		}
		if (!walked->module)
			*walked = f->mapping;
		return false;
	}
	within(hit, address, address);
	if (times && next_fact(s, address, at, &next))
		during(hit, MOMENT_START, next.from);
	return false;
}

/* Searches one layer. False: nothing; *walked may be the mapping before its first fact. times: also
 * limit the time for which the answer is valid. */
static bool find_in(struct space *s, uint64_t address, struct moment at, struct space_hit *hit,
		    bool times, struct mapping *found, struct mapping *walked)
{
	const struct space_piece *p;
	uint64_t last;

	p = space_tree_find(s->now, address, &last);
	if (is_own(s, p) && !moment_not_after(p->from, at))
		return find_past(s, address, at, hit, times, found, walked);
	within(hit, p ? p->start : 0, last);
	if (!is_own(s, p))
		return false;
	if (times)
		during(hit, p->from, MOMENT_AT(UINT64_MAX));
	*found = p->mapping;
	return true;
}

static bool find_base(const struct space *s, uint64_t address, struct space_hit *hit,
		      struct mapping *found)
{
	const struct space_piece *p;
	uint64_t last;

	p = space_tree_find(s->base, address, &last);
	within(hit, p ? p->start : 0, last);
	if (!p || !p->mapping.module)
		return false;
	*found = p->mapping;
	return true;
}

struct mapping space_find(struct spaces *all, struct space *s, struct moment at, uint64_t address)
{
	struct mapping walked = { NULL, 0 }, result = { NULL, 0 };
	struct space_hit hit = { 0, UINT64_MAX, 0, UINT64_MAX };
	bool sample = at.order == UINT32_MAX, known = !all->full || at.time < all->since;
	bool found = false;
	struct space *layer;
	struct moment when = at;

	if (!known)
		hit = (struct space_hit){ address, address, all->since, UINT64_MAX };
	else if (all->full)
		hit.to = all->since;
	for (layer = s; known && layer && !found; when = layer->forked, layer = layer->parent) {
		found = find_in(layer, address, when, &hit, layer == s, &result, &walked);
		if (!found && layer->base && moment_not_after(MOMENT_INHERITED, when))
			found = find_base(layer, address, &hit, &result);
	}
	if (!found)
		result = walked;
	if (sample) {
		s->hit.low = hit.low;
		s->hit.last = hit.last;
		s->hit.from = hit.from;
		s->hit.to = hit.to;
		s->hit.mapping = result;
		s->hit.change = all->change;
	}
	return result;
}

/* ---- history --------------------------------------------------------------------------------- */

static void layer_history(struct space *s, uint64_t address, struct moment until, uint64_t to,
			  bool inherited, void (*take)(void *arg, const struct space_fact *fact),
			  void *arg)
{
	struct held next = { .from = MOMENT_START };
	struct space_fact fact;
	const struct space_piece *base;
	uint64_t first = to, last;
	bool more;

	more = own_fact(s, address, MOMENT_START, &next) || next_change(s, address, false, &next);
	more = more && moment_not_after(next.from, until);
	if (more)
		first = next.from.time;
	if (s->parent)
		layer_history(s->parent, address, s->forked, first, true, take, arg);
	base = space_tree_find(s->base, address, &last);
	if (base && base->mapping.module) {
		fact = (struct space_fact){ MOMENT_INHERITED, first,      base->start, last,
					    base->mapping,    base->walk, true };
		take(arg, &fact);
	}
	while (more) {
		fact = (struct space_fact){ next.from,    to,        next.start, next.last,
					    next.mapping, next.walk, inherited };
		more = next_change(s, address, true, &next) && moment_not_after(next.from, until);
		if (more)
			fact.to = next.from.time;
		take(arg, &fact);
	}
}

void space_history(struct space *s, uint64_t address,
		   void (*take)(void *arg, const struct space_fact *fact), void *arg)
{
	layer_history(s, address, MOMENT_AT(UINT64_MAX), UINT64_MAX, false, take, arg);
}

void spaces_free(struct spaces *all)
{
	struct space *s = all->first;

	while (s) {
		struct space *next = s->next;

		space_tree_put_back(s->now);
		space_tree_put_back(s->base);
		if (s->past)
			space_past_free(s->past);
		free(s->past);
		free(s);
		s = next;
	}
	*all = (struct spaces){ 0 };
}
