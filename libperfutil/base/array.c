/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A small list begins with one cache line: many owners never have more than a few elements. */
#include <stdlib.h>

#include "base/array.h"

#define FIRST_BYTES 64
/* Below, realloc copies what is there; above, the kernel moves pages, and memory counts. */
#define SMALL_BYTES (128u << 10)

void *array_grown(void *list, uint64_t *room, uint64_t need, uint64_t most, size_t size)
{
	uint64_t more = *room + FIRST_BYTES / size + 1;
	size_t bytes;

	more += *room < SMALL_BYTES / size ? *room : *room / 2;
	if (need > most)
		return NULL;
	if (more < need)
		more = need;
	if (more > most)
		more = most;
	if (__builtin_mul_overflow(more, size, &bytes) || bytes > PTRDIFF_MAX)
		return NULL;
	list = realloc(list, bytes);
	if (list)
		*room = more;
	return list;
}
