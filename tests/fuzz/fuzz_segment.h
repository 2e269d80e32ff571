/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A drain's sink for fuzz targets: what a collector wrote is whole and in the order of time. */
#ifndef FUZZ_SEGMENT_H
#define FUZZ_SEGMENT_H

#include "fuzz.h"
#include "file/record_walk.h"

/* Further callbacks of a target, for the sink's argument; or NULL. */
struct fuzz_sink {
	void (*record)(const struct pitrace_segment *h, const struct record *r);
};

static inline int fuzz_segment(void *arg, const void *segment, size_t size)
{
	const struct fuzz_sink *sink = arg;
	struct pitrace_segment h;
	struct record_walk w;
	struct record r;
	int got;

	if (record_walk_begin(&w, segment, size, &h) || h.ring >= PITRACE_RINGS)
		abort();
	while ((got = record_next(&w, &r)) > 0) {
		if (w.backwards)
			abort();
		if (sink)
			sink->record(&h, &r);
		fuzz_touch(r.data, r.size);
	}
	if (got < 0)
		abort();
	return 0;
}

#endif
