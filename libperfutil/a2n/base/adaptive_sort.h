/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sorting what is in order but for a few, as symbol tables mostly are. */
#ifndef A2N_NEARLY_H
#define A2N_NEARLY_H

#include <stddef.h>

/* qsort_r that takes one comparison an item then, and no memory (items of up to 64 bytes). What is
 * equal keeps its order. */
void adaptive_sort(void *items, size_t n, size_t size,
		   int (*compare)(const void *, const void *, void *), void *arg);

#endif
