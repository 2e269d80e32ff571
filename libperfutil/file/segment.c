/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Builds segments in user space. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "file/segment.h"

static void put_header(uint8_t *p, uint16_t major, uint32_t minor, size_t length, uint64_t stamp)
{
	struct pitrace_rec rec = {
		.type_len = (uint16_t)length,
		.major = major,
		.minor = minor,
		.stamp = (uint32_t)stamp,
	};

	memcpy(p, &rec, sizeof(rec));
}

static int open_segment(struct segment_out *o, uint64_t stamp)
{
	struct pitrace_segment h = {
		.magic = PITRACE_SEGMENT_MAGIC,
		.size = sizeof(h),
		.ring = o->ring,
		.session = o->session,
		.cpu = o->cpu,
		.sequence = o->sequence,
		.stamp = stamp,
		.lost = o->lost,
	};

	if (!o->data)
		o->data = malloc(o->size);
	if (!o->data)
		return -ENOMEM;
	memcpy(o->data, &h, sizeof(h));
	o->used = sizeof(h);
	o->last = stamp;
	return 0;
}

int segment_close(struct segment_out *o, segment_sink sink, void *arg)
{
	static const struct pitrace_rec pad = { .type_len = sizeof(pad), .major = PITRACE_PAD };
	size_t left = o->size - o->used;

	if (!o->used)
		return 0;
	memcpy(o->data + o->used, &pad, left < sizeof(pad) ? left : sizeof(pad));
	o->used = 0;
	o->sequence++;
	return sink(arg, o->data, o->size);
}

void *segment_put(struct segment_out *o, uint16_t major, uint32_t minor, uint16_t type,
		  size_t bytes, uint64_t stamp, segment_sink sink, void *arg, int *err)
{
	size_t length = sizeof(struct pitrace_rec) + ((bytes + 3) & ~(size_t)3), high;
	uint8_t *p;

	if (length > PITRACE_LEN_MASK || sizeof(struct pitrace_segment) + length > o->size) {
		*err = -E2BIG;
		return NULL;
	}
	/* The stamps of a ring never decrease, not even across segments. */
	if (stamp < o->last)
		stamp = o->last;
	high = (stamp ^ o->last) >> 32 ? sizeof(struct pitrace_rec) : 0;
	*err = 0;
	if (o->used && o->used + high + length > o->size)
		*err = segment_close(o, sink, arg);
	if (!*err && !o->used) {
		*err = open_segment(o, stamp);
		high = 0;
	}
	if (*err)
		return NULL;
	p = o->data + o->used;
	if (high) {
		put_header(p, PITRACE_HIGH, (uint32_t)(stamp >> 32), high, stamp);
		p += high;
	}
	put_header(p, major, minor, length | type, stamp);
	o->last = stamp;
	o->used += high + length;
	memset(p + length - 4, 0, bytes % 4 ? 4 : 0);
	return p + sizeof(struct pitrace_rec);
}

void segment_free(struct segment_out *o)
{
	free(o->data);
	o->data = NULL;
	o->used = 0;
}
