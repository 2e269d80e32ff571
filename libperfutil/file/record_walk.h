/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Walks through the records of one segment, for the writer's check and the merge. Lengths are
 * checked before use; HIGH records are merged into whole stamps; PAD ends the walk.
 */
#ifndef PITRACE_RECORD_H
#define PITRACE_RECORD_H

#include <errno.h>
#include <pitrace.h>
#include "base/cursor.h"

struct record {
	uint64_t stamp; /* full stamp */
	uint32_t minor;
	uint16_t major;
	uint16_t type; /* PITRACE_TYPE_* */
	const void *data;
	uint32_t size; /* bytes of data */
};

struct record_walk {
	struct bytes b;     /* b.at: the next record; after the end, the bytes in use */
	uint64_t high;      /* high half of the following stamps, already shifted */
	uint64_t last;      /* stamp of the last record */
	uint64_t backwards; /* records whose stamp was less than the previous one */
	const char *why;    /* reason of -EBADMSG */
};

/* Starts at a segment or a section's payload; its header is copied to *segment. 0 or -EBADMSG. base
 * must be 4-byte aligned. */
int record_walk_begin(struct record_walk *w, const void *base, size_t size,
		      struct pitrace_segment *segment);

/* Starts at records without a segment's header. */
void record_walk_bare(struct record_walk *w, const void *base, size_t size, uint64_t stamp);

/* Handles a position without a record: true with the reason in w->why, or false: the end. */
bool record_walk_stop(struct record_walk *w);

/* Returns the next record except HIGH and PAD. 1: a record; 0: the end; -EBADMSG: there is no
 * record at w->b.at (which stays there). */
static inline int record_next(struct record_walk *w, struct record *r)
{
	struct pitrace_rec h;
	size_t left, length;

	for (;;) {
		left = w->b.size - w->b.at;
		if (left < sizeof(h))
			return record_walk_stop(w) ? -EBADMSG : 0;
		memcpy(&h, w->b.base + w->b.at, sizeof(h));
		length = h.type_len & PITRACE_LEN_MASK;
		if (h.major == PITRACE_PAD)
			return 0;
		if (length < sizeof(h) || length > left)
			return record_walk_stop(w) ? -EBADMSG : 0;
		if (h.major != PITRACE_HIGH)
			break;
		w->high = (uint64_t)h.minor << 32;
		w->b.at += length;
	}
	r->stamp = w->high | h.stamp;
	r->minor = h.minor;
	r->major = h.major;
	r->type = h.type_len & PITRACE_TYPE_MASK;
	r->data = w->b.base + w->b.at + sizeof(h);
	r->size = (uint32_t)(length - sizeof(h));
	w->b.at += length;
	w->backwards += r->stamp < w->last;
	w->last = r->stamp;
	return 1;
}

#endif
