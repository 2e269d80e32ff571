/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reports of objects: the biggest, and the dominator tree. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "escape.h"
#include "objects.h"

#define DEPTH_MOST 64
#define SHARE      100 /* the tree shows objects that retain at least 1/SHARE of all */

static double percent(const struct heap *h, uint64_t bytes)
{
	return h->reached_bytes ? 100.0 * (double)bytes / (double)h->reached_bytes : 0;
}

static bool write_row(struct hdump *o, struct json *j, const struct heap *h, const struct big *b,
		      bool tree)
{
	char *name = object_name(h, b->object);

	if (!name)
		return false;
	if (o->form == FORM_JSON) {
		json_object(j, NULL);
		if (tree)
			json_uint(j, "depth", b->depth);
		json_uint(j, "retained", b->retained);
		if (!tree)
			json_uint(j, "bytes", b->own);
		json_fixed(j, "percent", percent(h, b->retained), 2);
		object_json(j, h, b->object);
		json_end(j, '}');
	} else if (o->form == FORM_CSV) {
		fprintf(o->out, "%" PRIu64 ",%" PRIu64 ",%.2f,", b->retained,
			tree ? b->depth : b->own, percent(h, b->retained));
		escape_csv(o->out, name);
		fputs("\n", o->out);
	} else {
		if (tree)
			fprintf(o->out, "%15" PRIu64 " %6.2f  %*s", b->retained,
				percent(h, b->retained), 2 * (int)b->depth, "");
		else
			fprintf(o->out, "%15" PRIu64 " %15" PRIu64 " %6.2f  ", b->retained, b->own,
				percent(h, b->retained));
		escape_print(o->out, name);
		fputs("\n", o->out);
	}
	free(name);
	return true;
}

static int write_objects(struct hdump *o, const struct heap *h, const struct big *list,
			 uint64_t count, bool tree)
{
	struct json j;
	bool good = true;
	int code = hdump_begin(o);

	if (code)
		return code;
	if (o->form == FORM_JSON) {
		json_document(&j, o->out, true);
		json_string(&j, "file", o->paths[0]);
		json_uint(&j, "objects", h->objects);
		json_uint(&j, "bytes", h->bytes);
		json_array(&j, tree ? "dominators" : "biggest");
	} else if (o->form == FORM_CSV) {
		fprintf(o->out, "retained,%s,percent,object\n", tree ? "depth" : "bytes");
	} else {
		escape_printf(o->out, "%s: %" PRIu64 " objects, %" PRIu64 " bytes\n", o->paths[0],
			      h->objects, h->bytes);
		fputs("\n", o->out);
		if (tree)
			fprintf(o->out, "%15s %6s  %s\n", "RETAINED", "%", "OBJECT");
		else
			fprintf(o->out, "%15s %15s %6s  %s\n", "RETAINED", "BYTES", "%", "OBJECT");
	}
	for (uint64_t i = 0; i < count && good; i++)
		good = write_row(o, &j, h, &list[i], tree);
	if (o->form == FORM_JSON) {
		json_end(&j, ']');
		json_end(&j, '}');
	}
	return good ? 0 : hdump_failed(NULL, o->paths[0], -ENOMEM);
}

static uint64_t rows_of(const struct hdump *o)
{
	return o->rows == HDUMP_ROWS ? OBJECT_ROWS : o->rows ? o->rows : UINT32_MAX;
}

int show_biggest(struct hdump *o)
{
	struct big *list = NULL;
	struct heap h;
	uint64_t count;
	int code = hdump_read(o, &h, o->paths[0], READ_DOMINATORS, 0);

	if (!code) {
		list = objects_biggest(&h, rows_of(o), &count);
		code = list ? write_objects(o, &h, list, count, false) :
			      hdump_failed(&h, o->paths[0], -ENOMEM);
	}
	free(list);
	heap_close(&h);
	return code;
}

/* ---- the tree -------------------------------------------------------------------------------- */

struct object_tree {
	struct heap *h;
	uint64_t least, most;
	uint32_t *size;     /* how many objects each number dominates */
	struct big *leaves; /* those that are large enough */
	uint64_t leaf_count, leaf_room;
	struct big *rows;
	uint64_t count, room;
};

static int by_retained(const void *one, const void *other)
{
	const struct big *a = one, *b = other;

	if (a->retained != b->retained)
		return a->retained < b->retained ? 1 : -1;
	return a->number < b->number ? -1 : a->number > b->number;
}

static bool add_children(struct object_tree *t, uint32_t number, uint32_t depth)
{
	struct heap *h = t->h;
	struct big *list = NULL;
	uint32_t n = 0, room = 0;
	bool good = true;

	for (uint32_t v = number + 1; v < number + t->size[number] && good; v += t->size[v])
		if (heap_retained(h, v) >= t->least) {
			good = !array_next(list, n, room);
			if (good)
				list[n++] = (struct big){ .retained = heap_retained(h, v),
							  .object = NO_OBJECT,
							  .number = v,
							  .depth = depth };
		}
	for (uint64_t i = 0; i < t->leaf_count && good; i++)
		if (h->leaf_idom[t->leaves[i].object - h->ids.inner] == number) {
			good = !array_next(list, n, room);
			if (good) {
				list[n] = t->leaves[i];
				list[n++].depth = depth;
			}
		}
	if (n)
		qsort(list, n, sizeof(*list), by_retained);
	for (uint32_t i = 0; i < n && good && t->count < t->most; i++) {
		good = !array_next(t->rows, t->count, t->room);
		if (!good)
			break;
		t->rows[t->count++] = list[i];
		if (list[i].number && depth < DEPTH_MOST)
			good = add_children(t, list[i].number, depth + 1);
	}
	free(list);
	return good;
}

static int by_number(const void *a, const void *b)
{
	const struct big *one = *(struct big *const *)a, *other = *(struct big *const *)b;

	return one->number < other->number ? -1 : one->number > other->number;
}

/* Finds the objects of the rows' numbers in one walk: rows are few, objects many. */
static bool find_objects(struct object_tree *t)
{
	const struct heap *h = t->h;
	struct big **sorted = malloc((t->count + 1) * sizeof(*sorted)), key, *at = &key, **row;
	uint64_t *chosen = calloc((size_t)h->dom.count / 64 + 1, sizeof(*chosen));

	for (uint64_t i = 0; sorted && chosen && i < t->count; i++) {
		sorted[i] = &t->rows[i];
		chosen[t->rows[i].number / 64] |= 1ull << t->rows[i].number % 64;
	}
	if (sorted && chosen)
		qsort(sorted, t->count, sizeof(*sorted), by_number);
	for (uint32_t i = 0; sorted && chosen && i < h->ids.inner; i++) {
		key.number = h->dom.number[i];
		if (key.number > h->dom.count || !(chosen[key.number / 64] >> key.number % 64 & 1))
			continue;
		row = bsearch(&at, sorted, t->count, sizeof(*sorted), by_number);
		if (row)
			(*row)->object = i;
	}
	free(sorted);
	free(chosen);
	return sorted && chosen;
}

static bool find_leaves(struct object_tree *t)
{
	const struct heap *h = t->h;

	for (uint32_t i = 0; i < h->ids.objects - h->ids.inner; i++) {
		uint64_t bytes = heap_bytes_of(h, h->ids.inner + i);

		if (bytes < t->least || h->leaf_idom[i] == NO_OBJECT)
			continue;
		if (array_next(t->leaves, t->leaf_count, t->leaf_room))
			return false;
		t->leaves[t->leaf_count++] = (struct big){ .retained = bytes,
							   .object = h->ids.inner + i };
	}
	return true;
}

int show_dominators(struct hdump *o)
{
	struct heap h;
	struct object_tree t = { .h = &h, .most = rows_of(o) };
	int code = hdump_read(o, &h, o->paths[0], READ_DOMINATORS, 0);

	if (!code) {
		t.least = h.reached_bytes / SHARE + 1;
		t.size = dominators_sizes(&h.dom);
		code = t.size && find_leaves(&t) && add_children(&t, 0, 0) && find_objects(&t) ?
			       write_objects(o, &h, t.rows, t.count, true) :
			       hdump_failed(&h, o->paths[0], -ENOMEM);
	}
	free(t.size);
	free(t.leaves);
	free(t.rows);
	heap_close(&h);
	return code;
}
