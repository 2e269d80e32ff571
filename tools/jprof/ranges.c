/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A sorted array of a few hundred entries: the stubs, adapters and tables of a JVM. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ranges.h"

/* Returns the index of the first range that ends after the address. */
static uint32_t first_behind(const struct ranges *r, uint64_t address)
{
	uint32_t low = 0, high = r->n;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (r->list[middle].end <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static int insert(struct ranges *r, uint32_t at, uint64_t start, uint64_t end)
{
	if (r->n == r->room) {
		uint32_t room = r->room ? 2 * r->room : 256;
		struct code_range *more = realloc(r->list, room * sizeof(*more));

		if (!more)
			return -ENOMEM;
		r->list = more;
		r->room = room;
	}
	memmove(r->list + at + 1, r->list + at, (r->n - at) * sizeof(*r->list));
	r->list[at] = (struct code_range){ start, end };
	r->n++;
	return 0;
}

int ranges_add(struct ranges *r, uint64_t start, uint64_t end,
	       int (*emit)(void *arg, uint64_t start, uint64_t end), void *arg)
{
	uint32_t i = first_behind(r, start);

	/* The same range again: new code was made in its place. */
	if (i < r->n && r->list[i].start == start && r->list[i].end == end)
		return emit(arg, start, end);
	while (start < end) {
		uint64_t stop = i < r->n && r->list[i].start < end ? r->list[i].start : end;

		if (start < stop) {
			int rc = insert(r, i, start, stop);

			if (!rc)
				rc = emit(arg, start, stop);
			if (rc)
				return rc;
			i++;
		}
		start = stop;
		if (i < r->n && start >= r->list[i].start)
			start = r->list[i++].end;
	}
	return 0;
}

void ranges_free(struct ranges *r)
{
	free(r->list);
	*r = (struct ranges){ 0 };
}
