/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Segments made in user space: what is put comes back by the walk, whole stamps and all. */
#include <errno.h>
#include <stdlib.h>
#include "file/record_walk.h"
#include "file/segment.h"
#include "unit.h"

#define SIZE 1024

struct taken {
	uint8_t data[16][SIZE];
	size_t n;
	int answer;
};

static int take(void *arg, const void *segment, size_t size)
{
	struct taken *t = arg;

	if (t->answer)
		return t->answer;
	CU_ASSERT_EQUAL_FATAL(size, SIZE);
	CU_ASSERT_FATAL(t->n < 16);
	memcpy(t->data[t->n++], segment, size);
	return 0;
}

static struct segment_out fresh(void)
{
	return (struct segment_out){ .session = 7,
				     .cpu = 3,
				     .ring = PITRACE_RING_TRACE,
				     .size = SIZE };
}

static int put(struct segment_out *o, struct taken *t, size_t bytes, uint8_t fill, uint64_t stamp)
{
	int err;
	uint8_t *p = segment_put(o, 0xD0, fill, PITRACE_TYPE_STRUCT, bytes, stamp, take, t, &err);

	CU_ASSERT_EQUAL(p == NULL, err != 0);
	if (p)
		memset(p, fill, bytes);
	return err;
}

/* All records of all segments, in their order. */
static size_t walk(const struct taken *t, struct record *out, size_t room)
{
	size_t n = 0;

	for (size_t i = 0; i < t->n; i++) {
		struct pitrace_segment h;
		struct record_walk w;

		CU_ASSERT_EQUAL_FATAL(record_walk_begin(&w, t->data[i], SIZE, &h), 0);
		CU_ASSERT_EQUAL(h.session, 7);
		CU_ASSERT_EQUAL(h.cpu, 3);
		CU_ASSERT_EQUAL(h.ring, PITRACE_RING_TRACE);
		CU_ASSERT_EQUAL(h.sequence, i);
		while (n < room && record_next(&w, &out[n]) == 1)
			n++;
		CU_ASSERT_PTR_NULL(w.why);
	}
	return n;
}

static void round_trip(void)
{
	struct segment_out o = fresh();
	struct taken t = { .n = 0 };
	struct record r[64];
	/* Odd lengths, a change of the high half, many segments. */
	static const struct {
		size_t bytes;
		uint64_t stamp;
	} puts[] = {
		{ 0, 5 },
		{ 1, 6 },
		{ 2, 6 },
		{ 3, 0xFFFFFFFF },
		{ 4, 0x100000000 },
		{ 400, 0x100000001 },
		{ 401, 0x100000002 },
		{ 500, 0x300000000 },
		{ 12, 0x300000001 },
	};
	size_t count = sizeof(puts) / sizeof(puts[0]);

	for (size_t i = 0; i < count; i++)
		CU_ASSERT_EQUAL(put(&o, &t, puts[i].bytes, (uint8_t)(i + 1), puts[i].stamp), 0);
	CU_ASSERT_EQUAL(segment_close(&o, take, &t), 0);
	CU_ASSERT_EQUAL_FATAL(walk(&t, r, 64), count);
	for (size_t i = 0; i < count; i++) {
		const uint8_t *data = r[i].data;
		size_t k;

		CU_ASSERT_EQUAL(r[i].stamp, puts[i].stamp);
		CU_ASSERT_EQUAL(r[i].minor, i + 1);
		CU_ASSERT_EQUAL(r[i].size, (puts[i].bytes + 3) & ~3u);
		for (k = 0; k < puts[i].bytes; k++)
			CU_ASSERT_EQUAL(data[k], i + 1);
		for (; k < r[i].size; k++)
			CU_ASSERT_EQUAL(data[k], 0);
	}
	CU_ASSERT(t.n >= 2);
	segment_free(&o);
}

static void stamps_never_fall(void)
{
	struct segment_out o = fresh();
	struct taken t = { .n = 0 };
	struct record r[8];

	put(&o, &t, 900, 1, 1000);
	put(&o, &t, 900, 2, 10); /* another segment */
	put(&o, &t, 8, 3, 1001);
	put(&o, &t, 8, 4, 999);
	segment_close(&o, take, &t);
	CU_ASSERT_EQUAL_FATAL(walk(&t, r, 8), 4);
	CU_ASSERT_EQUAL(r[1].stamp, 1000);
	CU_ASSERT_EQUAL(r[3].stamp, 1001);
	segment_free(&o);
}

/* Every length up to the segment's end: the padding fits whatever is left. */
static void fills_to_the_end(void)
{
	size_t most = SIZE - sizeof(struct pitrace_segment) - sizeof(struct pitrace_rec);

	for (size_t bytes = most - 16; bytes <= most; bytes++) {
		struct segment_out o = fresh();
		struct taken t = { .n = 0 };
		struct record r[4];

		CU_ASSERT_EQUAL(put(&o, &t, bytes, 1, 1), 0);
		CU_ASSERT_EQUAL(put(&o, &t, 4, 2, 2), 0);
		segment_close(&o, take, &t);
		CU_ASSERT_EQUAL(walk(&t, r, 4), 2);
		segment_free(&o);
	}
}

static void refusals(void)
{
	struct segment_out o = fresh();
	struct taken t = { .n = 0 };
	size_t most = SIZE - sizeof(struct pitrace_segment) - sizeof(struct pitrace_rec);

	CU_ASSERT_EQUAL(put(&o, &t, most + 1, 1, 1), -E2BIG);
	CU_ASSERT_EQUAL(put(&o, &t, 65536, 1, 1), -E2BIG);
	CU_ASSERT_EQUAL(segment_close(&o, take, &t), 0);
	CU_ASSERT_EQUAL(t.n, 0);
	/* The sink's result is returned. */
	CU_ASSERT_EQUAL(put(&o, &t, 900, 1, 1), 0);
	t.answer = -ENOSPC;
	CU_ASSERT_EQUAL(put(&o, &t, 900, 2, 2), -ENOSPC);
	segment_free(&o);
}

int main(void)
{
	static const struct unit_test tests[] = { { "round_trip", round_trip },
						  { "stamps_never_fall", stamps_never_fall },
						  { "fills_to_the_end", fills_to_the_end },
						  { "refusals", refusals },
						  { NULL, NULL } };

	return unit_run("segment", tests);
}
