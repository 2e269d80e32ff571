/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sorts input that is already sorted except for a few items, as most symbol tables are. */
#ifndef A2N_NEARLY_H
#define A2N_NEARLY_H

#include <stddef.h>

/* As qsort_r, with one comparison per item and no memory for input in order (items of up to 64
 * bytes). The sort is stable. */
void adaptive_sort(void *items, size_t n, size_t size,
		   int (*compare)(const void *, const void *, void *), void *arg);

#endif
