/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes, compares and sorts rows by class. */
#include "rows.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/search.h"

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct class_row *)a)->name, ((const struct class_row *)b)->name);
}

static int64_t size_of(int64_t v)
{
	return v < 0 ? -v : v;
}

static int order(int64_t a, int64_t b)
{
	return a < b ? 1 : a > b ? -1 : 0;
}

static int by_retained(const void *one, const void *other)
{
	const struct class_row *a = one, *b = other;
	int by = order(a->retained, b->retained);

	if (!by)
		by = order(a->bytes, b->bytes);
	return by ? by : strcmp(a->name, b->name);
}

/* Sorts growth before shrinkage. */
static int by_difference(const void *one, const void *other)
{
	const struct class_row *a = one, *b = other;
	int by = order(size_of(a->retained), size_of(b->retained));

	if ((a->retained < 0) != (b->retained < 0))
		return a->retained < 0 ? 1 : -1;
	if (!by)
		by = order(size_of(a->bytes), size_of(b->bytes));
	return by ? by : strcmp(a->name, b->name);
}

int rows_of(struct rows *r, const struct heap *h)
{
	uint32_t n = 0;

	r->count = 0;
	r->list = calloc((size_t)h->classes.count + 1, sizeof(*r->list));
	if (!r->list)
		return -ENOMEM;
	for (uint32_t i = 0; i < h->classes.count; i++) {
		const struct class_sum *s = &h->sums[i];

		if (!s->objects)
			continue;
		r->list[r->count] = (struct class_row){
			.name = strdup(h->classes.list[i].name),
			.objects = (int64_t)s->objects,
			.bytes = (int64_t)s->bytes,
			.retained = (int64_t)s->retained,
			.own = h->classes.list[i].loader != 0,
		};
		if (!r->list[r->count].name)
			return -ENOMEM;
		r->count++;
	}
	qsort(r->list, r->count, sizeof(*r->list), by_name);
	for (uint32_t i = 0; i < r->count; i++) {
		struct class_row *last = n ? &r->list[n - 1] : NULL;

		if (!last || strcmp(last->name, r->list[i].name)) {
			r->list[n++] = r->list[i];
			continue;
		}
		last->objects += r->list[i].objects;
		last->bytes += r->list[i].bytes;
		last->retained += r->list[i].retained;
		last->own |= r->list[i].own;
		free(r->list[i].name);
	}
	r->count = n;
	return 0;
}

const struct class_row *rows_find(const struct rows *r, const char *name)
{
	uint32_t i = search_sorted(at, 0u, r->count, strcmp(r->list[at].name, name) < 0);

	return i < r->count && !strcmp(r->list[i].name, name) ? &r->list[i] : NULL;
}

int rows_differ(struct rows *r, const struct rows *a, const struct rows *b)
{
	static const struct class_row none;
	uint32_t i = 0, k = 0;

	r->count = 0;
	r->list = calloc((size_t)a->count + b->count + 1, sizeof(*r->list));
	if (!r->list)
		return -ENOMEM;
	while (i < a->count || k < b->count) {
		int by = i == a->count ? 1 :
			 k == b->count ? -1 :
					 strcmp(a->list[i].name, b->list[k].name);
		const struct class_row *old = by <= 0 ? &a->list[i++] : &none;
		const struct class_row *new = by >= 0 ? &b->list[k++] : &none;
		struct class_row row = {
			.objects = new->objects - old->objects,
			.bytes = new->bytes - old->bytes,
			.retained = new->retained - old->retained,
			.own = new->own || old->own,
		};

		if (!row.objects && !row.bytes && !row.retained)
			continue;
		row.name = strdup(by >= 0 ? new->name : old->name);
		if (!row.name)
			return -ENOMEM;
		r->list[r->count++] = row;
	}
	return 0;
}

void rows_sort(struct rows *r, bool differences)
{
	qsort(r->list, r->count, sizeof(*r->list), differences ? by_difference : by_retained);
}

void rows_free(struct rows *r)
{
	for (uint32_t i = 0; i < r->count; i++)
		free(r->list[i].name);
	free(r->list);
	*r = (struct rows){ 0 };
}
