/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A distribution of times: count, sum, minimum and maximum are exact; percentiles come from counts
 * in buckets, 32 for each power of two, so a percentile is too high by less than 1/32 and never too
 * low. Values below 64 are exact. Memory grows with the range of values rather than their number.
 */
#ifndef POST_SPREAD_H
#define POST_SPREAD_H

#include <stdint.h>

struct spread {
	uint64_t count, total, min, max;
	uint32_t *bucket; /* of the values from `base` on */
	uint16_t base, buckets;
};

/* These functions return 0 or -ENOMEM. */
int spread_add(struct spread *s, uint64_t value);
int spread_merge(struct spread *into, const struct spread *from);
uint64_t spread_mean(const struct spread *s);
/* Returns the smallest value that `permille` thousandths of all values do not exceed (nearest
 * rank). */
uint64_t spread_percentile(const struct spread *s, unsigned int permille);
void spread_free(struct spread *s);

#endif
