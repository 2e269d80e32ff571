/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Each level has the minimum of 16 entries of the level below. A range consists of whole groups of
 * 16 on each level, and single entries at its ends. */
#include "lowest.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>

#define EACH 16u

static uint32_t least(const uint32_t *p, uint32_t from, uint32_t to, uint32_t min)
{
	for (; from < to; from++)
		min = p[from] < min ? p[from] : min;
	return min;
}

int lowest_begin(struct lowest *l, const uint32_t *list, uint32_t count)
{
	uint32_t *to;

	*l = (struct lowest){ .level[0] = list, .levels = 1 };
	/* count/16 + count/256 + … is at most count/15. */
	l->own = malloc(((size_t)count / (EACH - 1) + LOWEST_LEVELS) * sizeof(*l->own));
	if (!l->own)
		return -ENOMEM;
	to = l->own;
	while (count > EACH && l->levels < LOWEST_LEVELS) {
		const uint32_t *p = l->level[l->levels - 1];
		const uint32_t n = count / EACH; /* look-ups read an incomplete group below */

		for (uint32_t i = 0; i < n; i++)
			to[i] = least(p, i * EACH, (i + 1) * EACH, UINT32_MAX);
		l->level[l->levels++] = to;
		to += n;
		count = n;
	}
	return 0;
}

void lowest_free(struct lowest *l)
{
	free(l->own);
	*l = (struct lowest){ 0 };
}

uint32_t lowest_of(const struct lowest *l, uint32_t from, uint32_t to)
{
	uint32_t min = UINT32_MAX, first, end;

	for (unsigned int i = 0;; i++) {
		first = from / EACH + (from % EACH != 0);
		end = to / EACH;
		if (first >= end || i + 1 >= l->levels)
			return least(l->level[i], from, to, min);
		min = least(l->level[i], from, first * EACH, min);
		min = least(l->level[i], end * EACH, to, min);
		from = first;
		to = end;
	}
}
