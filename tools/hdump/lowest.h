/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the minimum of any range of a list without reading the whole range. */
#ifndef HDUMP_LOWEST_H
#define HDUMP_LOWEST_H

#include <stdint.h>

#define LOWEST_LEVELS 8

struct lowest {
	const uint32_t *level[LOWEST_LEVELS]; /* the list, then minima of 16 entries each */
	unsigned int levels;
	uint32_t *own; /* all levels but the list */
};

/* The caller owns the list and must not change it meanwhile. Returns 0 or -ENOMEM. */
int lowest_begin(struct lowest *l, const uint32_t *list, uint32_t count);
void lowest_free(struct lowest *l);
/* Returns the minimum of the entries from … to - 1, at least one. */
uint32_t lowest_of(const struct lowest *l, uint32_t from, uint32_t to);

#endif
