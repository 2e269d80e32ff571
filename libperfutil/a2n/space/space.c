/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * An address space over time: the range of addresses is cut into pieces, each with its own history.
 * Pieces lie in chunks of limited size, so that a look-up or a cut costs no more than a logarithm
 * and a small move.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "a2n/base/pool.h"
#include "a2n/space/space.h"
#include "base/search.h"

#define CHUNK_PIECES 32
#define MAX_LAYERS   8
/* Limits: repeated mappings of a whole space of many pieces need more facts (of 40 bytes) and time
 * than there is. Events of real programs cost a few facts each, and now and then those of a whole
 * heap. */
#define FACTS_START      (1u << 21)
#define FACTS_PER_CHANGE 64u
#define FACTS_MOST       (1u << 26)
#define STEPS_START      (1ull << 28)
#define STEPS_PER_CHANGE 4096u

struct fact {
	struct moment from;
	struct mapping mapping;
	bool walk;
};

/* A piece from start to the next piece's start. Facts are sorted by time. */
struct piece {
	uint64_t start;
	struct fact *facts;
	uint32_t n, room;
};

struct chunk {
	uint32_t n, room;
	struct piece pieces[];
};

struct cursor {
	uint32_t chunk, piece;
};

static bool not_after(struct moment a, struct moment b)
{
	return a.time < b.time || (a.time == b.time && a.order <= b.order);
}

static bool same(const struct mapping *a, const struct mapping *b)
{
	if (!a->module && !b->module && a->delta <= MAPPING_FREE && b->delta <= MAPPING_FREE)
		return true;
	return a->module == b->module && a->delta == b->delta;
}

struct space *space_new(struct spaces *all)
{
	struct space *s = calloc(1, sizeof(*s));

	if (s) {
		s->all = all;
		s->next = all->first;
		all->first = s;
	}
	return s;
}

/* Checks whether this time is beyond the limits. */
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
	return !s->parent && !s->n_chunks;
}

static struct piece *piece_of(const struct space *s, struct cursor c)
{
	return &s->chunks[c.chunk]->pieces[c.piece];
}

/* The last piece that starts at or below address; false when there is none. */
static bool locate(const struct space *s, uint64_t address, struct cursor *c)
{
	uint32_t low = search_sorted(i, 0, s->n_chunks, s->starts[i] <= address);
	const struct chunk *chunk;

	if (!low)
		return false;
	c->chunk = low - 1;
	chunk = s->chunks[c->chunk];
	c->piece = search_sorted(i, 1, chunk->n, chunk->pieces[i].start <= address) - 1;
	return true;
}

static bool step(const struct space *s, struct cursor *c)
{
	if (++c->piece < s->chunks[c->chunk]->n)
		return true;
	c->piece = 0;
	return ++c->chunk < s->n_chunks;
}

static uint64_t last_of(const struct space *s, struct cursor c)
{
	return step(s, &c) ? piece_of(s, c)->start - 1 : UINT64_MAX;
}

static const struct fact *fact_at(const struct piece *p, struct moment at)
{
	uint32_t low = search_sorted(i, 0, p->n, not_after(p->facts[i].from, at));

	return low ? &p->facts[low - 1] : NULL;
}

static bool insert_chunk(struct space *s, uint32_t at, uint32_t room)
{
	struct chunk *chunk;

	if (array_next(s->chunks, s->n_chunks, s->room) ||
	    array_next(s->starts, s->n_chunks, s->room_starts))
		return false;
	chunk = malloc(sizeof(*chunk) + room * sizeof(chunk->pieces[0]));
	if (!chunk)
		return false;
	chunk->n = 0;
	chunk->room = room;
	memmove(s->chunks + at + 1, s->chunks + at, (s->n_chunks - at) * sizeof(*s->chunks));
	memmove(s->starts + at + 1, s->starts + at, (s->n_chunks - at) * sizeof(*s->starts));
	s->chunks[at] = chunk;
	s->n_chunks++;
	return true;
}

static bool insert_piece(struct space *s, struct cursor at, const struct piece *p)
{
	struct chunk *chunk = s->chunks[at.chunk];

	if (chunk->n == CHUNK_PIECES) {
		/* Leave space at the end: code is added at rising addresses. */
		bool last = at.piece == CHUNK_PIECES && at.chunk + 1 == s->n_chunks;
		uint32_t half = last ? CHUNK_PIECES : CHUNK_PIECES / 2;

		if (!insert_chunk(s, at.chunk + 1, CHUNK_PIECES))
			return false;
		memcpy(s->chunks[at.chunk + 1]->pieces, chunk->pieces + half,
		       (CHUNK_PIECES - half) * sizeof(chunk->pieces[0]));
		s->chunks[at.chunk + 1]->n = CHUNK_PIECES - half;
		if (!last)
			s->starts[at.chunk + 1] = chunk->pieces[half].start;
		chunk->n = half;
		if (at.piece > half || last) {
			at.chunk++;
			at.piece -= half;
			chunk = s->chunks[at.chunk];
		}
	} else if (chunk->n == chunk->room) {
		uint32_t room = chunk->room * 2 < CHUNK_PIECES ? chunk->room * 2 : CHUNK_PIECES;
		struct chunk *wider;

		wider = realloc(chunk, sizeof(*chunk) + room * sizeof(chunk->pieces[0]));
		if (!wider)
			return false;
		wider->room = room;
		s->chunks[at.chunk] = chunk = wider;
	}
	memmove(chunk->pieces + at.piece + 1, chunk->pieces + at.piece,
		(chunk->n - at.piece) * sizeof(chunk->pieces[0]));
	chunk->pieces[at.piece] = *p;
	chunk->n++;
	s->starts[at.chunk] = chunk->pieces[0].start;
	return true;
}

/* Splits a piece at this address; both halves keep the history. */
static int cut(struct spaces *all, struct space *s, uint64_t address)
{
	struct piece new = { .start = address };
	struct cursor c = { 0, 0 };

	if (locate(s, address, &c)) {
		const struct piece *p = piece_of(s, c);

		if (p->start == address)
			return 0;
		if (p->n) {
			new.facts = malloc(p->n * sizeof(*p->facts));
			if (!new.facts)
				return -ENOMEM;
			memcpy(new.facts, p->facts, p->n * sizeof(*p->facts));
			new.n = new.room = p->n;
			all->facts += p->n;
		}
		c.piece++;
	} else if (!s->n_chunks && !insert_chunk(s, 0, 4)) {
		return -ENOMEM;
	}
	if (!insert_piece(s, c, &new)) {
		free(new.facts);
		return -ENOMEM;
	}
	return 0;
}

/* Visits each part of [start, last] with its mapping at that moment, until visit returns non-zero.
 * */
typedef int (*visitor)(void *arg, uint64_t start, uint64_t last, const struct mapping *mapping);

static int each(const struct space *s, struct moment at, uint64_t start, uint64_t last,
		visitor visit, void *arg)
{
	static const struct mapping nothing;
	struct cursor c = { 0, 0 };
	bool some = locate(s, start, &c);
	int r = 0;

	for (;;) {
		const struct fact *f = some ? fact_at(piece_of(s, c), at) : NULL;
		uint64_t end = UINT64_MAX;

		s->all->steps++;
		if (some)
			end = last_of(s, c);
		else if (s->n_chunks)
			end = s->chunks[0]->pieces[0].start - 1;
		if (end > last)
			end = last;
		if (!f && s->parent)
			r = each(s->parent, s->forked, start, end, visit, arg);
		else
			r = visit(arg, start, end, f ? &f->mapping : &nothing);
		if (r || end == last)
			return r;
		start = end + 1;
		if (some)
			step(s, &c);
		some = true;
	}
}

struct space_part {
	uint64_t start, last;
};

/* Finds the first part that has a module or a reason. */
static int first_known(void *arg, uint64_t start, uint64_t last, const struct mapping *mapping)
{
	struct space_part *part = arg;

	part->start = start;
	part->last = last;
	return mapping->module || mapping->delta > MAPPING_FREE;
}

static int is_other(void *arg, uint64_t start, uint64_t last, const struct mapping *mapping)
{
	(void)start, (void)last;
	return !same(mapping, arg);
}

static int set(struct spaces *all, struct space *s, struct moment from, uint64_t start,
	       uint64_t last, const struct mapping *mapping, bool walk)
{
	struct cursor c = { 0, 0 };

	all->change++;
	if (cut(all, s, start) || (last != UINT64_MAX && cut(all, s, last + 1)))
		return -ENOMEM;
	locate(s, start, &c);
	do {
		struct piece *p = piece_of(s, c);
		struct moment when = from;

		all->steps++;
		if (p->start > last)
			break;
		if (p->n && same(&p->facts[p->n - 1].mapping, mapping))
			continue;
		if (p->n && !not_after(p->facts[p->n - 1].from, when)) {
			when.time = p->facts[p->n - 1].from.time;
			if (when.order < p->facts[p->n - 1].from.order)
				when.order = p->facts[p->n - 1].from.order;
		}
		if (array_next(p->facts, p->n, p->room))
			return -ENOMEM;
		p->facts[p->n++] = (struct fact){ when, *mapping, walk };
		all->facts++;
	} while (step(s, &c));
	return 0;
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

bool space_has(const struct space *s, uint64_t start, uint64_t last, const struct mapping *mapping)
{
	struct mapping wanted = *mapping;

	return !each(s, MOMENT_AT(UINT64_MAX), start, last, is_other, &wanted);
}

int space_unmap(struct spaces *all, struct space *s, struct moment from, uint64_t start,
		uint64_t last)
{
	return space_clear(all, s, from, start, last, MAPPING_FREE);
}

int space_clear(struct spaces *all, struct space *s, struct moment from, uint64_t start,
		uint64_t last, uint64_t why)
{
	const struct mapping nothing = { NULL, why };
	struct space_part part = { .last = start - 1 };
	int err;

	if (refuse(all, from))
		return 0;
	/* Most unmapped memory is data without events. */
	do {
		if (!each(s, MOMENT_AT(UINT64_MAX), part.last + 1, last, first_known, &part))
			return 0;
		/* A reason applies only to parts with a module; MAPPING_FREE to all. */
		if (why == MAPPING_FREE)
			part = (struct space_part){ start, last };
		err = set(all, s, from, part.start, part.last, &nothing, false);
	} while (!err && part.last != last);
	return err;
}

struct whole_part {
	struct mapping mapping;
	uint64_t last;
};

static int first_part(void *arg, uint64_t start, uint64_t last, const struct mapping *mapping)
{
	struct whole_part *part = arg;

	(void)start;
	part->mapping = *mapping;
	part->last = last;
	return 1;
}

struct mapping space_part(const struct space *s, uint64_t start, uint64_t last, uint64_t *end)
{
	struct whole_part part = { { NULL, 0 }, last };

	each(s, MOMENT_AT(UINT64_MAX), start, last, first_part, &part);
	*end = part.last;
	return part.mapping;
}

bool space_reused(const struct space *s, uint64_t address, uint64_t from, uint64_t to)
{
	const struct fact *f, *end;
	const struct piece *p;
	struct cursor c;
	uint32_t seen = 0;

	if (!locate(s, address, &c))
		return false;
	p = piece_of(s, c);
	if (!p->n)
		return false;
	f = fact_at(p, MOMENT_AT(from));
	end = p->facts + p->n;
	for (f = f ? f : p->facts; f < end && f->from.time <= to; f++)
		seen += f->mapping.module != NULL;
	return seen > 1;
}

struct copy {
	struct spaces *all;
	struct space *to;
};

static int copy_part(void *arg, uint64_t start, uint64_t last, const struct mapping *mapping)
{
	struct copy *copy = arg;

	if (!mapping->module)
		return 0;
	/* Later than MOMENT_START: the time before the fork is unknown. */
	return set(copy->all, copy->to, (struct moment){ 0, 1 }, start, last, mapping, false);
}

struct space *space_fork(struct spaces *all, struct space *parent, struct moment at)
{
	struct space *s = space_new(all);

	if (!s || !parent || refuse(all, at))
		return s;
	/* Layers without facts of their own are left out (unless a walk may still add some). */
	while (parent->parent && !parent->n_chunks && parent->parent->n_chunks) {
		at = parent->forked;
		parent = parent->parent;
	}
	if (parent->depth + 1 < MAX_LAYERS) {
		s->parent = parent;
		s->forked = at;
		s->depth = parent->depth + 1;
	} else {
		struct copy copy = { all, s };

		if (each(parent, at, 0, UINT64_MAX, copy_part, &copy))
			return NULL;
	}
	return s;
}

struct mapping space_find(struct spaces *all, struct space *s, struct moment at, uint64_t address)
{
	struct mapping walked = { NULL, 0 }, result;
	uint64_t low = 0, last = UINT64_MAX, from = 0, to = UINT64_MAX;
	bool sample = at.order == UINT32_MAX, known = !all->full || at.time < all->since;
	const struct space *layer;
	struct moment when = at;

	if (!known) {
		low = last = address;
		from = all->since;
	} else if (all->full) {
		to = all->since;
	}
	for (layer = s; known && layer; when = layer->forked, layer = layer->parent) {
		const struct piece *p = NULL;
		const struct fact *f = NULL;
		struct cursor c;

		if (locate(layer, address, &c)) {
			uint64_t end = last_of(layer, c);

			p = piece_of(layer, c);
			f = fact_at(p, when);
			if (p->start > low)
				low = p->start;
			if (end < last)
				last = end;
		} else if (layer->n_chunks && layer->chunks[0]->pieces[0].start <= last) {
			last = layer->chunks[0]->pieces[0].start - 1;
		}
		if (layer == s && p && p->n) {
			const struct fact *next = f ? f + 1 : p->facts;

			if (f)
				from = f->from.time;
			if (next < p->facts + p->n && next->from.time < to)
				to = next->from.time;
		}
		if (f) {
			result = f->mapping;
			goto out;
		}
		if (p && p->n && p->facts[0].walk && !walked.module)
			walked = p->facts[0].mapping;
	}
	result = walked;
out:
	if (sample) {
		s->hit.low = low;
		s->hit.last = last;
		s->hit.from = from;
		s->hit.to = to;
		s->hit.mapping = result;
		s->hit.change = all->change;
	}
	return result;
}

bool space_next(const struct space *s, uint64_t address, struct moment *at, struct mapping *mapping)
{
	const struct piece *p;
	const struct fact *f;
	struct cursor c;

	if (!locate(s, address, &c))
		return false;
	p = piece_of(s, c);
	if (!p->n)
		return false;
	f = fact_at(p, *at);
	f = f ? f + 1 : p->facts;
	if (f == p->facts + p->n)
		return false;
	*at = f->from;
	*mapping = f->mapping;
	return true;
}

/* Visits the facts of a layer up to a moment; `to`: the end of the last of them. */
static void layer_history(const struct space *s, uint64_t address, struct moment until, uint64_t to,
			  bool inherited, void (*take)(void *arg, const struct space_fact *fact),
			  void *arg)
{
	const struct piece *p = NULL;
	struct cursor c;
	uint32_t i, n = 0;

	if (locate(s, address, &c)) {
		const struct fact *last;

		p = piece_of(s, c);
		last = fact_at(p, until);
		n = last ? (uint32_t)(last - p->facts) + 1 : 0;
	}
	if (s->parent)
		layer_history(s->parent, address, s->forked, n ? p->facts[0].from.time : to, true,
			      take, arg);
	for (i = 0; i < n; i++) {
		const struct space_fact fact = {
			.from = p->facts[i].from,
			.start = p->start,
			.last = last_of(s, c),
			.to = i + 1 < n ? p->facts[i + 1].from.time : to,
			.mapping = p->facts[i].mapping,
			.walk = p->facts[i].walk,
			.inherited = inherited,
		};

		take(arg, &fact);
	}
}

void space_history(const struct space *s, uint64_t address,
		   void (*take)(void *arg, const struct space_fact *fact), void *arg)
{
	layer_history(s, address, MOMENT_AT(UINT64_MAX), UINT64_MAX, false, take, arg);
}

void spaces_free(struct spaces *all)
{
	struct space *s = all->first;

	while (s) {
		struct space *next = s->next;
		uint32_t i, k;

		for (i = 0; i < s->n_chunks; i++) {
			for (k = 0; k < s->chunks[i]->n; k++)
				free(s->chunks[i]->pieces[k].facts);
			free(s->chunks[i]);
		}
		free(s->chunks);
		free(s->starts);
		free(s);
		s = next;
	}
	*all = (struct spaces){ 0 };
}
