/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The time distribution of samples: the ticks of each sum (sums.h) in slices of equal length.
 * Slices start short; whenever there are too many slices or cells, pairs of slices are merged.
 * Memory is bounded for any length of the trace.
 */
#ifndef POST_SLICES_H
#define POST_SLICES_H

#include <stdbool.h>
#include <stdint.h>

#define SLICES_SHIFT 20         /* initially a slice is 2^20 ns, about a millisecond */
#define SLICES_MOST  (1u << 20) /* maximum slices */
#define SLICES_CELLS (1u << 22)

struct slices_cell {
	uint32_t slice;
	uint32_t sum;
	uint64_t ticks;
};

/* The newest cell of a sum. */
struct slices_open {
	uint64_t ticks;
	uint32_t slice;
	bool is_open;
};

struct slices {
	bool wanted;
	bool begun;
	uint64_t from; /* start of slice 0 */
	unsigned int shift;
	uint32_t most;            /* maximum cells; 0: SLICES_CELLS */
	struct slices_cell *cell; /* at the end: by slice, then by sum, each pair once */
	uint32_t count, room;
	struct slices_open *open; /* by sum; not in the list yet */
	uint32_t sums;
};

/* Adds ticks of a sum: each slice gets as much of them as it has of the time from `from` until
 * `to`; without such a time all are at `to`. Functions return 0 or -ENOMEM. */
int slices_add(struct slices *s, uint32_t sum, uint64_t from, uint64_t to, uint64_t ticks);
int slices_finish(struct slices *s);
/* Replaces the sums' numbers by others that are not greater; several may become equal. Returns 0 or
 * -ENOMEM. */
int slices_renumber(struct slices *s, const uint32_t *number);
/* Returns the number of slices; 0: no ticks. Call after slices_finish(). */
static inline uint32_t slices_count(const struct slices *s)
{
	return s->count ? s->cell[s->count - 1].slice + 1 : 0;
}
void slices_free(struct slices *s);

#endif
