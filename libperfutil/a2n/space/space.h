/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A timeline of one address space: which module was mapped at an address at a time. A child of
 * fork is a layer on its parent's space as that was at the fork; what the child does itself lies on
 * top. The kernel's memory is such a space too.
 */
#ifndef A2N_SPACE_H
#define A2N_SPACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct module;

/* Of two events at one time the one told later is the later one. */
struct moment {
	uint64_t time;
	uint32_t order;
};

#define MOMENT_START	((struct moment){ 0, 0 })
#define MOMENT_AT(t)	((struct moment){ (t), UINT32_MAX })

/* The address in the module's terms is address + delta. A NULL module is nobody: with delta
 * MAPPING_FREE it is known that nothing was there, with 0 nothing is known, with more it is known
 * why nobody has it any more. */
struct mapping {
	struct module *module;
	uint64_t delta;
};

#define MAPPING_FREE	1

struct fact;
struct chunk;

struct space {
	struct space *parent;		/* what no fact of ours covers is there, as of `forked` */
	struct moment forked;
	unsigned int depth;		/* layers below */
	bool event_first;		/* the first mapping was an event, not a walk's */

	struct chunk **chunks;		/* pieces in the order of addresses */
	uint64_t *starts;		/* of each chunk: looked through instead of them */
	uint32_t n_chunks, room, room_starts;

	struct {			/* the rectangle hit last */
		uint64_t low, last, from, to;
		struct mapping mapping;
		uint64_t change;	/* 0: none */
	} hit;

	struct spaces *all;
	struct space *next;		/* of all spaces */
};

/* All spaces of an a2n. */
struct spaces {
	struct space *first;
	uint64_t change;		/* grows with each change, before the first fact */
	uint64_t changes;			/* calls of space_map, _unmap, _clear and _fork */
	uint64_t facts, steps;		/* … and what they cost; a hostile file's cost more, … */
	bool full;			/* … and are not followed any more, … */
	uint64_t since;			/* … so that nothing is known from then on */
};

struct space *space_new(struct spaces *all);
/* A copy of parent as it is at that moment (parent may be NULL). */
struct space *space_fork(struct spaces *all, struct space *parent, struct moment at);
/* Nothing was ever known here. */
bool space_blank(const struct space *s);

/* [start, last] belongs to this module from then on; a NULL module: to nobody. walk: it held
 * already before, wherever nothing else was known. 0 or -ENOMEM. */
int space_map(struct spaces *all, struct space *s, struct moment from, uint64_t start,
	      uint64_t last, const struct mapping *mapping, bool walk);
int space_unmap(struct spaces *all, struct space *s, struct moment from, uint64_t start,
		uint64_t last);

/* The same for whatever of it somebody has; `why` goes to the delta of what is nobody's now. */
int space_clear(struct spaces *all, struct space *s, struct moment from, uint64_t start,
		uint64_t last, uint64_t why);
/* All of it has this mapping now. */
bool space_has(const struct space *s, uint64_t start, uint64_t last, const struct mapping *mapping);

/* What is at `start` now, and how far that goes, at most to `last`. */
struct mapping space_part(const struct space *s, uint64_t start, uint64_t last, uint64_t *end);
/* More than one mapping was there between these times. */
bool space_reused(const struct space *s, uint64_t address, uint64_t from, uint64_t to);

/* What was there; a NULL module: nothing. MOMENT_START: what walks say of the time before. */
struct mapping space_find(struct spaces *all, struct space *s, struct moment at, uint64_t address);
/* The same at a sample's time, fast. */
static inline struct mapping space_at(struct spaces *all, struct space *s, uint64_t time,
				      uint64_t address)
{
	if (s->hit.change == all->change && address >= s->hit.low && address <= s->hit.last &&
	    time >= s->hit.from && time < s->hit.to)
		return s->hit.mapping;
	return space_find(all, s, MOMENT_AT(time), address);
}

/* The next change after *at of what is there, of this space's own: when, and what is there then. */
bool space_next(const struct space *s, uint64_t address, struct moment *at,
		struct mapping *mapping);

/* What was there one after the other: this space's own, before it (inherited) what its parents had
 * by the time of the fork. */
struct space_fact {
	struct moment from;
	uint64_t to;
	uint64_t start, last;		/* of addresses that have the same history in that space */
	struct mapping mapping;
	bool walk, inherited;
};
void space_history(const struct space *s, uint64_t address,
		   void (*take)(void *arg, const struct space_fact *fact), void *arg);

static inline bool spaces_full(const struct spaces *all, uint64_t *since)
{
	*since = all->since;
	return all->full;
}

void spaces_free(struct spaces *all);

#endif
