/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The walk through a segment's records: start and rare cases. The common path is inline in
 * record_walk.h.
 */
#include "file/record_walk.h"

int record_walk_begin(struct record_walk *w, const void *base, size_t size,
		      struct pitrace_segment *segment)
{
	*w = (struct record_walk){ .b = bytes_of(base, size) };

	if (!bytes_copy(&w->b, segment, sizeof(*segment)))
		w->why = "shorter than a segment's header";
	else if (segment->magic != PITRACE_SEGMENT_MAGIC)
		w->why = "not a segment: its magic is wrong";
	else if (segment->size < sizeof(*segment) || segment->size % 4 || segment->size > size)
		w->why = "the size of the segment's header is wrong";
	else if (segment->ring >= PITRACE_RINGS)
		w->why = "the segment's ring is unknown";
	else
		w->b.at = segment->size;
	w->high = segment->stamp & ~(uint64_t)UINT32_MAX;
	w->last = 0;
	return w->why ? -EBADMSG : 0;
}

void record_walk_bare(struct record_walk *w, const void *base, size_t size, uint64_t stamp)
{
	*w = (struct record_walk){ .b = bytes_of(base, size),
				   .high = stamp & ~(uint64_t)UINT32_MAX };
}

bool record_walk_stop(struct record_walk *w)
{
	size_t left = w->b.size - w->b.at;
	struct pitrace_rec h = { 0 };

	if (!left)
		return false;
	memcpy(&h, w->b.base + w->b.at, left < sizeof(h) ? left : sizeof(h));
	if (left == 4 || left == 8) { /* the first word or two of a PAD */
		if (h.major == PITRACE_PAD)
			return false;
		w->why = "the bytes after the last record are neither a record nor padding";
	} else if (left < sizeof(h)) {
		w->why = "bytes after the last record that are not a record";
	} else if (!(h.type_len & PITRACE_LEN_MASK)) {
		w->why = "a record of length 0";
	} else if ((h.type_len & PITRACE_LEN_MASK) < (int)sizeof(h)) {
		w->why = "a record shorter than its header";
	} else {
		w->why = "a record longer than the segment";
	}
	return true;
}
