/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Binary search, by a condition on an index: what is compared, and how, stands where it is used. */
#ifndef PITRACE_SEARCH_H
#define PITRACE_SEARCH_H

/*
 * The first i from `from` to below `to` for which `before` does not hold, or `to`. It must hold for
 * all up to there and for none from there on:
 *
 *	i = search_sorted(i, 0, n, list[i].start < address);	the first at the address or above
 *	i = search_sorted(i, 0, n, list[i].start <= address);	one behind the last at or below it
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
