/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Cells (slice, sum, ticks). Each sum has one open cell, to which most samples are added; it joins
 * the list when its slice is over. */
#include "model/slices.h"

#include <errno.h>
#include <stdlib.h>

#include "base/array.h"

#define PIECES       4096u /* maximum pieces that the ticks of a long time are divided into */
#define SLICES_LEAST 256u  /* fewer slices are not merged */

/* Sorts cells by one of their numbers, below `keys`; stable. */
static int sort_cells(struct slices *s, bool by_sum, uint32_t keys)
{
	struct slices_cell *out = malloc(((size_t)s->count + 1) * sizeof(*out));
	uint32_t *at = calloc((size_t)keys + 1, sizeof(*at)), i, from, n;

	if (!out || !at) {
		free(out);
		free(at);
		return -ENOMEM;
	}
	for (i = 0; i < s->count; i++)
		at[by_sum ? s->cell[i].sum : s->cell[i].slice]++;
	for (i = 0, from = 0; i < keys; i++) {
		n = at[i];
		at[i] = from;
		from += n;
	}
	for (i = 0; i < s->count; i++)
		out[at[by_sum ? s->cell[i].sum : s->cell[i].slice]++] = s->cell[i];
	free(at);
	free(s->cell);
	s->cell = out;
	s->room = s->count + 1;
	return 0;
}

/* Sorts cells and merges those of the same slice and sum. */
static int merge_cells(struct slices *s)
{
	uint32_t most = 0, i, n = 0;
	int rc;

	for (i = 0; i < s->count; i++)
		most = s->cell[i].slice > most ? s->cell[i].slice : most;
	rc = sort_cells(s, true, s->sums);
	if (!rc)
		rc = sort_cells(s, false, most + 1);
	if (rc)
		return rc;
	for (i = 0; i < s->count; i++) {
		struct slices_cell *before = n ? &s->cell[n - 1] : NULL;

		if (before && before->slice == s->cell[i].slice && before->sum == s->cell[i].sum)
			before->ticks += s->cell[i].ticks;
		else
			s->cell[n++] = s->cell[i];
	}
	s->count = n;
	return 0;
}

/* Merges pairs of slices into one. Cells of a sum are mostly in the order of time, so those that
 * become equal follow each other, except for late ones: merge_cells() finds these at the end. */
static int coarsen(struct slices *s)
{
	uint32_t *last = calloc((size_t)s->sums + 1, sizeof(*last)), i, n = 0;

	if (!last)
		return -ENOMEM;
	s->shift++;
	for (i = 0; i < s->count; i++) {
		struct slices_cell c = s->cell[i];
		uint32_t before = last[c.sum];

		c.slice /= 2;
		if (before && s->cell[before - 1].slice == c.slice) {
			s->cell[before - 1].ticks += c.ticks;
		} else {
			s->cell[n++] = c;
			last[c.sum] = n;
		}
	}
	s->count = n;
	for (i = 0; i < s->sums; i++)
		s->open[i].slice /= 2;
	free(last);
	return 0;
}

static uint64_t slice_of(const struct slices *s, uint64_t time)
{
	return time > s->from ? (time - s->from) >> s->shift : 0;
}

/* Makes room for one more cell. The limit is exceeded only if there are too many sums. */
static int make_room(struct slices *s, uint32_t slice)
{
	const uint32_t most = s->most ? s->most : SLICES_CELLS;
	int rc = 0;

	/* Halves the number of cells, so that the next call has room. */
	if (s->count >= most) {
		for (; !rc && s->count > most / 2 && slice >= SLICES_LEAST; slice /= 2)
			rc = coarsen(s);
	}
	return rc ? rc : array_next(s->cell, s->count, s->room);
}

/* Adds the open cell of a sum to the list. */
static int close_cell(struct slices *s, uint32_t sum)
{
	int rc = make_room(s, s->open[sum].slice);

	if (rc)
		return rc;
	s->cell[s->count++] = (struct slices_cell){
		.slice = s->open[sum].slice, /* slices may have become longer */
		.sum = sum,
		.ticks = s->open[sum].ticks,
	};
	s->open[sum].is_open = false;
	return 0;
}

static int add_at(struct slices *s, uint32_t sum, uint64_t time, uint64_t ticks)
{
	struct slices_open *open = &s->open[sum];
	int rc = 0;

	while (!rc && slice_of(s, time) >= SLICES_MOST)
		rc = coarsen(s);
	if (!rc && open->is_open && open->slice == slice_of(s, time)) {
		open->ticks += ticks;
		return 0;
	}
	if (!rc && open->is_open)
		rc = close_cell(s, sum);
	if (!rc)
		*open = (struct slices_open){ ticks, (uint32_t)slice_of(s, time), true };
	return rc;
}

/* Returns the end of the piece of a stretch that begins at `time`: the slice's end, or later if the
 * stretch has too many slices. */
static uint64_t piece_end(const struct slices *s, uint64_t time, uint64_t to, uint64_t least)
{
	uint64_t slice = 1ull << s->shift, room = to - time;
	uint64_t length = time < s->from ? s->from - time :
					   slice - ((time - s->from) & (slice - 1));

	length = length > least ? length : least;
	return length < room ? time + length : to;
}

int slices_add(struct slices *s, uint32_t sum, uint64_t from, uint64_t to, uint64_t ticks)
{
	uint64_t least, time, end, had = 0, has;
	int rc = 0;

	if (!s->begun) {
		s->begun = true;
		s->from = from < to ? from : to;
		s->shift = SLICES_SHIFT;
	}
	if (array_reach(s->open, s->sums, sum))
		return -ENOMEM;
	if (from >= to)
		return add_at(s, sum, to, ticks);
	least = (to - from) / PIECES >= 1ull << s->shift ? (to - from - 1) / PIECES + 1 : 0;
	/* Each piece gets its share of the time, rounded so that all add up. */
	for (time = from; time < to && !rc; time = end, had = has) {
		end = piece_end(s, time, to, least);
		has = (uint64_t)((unsigned __int128)ticks * (end - from) / (to - from));
		if (has > had)
			rc = add_at(s, sum, least ? time + (end - time) / 2 : time, has - had);
	}
	return rc;
}

static int close_cells(struct slices *s)
{
	int rc = 0;

	for (uint32_t i = 0; i < s->sums && !rc; i++)
		rc = s->open[i].is_open ? close_cell(s, i) : 0;
	return rc;
}

int slices_finish(struct slices *s)
{
	int rc = close_cells(s);

	return rc || !s->count ? rc : merge_cells(s);
}

int slices_renumber(struct slices *s, const uint32_t *number)
{
	int rc = close_cells(s);

	for (uint32_t i = 0; i < s->count && !rc; i++)
		s->cell[i].sum = number[s->cell[i].sum];
	return rc ? rc : slices_finish(s);
}

void slices_free(struct slices *s)
{
	free(s->cell);
	free(s->open);
	*s = (struct slices){ 0 };
}
