/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A timeline of one address space: which module was mapped at an address at a time. A child of fork
 * is a layer on top of its parent's space at the time of the fork; its own changes are in that
 * layer. The kernel's memory is also a space.
 */
#ifndef A2N_SPACE_H
#define A2N_SPACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct module;

/* A point of the timeline. Events at the same time are ordered by when they were added. */
struct moment {
	uint64_t time;
	uint32_t order;
};

#define MOMENT_START ((struct moment){ 0, 0 })
#define MOMENT_AT(t) ((struct moment){ (t), UINT32_MAX })

static inline bool moment_not_after(struct moment a, struct moment b)
{
	return a.time < b.time || (a.time == b.time && a.order <= b.order);
}

/* The module's own address is address + delta. Without a module (NULL): delta MAPPING_FREE: known
 * to be unmapped; 0: unknown; other values: the reason why it was freed. */
struct mapping {
	struct module *module;
	uint64_t delta;
};

#define MAPPING_FREE 1

struct space_node;
struct space_past;

struct space {
	struct space *parent; /* below the facts of this layer, at the time `forked` */
	struct moment forked;
	unsigned int depth; /* number of layers below */
	bool event_first;   /* the first mapping came from an event, not from a walk */

	uint32_t id, facts;      /* number of its own facts */
	struct space_node *now;  /* the complete present state, including inherited facts */
	struct space_node *base; /* instead of a parent: the state at the fork */
	struct space_past *past; /* its own facts that are no longer valid; NULL: none */
	struct moment latest;    /* latest time of its facts */
	struct moment last_fork; /* last time that it was forked */
	uint32_t late;           /* facts added after a fork but valid before it */
	uint32_t late_seen;      /* those of its parents that `now` includes */

	struct { /* cache of the last result */
		uint64_t low, last, from, to;
		struct mapping mapping;
		uint64_t change; /* 0: none */
	} hit;

	struct spaces *all;
	struct space *next; /* list of all spaces */
};

/* State of all spaces of an a2n. */
struct spaces {
	struct space *first;
	uint32_t count;
	uint64_t change;  /* incremented with each change; 0 only before the first fact */
	uint64_t changes; /* calls of space_map, _unmap, _clear and _fork */
	/* … and their cost; if a malicious file exceeds the limit, … */
	uint64_t facts, steps;
	bool full;      /* … further events are ignored, … */
	uint64_t since; /* … and nothing is known after this time */
};

struct space *space_new(struct spaces *all);
/* Creates a copy of parent at that moment (parent may be NULL). */
struct space *space_fork(struct spaces *all, struct space *parent, struct moment at);
/* Checks for a space without facts. */
bool space_blank(const struct space *s);

/* Maps [start, last] to this module from then on; a NULL module: unmaps it. walk: also before,
 * where nothing else was known. 0 or -ENOMEM. */
int space_map(struct spaces *all, struct space *s, struct moment from, uint64_t start,
	      uint64_t last, const struct mapping *mapping, bool walk);
int space_unmap(struct spaces *all, struct space *s, struct moment from, uint64_t start,
		uint64_t last);

/* Unmaps the parts that have a module; `why` becomes their delta. */
int space_clear(struct spaces *all, struct space *s, struct moment from, uint64_t start,
		uint64_t last, uint64_t why);
/* Checks whether the whole range has this mapping now. */
bool space_has(struct space *s, uint64_t start, uint64_t last, const struct mapping *mapping);

/* Returns the mapping at `start` now, and its end, at most `last`. */
struct mapping space_part(struct space *s, uint64_t start, uint64_t last, uint64_t *end);
/* Checks whether there was more than one mapping between these times. */
bool space_reused(struct space *s, uint64_t address, uint64_t from, uint64_t to);

/* Returns the mapping at that moment; a NULL module: none. MOMENT_START: what walks found for the
 * time before. */
struct mapping space_find(struct spaces *all, struct space *s, struct moment at, uint64_t address);
/* The same at a sample's time, with a cache. */
static inline struct mapping space_at(struct spaces *all, struct space *s, uint64_t time,
				      uint64_t address)
{
	if (s->hit.change == all->change && address >= s->hit.low && address <= s->hit.last &&
	    time >= s->hit.from && time < s->hit.to)
		return s->hit.mapping;
	return space_find(all, s, MOMENT_AT(time), address);
}

/* Finds the next change after *at in this space itself: its time, and the new mapping. */
bool space_next(struct space *s, uint64_t address, struct moment *at, struct mapping *mapping);

/* Visits the mappings of an address in sequence: this space's own facts, preceded by (inherited)
 * those of its parents up to the fork. */
struct space_fact {
	struct moment from;
	uint64_t to;
	uint64_t start, last; /* range of this mapping */
	struct mapping mapping;
	bool walk, inherited;
};
void space_history(struct space *s, uint64_t address,
		   void (*take)(void *arg, const struct space_fact *fact), void *arg);

static inline bool spaces_full(const struct spaces *all, uint64_t *since)
{
	*since = all->since;
	return all->full;
}

void spaces_free(struct spaces *all);

#endif
