/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Insertion sort, as long as it needs no more than a few steps per item; else qsort_r. */
#include "a2n/base/adaptive_sort.h"

#include <stdlib.h>
#include <string.h>

#define STEPS 4 /* steps per item before qsort_r is used */

void adaptive_sort(void *items, size_t n, size_t size,
		   int (*compare)(const void *, const void *, void *), void *arg)
{
	char *first = items, *at, *to, one[64];
	size_t left = size <= sizeof(one) ? n * STEPS : 0, i;

	for (i = 1; i < n; i++) {
		at = to = first + i * size;
		while (left && to > first && compare(to - size, at, arg) > 0) {
			to -= size;
			left--;
		}
		if (to < at) {
			memcpy(one, at, size);
			memmove(to + size, to, (size_t)(at - to));
			memcpy(to, one, size);
		}
		if (!left) {
			qsort_r(items, n, size, compare, arg);
			return;
		}
	}
}
