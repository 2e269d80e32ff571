/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Spaces against a model that keeps a list of facts for each address: events in sequence and late,
 * walks, forks of forks, reasons; what was there at any moment, what comes next, and the history.
 * And what must stay small: mappings over mappings, chains of forks, addresses that fall.
 */
#include <stdlib.h>

#include "a2n/space/space.h"
#include "unit.h"

#define CELLS  24
#define SPACES 40
#define FACTS  400
#define LAYERS 8

struct known {
	struct moment from;
	struct mapping mapping;
	bool walk;
};

struct cell {
	struct known facts[FACTS];
	unsigned int n;
};

struct told {
	struct space *space;
	int parent; /* -1: none */
	struct moment forked;
	unsigned int depth;
	struct cell cells[CELLS];
};

static struct spaces all;
static struct told told[SPACES];
static unsigned int spaces;
static uint64_t seed;
static uint32_t order;

static uint32_t any(uint32_t below)
{
	seed = seed * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)((seed >> 33) % below);
}

/* The first cell begins at 0, the last one ends where addresses do. */
static uint64_t start_of(unsigned int cell)
{
	return cell * 0x1000ull;
}

static uint64_t last_of(unsigned int cell)
{
	return cell == CELLS - 1 ? UINT64_MAX : start_of(cell + 1) - 1;
}

static struct mapping module(unsigned int i)
{
	static char modules[8];

	return (struct mapping){ (struct module *)&modules[i % 8], i % 3 };
}

static bool equal(const struct mapping *a, const struct mapping *b)
{
	if (!a->module && !b->module && a->delta <= MAPPING_FREE && b->delta <= MAPPING_FREE)
		return true;
	return a->module == b->module && a->delta == b->delta;
}

static bool not_after(struct moment a, struct moment b)
{
	return a.time < b.time || (a.time == b.time && a.order <= b.order);
}

/* ---- the model ------------------------------------------------------------------------------- */

static const struct known *fact_at(const struct cell *c, struct moment at)
{
	const struct known *found = NULL;

	for (unsigned int i = 0; i < c->n && not_after(c->facts[i].from, at); i++)
		found = &c->facts[i];
	return found;
}

static struct mapping look(int s, unsigned int cell, struct moment at, bool walks)
{
	struct mapping walked = { NULL, 0 };

	for (; s >= 0; at = told[s].forked, s = told[s].parent) {
		const struct cell *c = &told[s].cells[cell];
		const struct known *f = fact_at(c, at);

		if (f)
			return f->mapping;
		if (walks && c->n && c->facts[0].walk && !walked.module)
			walked = c->facts[0].mapping;
	}
	return walked;
}

static struct mapping present(int s, unsigned int cell)
{
	return look(s, cell, MOMENT_AT(UINT64_MAX), false);
}

static void add(int s, unsigned int cell, struct moment from, const struct mapping *mapping,
		bool walk)
{
	struct cell *c = &told[s].cells[cell];

	CU_ASSERT_FATAL(c->n < FACTS);
	if (c->n && !not_after(c->facts[c->n - 1].from, from)) {
		const struct moment before = c->facts[c->n - 1].from;

		from.time = before.time;
		if (from.order < before.order)
			from.order = before.order;
	}
	c->facts[c->n++] = (struct known){ from, *mapping, walk };
}

static void set(int s, unsigned int first, unsigned int last, struct moment from,
		const struct mapping *mapping, bool walk)
{
	unsigned int same = 0;

	for (unsigned int c = first; c <= last; c++) {
		const struct mapping there = present(s, c);

		same += equal(&there, mapping);
	}
	for (unsigned int c = first; c <= last && same <= last - first; c++)
		add(s, c, from, mapping, walk);
}

static void clear(int s, unsigned int first, unsigned int last, struct moment from, uint64_t why)
{
	const struct mapping nothing = { NULL, why };
	bool some = false;

	for (unsigned int c = first; c <= last; c++) {
		const struct mapping there = present(s, c);

		some |= there.module || there.delta > MAPPING_FREE;
	}
	for (unsigned int c = first; c <= last && some; c++) {
		const struct mapping there = present(s, c);

		if (why == MAPPING_FREE || there.module || there.delta > MAPPING_FREE)
			add(s, c, from, &nothing, false);
	}
}

/* ---- events ---------------------------------------------------------------------------------- */

static void begin(void)
{
	spaces_free(&all);
	memset(told, 0, sizeof(told));
	order = 0;
	spaces = 1;
	told[0] = (struct told){ .space = space_new(&all), .parent = -1 };
}

static bool has_facts(int s)
{
	for (unsigned int c = 0; c < CELLS; c++)
		if (told[s].cells[c].n)
			return true;
	return false;
}

/* Layers without facts are left out; a copy is made where there are too many. */
static void fork_of(int parent, struct moment at)
{
	const int s = (int)spaces;
	struct space *space;

	if (spaces == SPACES)
		return;
	space = space_fork(&all, told[parent].space, at);
	CU_ASSERT_PTR_NOT_NULL_FATAL(space);
	while (told[parent].parent >= 0 && !has_facts(parent) && has_facts(told[parent].parent)) {
		at = told[parent].forked;
		parent = told[parent].parent;
	}
	told[s] = (struct told){
		.space = space,
		.parent = parent,
		.forked = at,
		.depth = told[parent].depth + 1,
	};
	spaces++;
	if (told[s].depth < LAYERS)
		return;
	told[s].parent = -1;
	told[s].depth = 0;
	for (unsigned int c = 0; c < CELLS; c++) {
		const struct mapping there = look(parent, c, at, false);

		if (there.module)
			add(s, c, (struct moment){ 0, 1 }, &there, false);
	}
}

static void event(uint64_t time, unsigned int forks, bool late)
{
	const unsigned int s = any(spaces), what = any(100), first = any(CELLS);
	const unsigned int last = first + any(any(3) ? 3 : CELLS);
	const unsigned int to = last < CELLS ? last : CELLS - 1;
	const struct moment at = { late && any(2) ? any((uint32_t)time) : time, ++order };
	const struct mapping m = module(any(12));
	struct space *space = told[s].space;
	const bool walk = !any(4);
	int rc;

	if (what < 60) {
		rc = space_map(&all, space, at, start_of(first), last_of(to), &m, walk);
		set((int)s, first, to, at, &m, walk);
	} else if (what < 80) {
		rc = space_unmap(&all, space, at, start_of(first), last_of(to));
		clear((int)s, first, to, at, MAPPING_FREE);
	} else if (what < 90) {
		rc = space_clear(&all, space, at, start_of(first), last_of(to), 7);
		clear((int)s, first, to, at, 7);
	} else {
		rc = 0;
		if (what < 90 + forks)
			fork_of((int)s, at);
	}
	CU_ASSERT_EQUAL(rc, 0);
}

/* ---- questions ------------------------------------------------------------------------------- */

static unsigned int wrong_at(unsigned int s, uint64_t time)
{
	const unsigned int cell = any(CELLS);
	const struct mapping want = look((int)s, cell, MOMENT_AT(time), true);
	const uint64_t address = any(2) ? start_of(cell) : last_of(cell);
	const struct mapping have = space_at(&all, told[s].space, time, address);

	return !equal(&want, &have) || want.module != have.module;
}

static unsigned int wrong_now(unsigned int s)
{
	const unsigned int cell = any(CELLS);
	const struct mapping want = present((int)s, cell);
	uint64_t end;
	const struct mapping have = space_part(told[s].space, start_of(cell), last_of(cell), &end);

	return !equal(&want, &have) || end != last_of(cell) ||
	       !space_has(told[s].space, start_of(cell), last_of(cell), &want);
}

static unsigned int wrong_next(unsigned int s, uint64_t time)
{
	const unsigned int cell = any(CELLS);
	const struct cell *c = &told[s].cells[cell];
	const struct known *f = fact_at(c, MOMENT_AT(time)), *next = f ? f + 1 : c->facts;
	struct moment at = MOMENT_AT(time);
	struct mapping mapping;
	unsigned int wrong = 0;

	for (const struct known *had = f; next < c->facts + c->n; next++) {
		/* The last one of a moment counts; the same again is no change. */
		if (next + 1 < c->facts + c->n && not_after(next[1].from, next->from))
			continue;
		if (had && equal(&had->mapping, &next->mapping))
			continue;
		had = next;
		if (!space_next(told[s].space, start_of(cell), &at, &mapping))
			return wrong + 1;
		wrong += !equal(&mapping, &next->mapping) || at.time != next->from.time ||
			 at.order != next->from.order;
	}
	return wrong + space_next(told[s].space, start_of(cell), &at, &mapping);
}

struct told_history {
	int s;
	unsigned int cell, facts, wrong;
	uint64_t until;
};

static void see_fact(void *arg, const struct space_fact *f)
{
	struct told_history *h = arg;
	const uint64_t time = f->to ? f->to - 1 : 0;

	h->wrong += f->from.time < h->until || f->to < f->from.time ||
		    f->start > start_of(h->cell) || f->last < last_of(h->cell);
	h->until = f->from.time;
	h->facts++;
	if (!f->inherited && f->to > f->from.time) {
		const struct mapping want = look(h->s, h->cell, MOMENT_AT(time), false);

		h->wrong += !equal(&want, &f->mapping);
	}
}

static unsigned int wrong_history(unsigned int s)
{
	struct told_history h = { .s = (int)s, .cell = any(CELLS) };
	const struct mapping there = present((int)s, h.cell);

	space_history(told[s].space, start_of(h.cell), see_fact, &h);
	return h.wrong + (there.module && !h.facts);
}

static void ask(uint64_t time, unsigned int turns, unsigned int *wrong)
{
	for (unsigned int i = 0; i < turns; i++) {
		const unsigned int s = any(spaces);

		*wrong += wrong_at(s, any(8) ? any((uint32_t)time + 2) : UINT64_MAX);
		*wrong += wrong_now(s);
		*wrong += wrong_next(s, any((uint32_t)time + 2));
	}
}

/* One story; late: events are older than others, of parents too. */
static unsigned int wrong_of(uint64_t story, unsigned int events, unsigned int forks, bool late)
{
	unsigned int wrong = 0;
	uint64_t time = 1;

	begin();
	seed = story;
	for (unsigned int i = 0; i < events; i++) {
		time += any(3) ? any(9) : 0;
		/* Late ones not so deep that a fork is a copy. */
		event(time, late ? spaces < 7 : forks, late);
		ask(time, any(4), &wrong);
	}
	ask(time, 1000, &wrong);
	for (unsigned int i = 0; i < 200 && !late; i++)
		wrong += wrong_history(any(spaces));
	return wrong;
}

static void in_sequence(void)
{
	for (unsigned int turn = 0; turn < 30; turn++)
		CU_ASSERT_EQUAL(wrong_of(turn + 1, 1200, turn % 3, false), 0);
}

static void late(void)
{
	for (unsigned int turn = 0; turn < 30; turn++)
		CU_ASSERT_EQUAL(wrong_of(turn + 101, 800, 0, true), 0);
}

/* ---- growth ---------------------------------------------------------------------------------- */

/* Each covers a sixteenth of all: pieces are not split repeatedly. */
static void maps_over_maps(void)
{
	enum { MAPS = 64000 };
	static uint64_t start[MAPS];
	const uint64_t size = 4 << 20, most = 64 << 20;
	unsigned int wrong = 0;

	begin();
	seed = 3;
	for (unsigned int i = 0; i < MAPS; i++) {
		const struct mapping m = module(i);

		start[i] = (uint64_t)any((uint32_t)((most - size) / 0x1000)) * 0x1000;
		CU_ASSERT_EQUAL(space_map(&all, told[0].space, (struct moment){ i + 1, i },
					  start[i], start[i] + size - 1, &m, false),
				0);
	}
	CU_ASSERT_FALSE(all.full);
	CU_ASSERT(all.facts <= 4u * MAPS);
	for (unsigned int turn = 0; turn < 20000; turn++) {
		const uint64_t address = (uint64_t)any((uint32_t)most);
		const unsigned int time = any(MAPS);
		struct mapping want = { NULL, 0 }, have;

		for (unsigned int i = time + 1; i-- > 0;) {
			if (address < start[i] || address >= start[i] + size)
				continue;
			want = module(i);
			break;
		}
		have = space_at(&all, told[0].space, time + 1, address);
		wrong += !equal(&want, &have);
	}
	CU_ASSERT_EQUAL(wrong, 0);
}

/* Each child maps something and has a child: nothing is copied but what changes. */
static void chain_of_forks(void)
{
	enum { FORKS = 32000, MAPS = 2000 };
	struct space *s;
	unsigned int wrong = 0;

	begin();
	s = told[0].space;
	for (unsigned int i = 0; i < MAPS; i++) {
		const struct mapping m = module(i);

		space_map(&all, s, (struct moment){ 1, i }, 0x10000000 - i * 0x2000,
			  0x10000fff - i * 0x2000, &m, false);
	}
	for (unsigned int i = 0; i < FORKS; i++) {
		const struct mapping m = module(i);
		const uint64_t at = 0x20000000ull + i % 100 * 0x1000;
		struct mapping have;

		s = space_fork(&all, s, (struct moment){ 2 + i, 0 });
		CU_ASSERT_PTR_NOT_NULL_FATAL(s);
		space_map(&all, s, (struct moment){ 2 + i, 1 }, at, at + 0xfff, &m, false);
		have = space_at(&all, s, 2 + i, at);
		wrong += !equal(&have, &m);
		have = space_at(&all, s, 2 + i, 0x10000000 - i % MAPS * 0x2000);
		wrong += have.module != module(i % MAPS).module;
	}
	CU_ASSERT_EQUAL(wrong, 0);
	CU_ASSERT_FALSE(all.full);
	CU_ASSERT(all.steps < 40u * FORKS);
}

/* Where events go back in time, each piece keeps a time of its own: that has a limit, which is
 * told, and from where on nothing is known. */
static void facts_have_a_limit(void)
{
	enum { PIECES = 20000 };
	struct space *s;
	struct mapping have;
	uint64_t since;
	unsigned int i;

	begin();
	s = told[0].space;
	for (i = 0; i < PIECES; i++) {
		const struct mapping m = module(1);

		space_map(&all, s, (struct moment){ 1000 + i, i }, i * 0x1000, i * 0x1000 + 0xfff,
			  &m, false);
	}
	CU_ASSERT_FALSE(spaces_full(&all, &since));
	for (i = 0; i < 1000 && !spaces_full(&all, &since); i++) {
		const struct mapping m = module(2 + i % 2);

		space_map(&all, s, (struct moment){ 100, i }, 0, PIECES * 0x1000 - 1, &m, false);
	}
	CU_ASSERT_TRUE_FATAL(i > 4 && i < 1000);
	CU_ASSERT_EQUAL(since, 100);
	have = space_at(&all, s, 99, 0x1000);
	CU_ASSERT_PTR_NULL(have.module);
	have = space_at(&all, s, 5000, 0x1000);
	CU_ASSERT_PTR_NULL(have.module);
}

/* Nothing is mapped, in many pieces; each look at all of them costs. */
static void steps_have_a_limit(void)
{
	enum { PIECES = 20000 };
	const struct mapping m = { module(1).module, 0 };
	struct space *s;
	struct mapping have;
	uint64_t since;
	unsigned int i;

	begin();
	s = told[0].space;
	for (i = 0; i < PIECES; i++)
		space_map(&all, s, (struct moment){ 1, i }, i * 0x1000, i * 0x1000 + 0xfff, &m,
			  false);
	for (i = 0; i < PIECES; i++)
		space_unmap(&all, s, (struct moment){ 2 + i, 0 }, i * 0x1000, i * 0x1000 + 0xfff);
	CU_ASSERT_FALSE(spaces_full(&all, &since));
	for (i = 0; i < 1u << 20 && !spaces_full(&all, &since); i++)
		space_unmap(&all, s, (struct moment){ 30000 + i, 0 }, 0, PIECES * 0x1000 - 1);
	CU_ASSERT_TRUE_FATAL(i > 4 && i < 1u << 20);
	CU_ASSERT_EQUAL(since, 30000 + i - 1);
	have = space_at(&all, s, 1, 0x1000);
	CU_ASSERT_PTR_EQUAL(have.module, m.module);
	have = space_at(&all, s, since, 0x1000);
	CU_ASSERT_PTR_NULL(have.module);
	/* A fact that is added later for an earlier time uses the space, too. */
	space_map(&all, s, (struct moment){ 5, 0 }, 0, 0xfff, &m, false);
	CU_ASSERT_TRUE(spaces_full(&all, &since));
	CU_ASSERT_EQUAL(since, 5);
}

int main(void)
{
	static const struct unit_test tests[] = {
		{ "in_sequence", in_sequence },
		{ "late", late },
		{ "maps_over_maps", maps_over_maps },
		{ "chain_of_forks", chain_of_forks },
		{ "facts_have_a_limit", facts_have_a_limit },
		{ "steps_have_a_limit", steps_have_a_limit },
		{ NULL, NULL },
	};
	int r = unit_run("space_facts", tests);

	spaces_free(&all);
	return r;
}
