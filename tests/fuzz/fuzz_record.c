/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fuzz: a segment through the record walk, as the writer and the merge do it; and bare records. */
#include "fuzz.h"
#include "file/record_walk.h"

static void walk(struct record_walk *w, size_t size)
{
	struct record r;
	size_t at = w->b.at, bytes = 0, n = 0;
	int got;

	while ((got = record_next(w, &r)) > 0) {
		if (w->b.at < at + 12 || w->b.at > size)
			abort();
		at = w->b.at;
		bytes += r.size;
		n++;
		fuzz_touch(r.data, r.size);
	}
	if (bytes + n * 12 > size || (got < 0) != (w->why != NULL))
		abort();
	/* The end stays the end. */
	if (record_next(w, &r) != got || w->b.at > size)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pitrace_segment h;
	struct record_walk w;
	void *copy;

	/* aligned as rings and buffers are */
	copy = malloc(size ? size : 1);
	if (!copy)
		return 0;
	memcpy(copy, data, size);
	if (!record_walk_begin(&w, copy, size, &h))
		walk(&w, size);
	else if (!w.why)
		abort();
	record_walk_bare(&w, copy, size, UINT64_MAX);
	walk(&w, size);
	free(copy);
	return 0;
}
