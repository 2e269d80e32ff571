/* SPDX-License-Identifier: GPL-3.0-or-later */
/* HotSpot's object layouts and placement of fields, and how distances select among them. */
#include "sizes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Padding: a VM's own fields, which are not in dumps, and space before and after contended fields.
 * With few objects of a class, a dead object may follow each: then only a word counts, and
 * contended padding in the packages that have it (JDK 17 to 25). */
#define PADDING_MOST 320
#define PADDING      128 /* -XX:ContendedPaddingWidth: before each group, and at the end */
#define GROUPS_MOST  4
#define WORD         8
#define FEW_OBJECTS  4

static const struct object_layout layouts[LAYOUTS] = {
	{ 12, 16, 4 }, /* compressed references and class pointers: most VMs */
	{ 12, 16, 8 }, /* only compressed class pointers: heaps from 32 GB, ZGC */
	{ 16, 24, 8 }, /* neither */
	{ 16, 20, 8 }, /* the same since JDK 23 */
	{ 16, 24, 4 }, /* only compressed references */
	{ 16, 20, 4 }, /* the same since JDK 23 */
	{ 8, 12, 4 },  /* compact headers; and 32-bit VMs */
	{ 8, 12, 8 },
};

/* `to` is a power of two. */
static uint64_t up(uint64_t v, uint64_t to)
{
	return (v + to - 1) & ~(to - 1);
}

static uint64_t array_size(const struct object_layout *l, uint8_t align, unsigned int each,
			   uint64_t count)
{
	return up(up(l->array, each < 4 ? 4 : each) + count * each, align);
}

static unsigned int size_of(const struct class_sizes *s, const struct object_layout *l,
			    uint8_t type)
{
	const struct hprof h = { .id_size = s->id_size };

	return type == HPROF_REF ? l->ref : hprof_size(&h, type);
}

void sizes_begin(struct class_sizes *s, uint8_t id_size, uint64_t all_ids)
{
	*s = (struct class_sizes){ .id_size = id_size, .align = all_ids & 8 ? 8 : 16 };
	if (all_ids & 7 || !all_ids)
		s->align = 8;
}

void sizes_array(struct class_sizes *s, uint8_t type, uint32_t count, uint64_t gap)
{
	const unsigned int each = size_of(s, &layouts[0], type);

	s->asked++;
	for (int i = 0; i < LAYOUTS; i++)
		s->fits[i] += gap == array_size(&layouts[i], s->align,
						type == HPROF_REF ? layouts[i].ref : each, count);
}

void sizes_instance(struct heap_class *k, uint64_t gap)
{
	if (!gap || gap > UINT32_MAX)
		return;
	if (!k->gaps || gap < k->gap) {
		k->gap = (uint32_t)gap;
		k->gaps = 0;
	}
	k->gaps++;
}

uint64_t sizes_of_array(const struct class_sizes *s, uint8_t type, uint32_t count)
{
	return array_size(&s->layout, s->align, size_of(s, &s->layout, type), count);
}

/* ---- instances ------------------------------------------------------------------------------- */

/* Free space for fields: after the header, and between a super's fields. */
struct size_room {
	uint32_t at, size;
};
#define ROOMS 64

struct plan {
	struct size_room room[ROOMS];
	unsigned int n;
	uint32_t end;
};

/* Places a field in the smallest free space that is large enough, or at the end. */
static void place(struct plan *p, uint32_t size)
{
	unsigned int best = ROOMS;
	uint32_t at, left;

	for (unsigned int i = 0; i < p->n; i++) {
		at = (uint32_t)up(p->room[i].at, size);
		if (at + size <= p->room[i].at + p->room[i].size &&
		    (best == ROOMS || p->room[i].size < p->room[best].size))
			best = i;
	}
	if (best == ROOMS) {
		at = (uint32_t)up(p->end, size);
		if (at > p->end && p->n < ROOMS)
			p->room[p->n++] = (struct size_room){ p->end, at - p->end };
		p->end = at + size;
		return;
	}
	at = (uint32_t)up(p->room[best].at, size);
	left = p->room[best].at + p->room[best].size - at - size;
	if (at > p->room[best].at) {
		p->room[best].size = at - p->room[best].at;
		if (left && p->n < ROOMS)
			p->room[p->n++] = (struct size_room){ at + size, left };
	} else if (left) {
		p->room[best] = (struct size_room){ at + size, left };
	} else {
		p->room[best] = p->room[--p->n];
	}
}

/* Places larger values first and references last, as HotSpot does since JDK 15. */
static void place_fields(struct plan *p, const struct class_sizes *s, const struct heap_class *k)
{
	for (uint32_t size = 8; size; size /= 2)
		for (uint32_t i = 0; i < k->field_count; i++)
			if (k->fields[i].type != HPROF_REF &&
			    size_of(s, &s->layout, k->fields[i].type) == size)
				place(p, size);
	for (uint32_t i = 0; i < k->field_count; i++)
		if (k->fields[i].type == HPROF_REF)
			place(p, s->layout.ref);
}

/* Returns the size by HotSpot's placement, with the known padding of the class and its supers. */
static uint64_t planned(const struct class_sizes *s, const struct classes *c, uint32_t index)
{
	struct plan p = { .end = s->layout.head };
	uint32_t chain[1024], n = 0;

	for (; index != NO_CLASS && n < 1024; index = c->list[index].super)
		chain[n++] = index;
	while (n) {
		const struct heap_class *k = &c->list[chain[--n]];

		place_fields(&p, s, k);
		p.end += k->padding;
	}
	return up(p.end, s->align);
}

static void choose(struct class_sizes *s, bool low)
{
	unsigned int best = s->id_size == 4 ? 6 : low ? 0 : 1;

	for (unsigned int i = 0; s->id_size == 8 && i < LAYOUTS; i++)
		if (s->fits[i] > s->fits[best] && s->fits[i] >= 8)
			best = i;
	s->layout = layouts[best];
	/* From here on, fits[0] is the number of arrays that fit the chosen layout. */
	s->fits[0] = s->fits[best];
}

static bool has_contended(const struct heap_class *k)
{
	static const char package[] = "java.util.concurrent.";

	return k->field_count && k->name &&
	       (!strcmp(k->name, "java.lang.Thread") ||
		!strncmp(k->name, package, sizeof(package) - 1));
}

/* Whether it is padding of contended fields: multiples of PADDING bytes, rounded to words. */
static bool is_contended(const struct heap_class *k, uint64_t more)
{
	return has_contended(k) && (more + WORD) % PADDING <= 2 * WORD &&
	       more >= 2 * PADDING - WORD && more <= (GROUPS_MOST + 1) * PADDING + WORD;
}

/* Whether the space between the planned end and the next object is the class's, not a dead
 * object. */
static bool is_padding(const struct class_sizes *s, const struct heap_class *k, uint64_t more)
{
	if (is_contended(k, more))
		return true;
	return more <= (k->gaps < FEW_OBJECTS ? s->align : PADDING_MOST);
}

static void size_class(struct class_sizes *s, struct classes *c, uint32_t index, bool dense)
{
	struct heap_class *k = &c->list[index];
	uint64_t size = planned(s, c, index);

	/* Objects do not overlap; if they are adjacent, the least distance is the size. */
	if (k->gaps && k->gap < size) {
		size = k->gap;
	} else if (k->gaps && dense && is_padding(s, k, k->gap - size)) {
		k->padding = (uint16_t)(k->gap - size);
		size = k->gap;
	}
	k->size = (uint32_t)size;
}

int sizes_finish(struct class_sizes *s, struct classes *c, bool low)
{
	uint32_t chain[1024];
	bool dense;

	choose(s, low);
	dense = s->asked && s->fits[0] >= s->asked / 10 * 8;
	/* Supers first: their padding is also part of subclasses. */
	for (uint32_t i = 0; i < c->count; i++) {
		uint32_t n = 0;

		for (uint32_t at = i; at != NO_CLASS && n < 1024 && !c->list[at].size;
		     at = c->list[at].super)
			chain[n++] = at;
		while (n)
			size_class(s, c, chain[--n], dense);
	}
	return 0;
}

uint64_t sizes_of_class(const struct class_sizes *s, const struct classes *c,
			const struct heap_class *k, uint64_t gap)
{
	const struct heap_class *of = &c->list[c->of_class];
	uint64_t size = of->size + (uint64_t)k->static_refs * s->layout.ref;

	/* References come first; the gap after them is not filled. */
	if (k->static_longs)
		size = up(size, 8);
	size = up(size + k->statics, s->align);
	/* A class that is not linked has only its name in the dump. */
	if (!k->dumped)
		return gap > size && gap <= size + 4096 ? gap : size;
	/* Objects do not overlap. */
	return gap && gap < size ? gap : size;
}
