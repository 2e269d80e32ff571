/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "call_room.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define DEEPEST     131072
#define NODES       (1u << 22)
#define TABLE_FIRST 64
#define MORE        (1u << 20)

/* Initial size of an area in bytes: the largest page size of an ARM kernel. */
#define FIRST ((size_t)1 << 16)

/*
 * The accessible and the inaccessible part of an area are two kernel mappings, and a process may
 * have 65,530 (vm.max_map_count). Beyond this number of trees at a time, each is a single mapping.
 */
#define PARTED 2000

/* If the limit of locked memory is less than a tree's reservation, reserves smaller trees: 1/8 at a
 * time. */
#define LESS_MOST 12
#define LESS      3

static atomic_uint parted;

/* The layout of the reserved memory. Hash tables are adjacent, each twice as large as the last. */
struct call_layout {
	size_t minimum, spread, size;
	struct call_area area[CALL_AREAS];
};

static size_t whole(size_t size)
{
	return (size + FIRST - 1) & ~(FIRST - 1);
}

static size_t part(size_t *at, size_t n, size_t size)
{
	size_t start = *at;

	*at += whole(n * size);
	return start;
}

static struct call_area area(size_t *at, size_t n, size_t size)
{
	size_t from = part(at, n, size);

	return (struct call_area){ from, FIRST, *at - from };
}

static struct call_layout layout(uint32_t metrics, unsigned int less)
{
	size_t nodes = (NODES >> less) + 1, at = 0;
	struct call_layout l;

	part(&at, 1, sizeof(struct call_thread));
	l.minimum = part(&at, (size_t)SEQUENCES * metrics, sizeof(uint64_t));
	l.spread = part(&at, (size_t)SEQUENCES * metrics, sizeof(struct value_spread));
	l.area[AREA_FRAMES] = area(&at, DEEPEST + 1, sizeof(struct call_frame));
	l.area[AREA_MORE] = area(&at, MORE >> less, sizeof(struct call_more));
	l.area[AREA_TABLE] = area(&at, 4 * (size_t)(NODES >> less), sizeof(uint32_t));
	l.area[AREA_NODES] = area(&at, nodes, sizeof(struct call_node));
	l.area[AREA_RAW] = area(&at, nodes * metrics, sizeof(uint64_t));
	l.size = at;
	return l;
}

/* ---- growing --------------------------------------------------------------------------------- */

/* Preserves errno, which the interrupted code may read next. */
static bool may_access(struct call_thread *t, size_t from, size_t size)
{
	int before = errno, rc = 0;

	if (size)
		rc = mprotect((char *)t->memory + from, size, PROT_READ | PROT_WRITE);
	errno = before;
	return !rc;
}

static bool grow(struct call_thread *t, enum call_area_of which, size_t need)
{
	struct call_area *a = &t->area[which];
	size_t want = a->have;

	while (want < need && want < a->most)
		want = 2 * want < a->most ? 2 * want : a->most;
	if (want < need || !may_access(t, a->from + a->have, want - a->have))
		return false;
	a->have = want;
	return true;
}

static size_t fit(const struct call_thread *t, enum call_area_of which, size_t size)
{
	return t->area[which].have / size;
}

static size_t values_of(const struct call_thread *t)
{
	return t->metrics * sizeof(*t->raw);
}

/* The last node is reserved for calls that do not fit. */
static void set_room(struct call_thread *t)
{
	size_t nodes = fit(t, AREA_NODES, sizeof(*t->nodes)), raw = fit(t, AREA_RAW, values_of(t));

	nodes = nodes < raw ? nodes : raw;
	nodes = nodes <= t->most_nodes ? nodes : (size_t)t->most_nodes + 1;
	t->room = t->beyond = (uint32_t)nodes - 1;
	t->nodes[t->beyond].type = TYPE_OTHER;
	t->nodes[t->beyond].method = NO_METHOD;
}

/* Fails if the owner has reduced the limit, or calls have already exceeded it. */
bool call_room_nodes(struct call_thread *t)
{
	size_t nodes = 2 * ((size_t)t->beyond + 1), most = (size_t)t->most_nodes + 1;

	nodes = nodes < most ? nodes : most;
	if (t->room != t->beyond || t->too_many || t->beyond == t->most_nodes ||
	    !grow(t, AREA_RAW, nodes * values_of(t)) ||
	    !grow(t, AREA_NODES, nodes * sizeof(*t->nodes)))
		return false;
	set_room(t);
	return true;
}

bool call_room_more(struct call_thread *t)
{
	if (!grow(t, AREA_MORE, t->area[AREA_MORE].have + 1))
		return false;
	t->more_room = (uint32_t)fit(t, AREA_MORE, sizeof(*t->more));
	return true;
}

bool call_room_table(struct call_thread *t)
{
	size_t size = 2 * (size_t)t->table_size * sizeof(*t->table), at = t->table_at;

	if (!grow(t, AREA_TABLE, at + size - t->area[AREA_TABLE].from))
		return false;
	t->table = (uint32_t *)((char *)t->memory + at);
	t->table_at = at + size;
	t->table_size *= 2;
	return true;
}

static void set_levels(struct call_thread *t, uint32_t ready)
{
	t->levels = ready < t->most_levels ? ready : t->most_levels;
}

/* The frame before the first one is not counted. */
static uint32_t frames_of(const struct call_thread *t)
{
	size_t n = fit(t, AREA_FRAMES, sizeof(*t->frames)) - 1;

	return n < DEEPEST ? (uint32_t)n : DEEPEST;
}

/* An event computes its frame's address before it requests more: one frame is always spare. */
void call_room_frames(struct call_thread *t)
{
	if (t->levels >= t->most_levels || t->deepest != frames_of(t))
		return;
	if (t->deepest < DEEPEST && grow(t, AREA_FRAMES, t->area[AREA_FRAMES].have + 1)) {
		t->deepest = frames_of(t);
		set_levels(t, t->deepest < DEEPEST ? t->deepest - 1 : DEEPEST);
	} else {
		set_levels(t, t->deepest);
	}
}

void call_thread_levels(struct call_thread *t, uint32_t levels)
{
	t->most_levels = levels < DEEPEST ? levels : DEEPEST;
	set_levels(t, t->levels);
}

/* ---- the tree -------------------------------------------------------------------------------- */

/* Sets up the tree with only the thread's node. */
static void begin_tree(struct call_thread *t)
{
	t->more_used = 1;
	t->table_at = t->area[AREA_TABLE].from;
	t->table = (uint32_t *)((char *)t->memory + t->table_at);
	t->table_size = TABLE_FIRST;
	t->table_at += TABLE_FIRST * sizeof(*t->table);
	t->used = 1;
	set_room(t);
	t->nodes[0].type = TYPE_OTHER;
	t->nodes[0].method = NO_METHOD;
	t->sequence = sequence(TYPE_OTHER, EVENT_ENTER, TYPE_OTHER, EVENT_ENTER, TYPE_OTHER);
	for (uint32_t i = 0; i < CALL_METRICS; i++)
		t->place[i] = &t->no_place;
}

static char *reserve(struct call_layout *l, uint32_t metrics)
{
	char *m = MAP_FAILED;

	for (unsigned int less = 0; less <= LESS_MOST && m == MAP_FAILED; less += LESS) {
		*l = layout(metrics, less);
		m = mmap(NULL, l->size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1,
			 0);
	}
	return m;
}

/* Makes the initial part of each area accessible. false: no memory. */
static bool open_parts(struct call_thread *t, char *m, const struct call_layout *l)
{
	bool good = !mprotect(m, l->area[0].from + l->area[0].have, PROT_READ | PROT_WRITE);

	for (int i = 1; good && i < CALL_AREAS; i++)
		good = !mprotect(m + l->area[i].from, l->area[i].have, PROT_READ | PROT_WRITE);
	if (good)
		memcpy(t->area, l->area, sizeof(t->area));
	return good;
}

static bool open_all(struct call_thread *t, char *m, const struct call_layout *l)
{
	if (mprotect(m, l->size, PROT_READ | PROT_WRITE))
		return false;
	memcpy(t->area, l->area, sizeof(t->area));
	for (int i = 0; i < CALL_AREAS; i++)
		t->area[i].have = t->area[i].most;
	return true;
}

struct call_thread *call_thread_new(uint32_t metrics)
{
	bool in_parts = atomic_fetch_add(&parted, 1) < PARTED;
	struct call_layout l;
	char *m = reserve(&l, metrics);
	struct call_thread *t = (struct call_thread *)m;

	if (!in_parts)
		atomic_fetch_sub(&parted, 1);
	if (m == MAP_FAILED || !(in_parts ? open_parts : open_all)(t, m, &l)) {
		if (m != MAP_FAILED)
			munmap(m, l.size);
		if (in_parts)
			atomic_fetch_sub(&parted, 1);
		return NULL;
	}
	t->in_parts = in_parts;
	t->memory = m;
	t->size = l.size;
	t->metrics = metrics;
	t->minimum = (uint64_t *)(m + l.minimum);
	t->spread = (struct value_spread *)(m + l.spread);
	t->frames = (struct call_frame *)(m + l.area[AREA_FRAMES].from);
	t->more = (struct call_more *)(m + l.area[AREA_MORE].from);
	t->nodes = (struct call_node *)(m + l.area[AREA_NODES].from);
	t->raw = (uint64_t *)(m + l.area[AREA_RAW].from);
	t->more_room = (uint32_t)fit(t, AREA_MORE, sizeof(*t->more));
	t->most_nodes = (uint32_t)(t->area[AREA_NODES].most / sizeof(*t->nodes)) - 1;
	t->most_levels = DEEPEST;
	t->deepest = frames_of(t);
	set_levels(t, t->deepest < DEEPEST ? t->deepest - 1 : DEEPEST);
	t->frames++->method = NO_METHOD;
	begin_tree(t);
	return t;
}

/* madvise() fails for locked memory, which is then zeroed. */
static void empty_memory(struct call_thread *t)
{
	char *m = t->memory, *from = (char *)t->spread;

	if (!madvise(from, t->size - (size_t)(from - m), MADV_DONTNEED))
		return;
	memset(from, 0, t->area[0].from - (size_t)(from - m));
	for (int i = 0; i < CALL_AREAS; i++)
		memset(m + t->area[i].from, 0, t->area[i].have);
}

void call_empty(struct call_thread *t)
{
	empty_memory(t);
	t->frames[-1].method = NO_METHOD;
	t->entries = t->exits = 0;
	t->too_deep = t->too_many = t->uncounted = t->unknown = t->backwards = 0;
	begin_tree(t);
	call_end_all(t);
	t->unwinds = 0;
	t->popped = 0;
}

/* A thread that has ended is a copy on the heap (call_ended()). */
void call_thread_free(struct call_thread *t)
{
	if (!t->memory) {
		free(t);
		return;
	}
	if (t->in_parts)
		atomic_fetch_sub(&parted, 1);
	munmap(t->memory, t->size);
}
