/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Binary search by a condition on an index: the caller supplies the comparison. */
#ifndef PITRACE_SEARCH_H
#define PITRACE_SEARCH_H

/*
 * Returns the first i from `from` to below `to` for which `before` is false, or `to`. `before` must
 * be true for all smaller i and false from there on:
 *
 * 	i = search_sorted(i, 0, n, list[i].start < address);	the first at the address or above
 * 	i = search_sorted(i, 0, n, list[i].start <= address);	one after the last at or below it
 *
 * i is the macro's own variable. Both ends are evaluated once.
 */
#define search_sorted(i, from, to, before)                                                         \
	({                                                                                         \
		typeof((to) + 0) search_low_ = (from), search_high_ = (to);                        \
                                                                                                   \
		while (search_low_ < search_high_) {                                               \
			const typeof((to) + 0) i = search_low_ + (search_high_ - search_low_) / 2; \
                                                                                                   \
			if (before)                                                                \
				search_low_ = i + 1;                                               \
			else                                                                       \
				search_high_ = i;                                                  \
		}                                                                                  \
		search_low_;                                                                       \
	})

#endif
