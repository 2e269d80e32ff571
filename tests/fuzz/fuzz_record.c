/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fuzz: a segment through the record walk, as the writer and the merge do it. */
#include "fuzz.h"
#include "record.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pitrace_segment h;
	struct record_walk w;
	struct record r;
	size_t at, bytes = 0, n = 0;
	void *copy;
	int got;

	/* aligned as rings and buffers are */
	copy = malloc(size ? size : 1);
	if (!copy)
		return 0;
	memcpy(copy, data, size);
	if (!record_walk_begin(&w, copy, size, &h)) {
		at = w.b.at;
		while ((got = record_next(&w, &r)) > 0) {
			if (w.b.at < at + 12 || w.b.at > size)
				abort();
			at = w.b.at;
			bytes += r.size;
			n++;
			fuzz_touch(r.data, r.size);
		}
		if (bytes + n * 12 > size || (got < 0) != (w.why != NULL))
			abort();
		/* The end stays the end. */
		if (record_next(&w, &r) != got || w.b.at > size)
			abort();
	} else if (!w.why) {
		abort();
	}
	free(copy);
	return 0;
}
