/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * When samples were: the ticks of each sum (sums.h) in slices of time, all equally long. Slices
 * begin short; whenever there are too many of them, or too many ticks to note apart, two and two
 * become one. So memory has a bound, however long the trace is.
 */
#ifndef POST_SLICES_H
#define POST_SLICES_H

#include <stdbool.h>
#include <stdint.h>

#define SLICES_SHIFT 20         /* a slice has at first 2^20 ns: about a millisecond */
#define SLICES_MOST  (1u << 20) /* slices */
#define SLICES_CELLS (1u << 22)

struct slices_cell {
	uint32_t slice;
	uint32_t sum;
	uint64_t ticks;
};

struct slices {
	bool wanted;
	bool begun;
	uint64_t from; /* where slice 0 begins */
	unsigned int shift;
	uint32_t most;            /* cells; 0: SLICES_CELLS */
	struct slices_cell *cell; /* at the end: by slice, then by sum, each pair once */
	uint32_t count, room;
	uint32_t *last; /* of each sum: its newest cell + 1 */
	uint32_t sums;
};

/* Ticks of a sum; several may be of all the time since `from`. 0 or -ENOMEM, this and the next. */
int slices_add(struct slices *s, uint32_t sum, uint64_t from, uint64_t to, uint64_t ticks);
int slices_finish(struct slices *s);
/* Other numbers for sums, not greater than theirs; several may get the same. 0 or -ENOMEM. */
int slices_renumber(struct slices *s, const uint32_t *number);
/* How many slices there are; 0: no ticks. After slices_finish. */
static inline uint32_t slices_count(const struct slices *s)
{
	return s->count ? s->cell[s->count - 1].slice + 1 : 0;
}
void slices_free(struct slices *s);

#endif
