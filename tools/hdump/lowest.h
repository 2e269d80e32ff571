/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The least number of any part of a list, without a look at all of them. */
#ifndef HDUMP_LOWEST_H
#define HDUMP_LOWEST_H

#include <stdint.h>

#define LOWEST_LEVELS 8

struct lowest {
	const uint32_t *level[LOWEST_LEVELS]; /* the list; of each one's sixteens the least */
	unsigned int levels;
	uint32_t *own; /* all levels but the list */
};

/* The list is the caller's, and does not change. 0 or -ENOMEM. */
int lowest_begin(struct lowest *l, const uint32_t *list, uint32_t count);
void lowest_free(struct lowest *l);
/* From … to - 1, of which there is at least one. */
uint32_t lowest_of(const struct lowest *l, uint32_t from, uint32_t to);

#endif
