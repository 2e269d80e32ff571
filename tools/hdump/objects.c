/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the objects that retain most, in one walk over all of them. */
#include "objects.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* Returns an object's class name; for an object that is a class (*class), its own name. */
static const char *name_of(const struct heap *h, uint32_t object, uint64_t id, bool *class)
{
	uint32_t of = heap_class_of(h, object), self;

	*class = false;
	if (of != NO_CLASS && of == h->classes.of_class) {
		self = classes_find(&h->classes, id);
		*class = self != NO_CLASS;
		if (*class)
			of = self;
	}
	return of == NO_CLASS ? "(unknown class)" : h->classes.list[of].name;
}

char *object_name(const struct heap *h, uint32_t object)
{
	uint64_t id = ids_of(&h->ids, object);
	const char *name;
	char *text;
	bool class;

	name = name_of(h, object, id, &class);
	return asprintf(&text, "%s%s 0x%" PRIx64, class ? "class " : "", name, id) < 0 ? NULL :
											 text;
}

void object_json(struct json *j, const struct heap *h, uint32_t object)
{
	uint64_t id = ids_of(&h->ids, object);
	const char *name;
	bool class;

	name = name_of(h, object, id, &class);
	json_hex(j, "id", id);
	json_string(j, class ? "of_class" : "class", name);
}

/* ---- the biggest ----------------------------------------------------------------------------- */

struct choice {
	struct big *list;
	uint64_t count, room, most;
	uint64_t least; /* objects that retain less are not among them */
};

static int by_retained(const void *one, const void *other)
{
	const struct big *a = one, *b = other;

	if (a->retained != b->retained)
		return a->retained < b->retained ? 1 : -1;
	return a->object < b->object ? -1 : a->object > b->object;
}

static void cut(struct choice *c)
{
	qsort(c->list, c->count, sizeof(*c->list), by_retained);
	if (c->count < c->most)
		return;
	c->count = c->most;
	c->least = c->list[c->count - 1].retained;
}

static bool offer(struct choice *c, struct big b)
{
	if (b.retained < c->least)
		return true;
	if (array_next(c->list, c->count, c->room))
		return false;
	c->list[c->count++] = b;
	if (c->count / 2 > c->most)
		cut(c);
	return true;
}

struct big *objects_biggest(const struct heap *h, uint64_t most, uint64_t *count)
{
	struct choice c = { .most = most };
	bool good = true;
	uint64_t bytes, own;

	for (uint32_t i = 0; i < h->ids.objects && good; i++) {
		const bool leaf = i >= h->ids.inner;
		uint32_t number = leaf ? 0 : h->dom.number[i];

		if (leaf ? h->leaf_idom[i - h->ids.inner] == NO_OBJECT : number > h->dom.count)
			continue;
		own = heap_bytes_of(h, i);
		bytes = leaf ? own : heap_retained(h, number);
		good = offer(&c, (struct big){ bytes, own, i, number, 0 });
	}
	if (!good) {
		free(c.list);
		return NULL;
	}
	if (c.count)
		cut(&c);
	*count = c.count;
	return c.list ? c.list : calloc(1, sizeof(*c.list));
}
