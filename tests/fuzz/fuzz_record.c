/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Fuzz: a segment through the record walk, as the writer and the merge do it; and bare records.
 * Each of them is taken for one that a program wrote, too.
 */
#include <pifile.h>
#include "fuzz.h"
#include "file/record_walk.h"

/* The pieces are within the record, one after another. */
static void decode(const struct record *walked)
{
	const struct pirecord r = {
		.type = walked->type,
		.data = walked->data,
		.size = walked->size,
	};
	const uint8_t *from = walked->data, *end = from + walked->size;
	struct pifile_user u;
	size_t length;

	if (pifile_user_record(&r, &u))
		return;
	for (uint32_t i = 0; i < u.ints; i++)
		(void)pifile_user_int(&u, i);
	for (uint32_t i = 0; i < u.strs; i++) {
		const uint8_t *text = (const uint8_t *)pifile_user_string(&u, i, &length);

		if (text < from || length > (size_t)(end - text))
			abort();
		fuzz_touch(text, length);
		from = text + length;
	}
	if (u.strs && (!pifile_user_string(&u, 0, &length) ||
		       pifile_user_string(&u, u.strs, &length) || length))
		abort();
}

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
		decode(&r);
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
