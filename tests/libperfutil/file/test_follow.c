/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A file that is read while it is being written: each record comes exactly once. */
#include <fcntl.h>
#include <stdio.h>

#include "file/file_follow.h"
#include "image.h"

static const struct pifile_header header = { .clock = PITRACE_CLOCK_MONOTONIC,
					     .clock_hz = 1000000000,
					     .ncpus = 2 };

static char path[64];

static void open_image(const struct image *i)
{
	snprintf(path, sizeof(path), "/proc/self/fd/%d", i->fd);
}

static void put(struct gen_ring *g, uint32_t minor, uint64_t stamp)
{
	memset(gen_record(g, 0xD0, minor, PITRACE_TYPE_U32, 8, stamp), 0, 8);
}

/* Returns the new records since the last call: their minors must be first, first + 1, … */
static uint32_t take(struct pifile *f, uint32_t first)
{
	struct pimerge *m;
	struct pirecord r;
	size_t from;

	CU_ASSERT_EQUAL(follow_more(f, &from), 0);
	m = follow_merge(f, PIMERGE_MTE | PIMERGE_TRACE, from);
	CU_ASSERT_PTR_NOT_NULL_FATAL(m);
	while (pimerge_next(m, &r) > 0) {
		if (r.major != 0xD0)
			continue;
		CU_ASSERT_EQUAL(r.minor, first);
		first++;
	}
	pimerge_close(m);
	return first;
}

static struct pifile *follow(void)
{
	struct pifile_fault fault = { .what = "" };
	struct pifile *f = follow_open(path, &fault);

	CU_ASSERT_PTR_NOT_NULL_FATAL(f);
	return f;
}

static void pieces(void)
{
	struct image i = image_begin(&header);
	struct gen_ring g[2];
	struct pifile *f;
	uint32_t n = 0, seen = 0;

	open_image(&i);
	f = follow();
	for (uint32_t c = 0; c < 2; c++)
		gen_ring_open(&g[c], i.w, c, PITRACE_RING_TRACE, 16384);
	for (int look = 0; look < 5; look++) {
		for (int k = 0; k < 100; k++, n++)
			put(&g[n % 2], n, 1000 + n);
		gen_ring_flush(&g[0]);
		gen_ring_flush(&g[1]);
		seen = take(f, seen);
		CU_ASSERT_EQUAL(seen, n);
		/* Nothing is new. */
		CU_ASSERT_EQUAL(take(f, seen), seen);
		CU_ASSERT_FALSE(pifile_complete(f));
	}
	gen_ring_close(&g[0]);
	gen_ring_close(&g[1]);
	image_take(&i);
	CU_ASSERT_EQUAL(take(f, seen), seen);
	CU_ASSERT_TRUE(pifile_complete(f));
	CU_ASSERT_EQUAL(pifile_faults(f, NULL), 0);
	pifile_close(f);
	image_free(&i);
}

/* Bytes that arrive one part after the other: a section counts when it is whole. */
static void each_byte(void)
{
	struct image whole = image_begin(&header), part = { .fd = memfd_create("part", 0) };
	struct gen_ring g;
	struct pifile *f = NULL;
	uint32_t seen = 0;

	gen_ring_open(&g, whole.w, 0, PITRACE_RING_TRACE, 16384);
	for (uint32_t n = 0; n < 3; n++) {
		put(&g, n, 1000 + n);
		gen_ring_flush(&g);
	}
	gen_ring_close(&g);
	image_take(&whole);
	open_image(&part);
	for (size_t at = 0; at < whole.size; at++) {
		CU_ASSERT_EQUAL(pwrite(part.fd, whole.data + at, 1, (off_t)at), 1);
		if (at + 1 < sizeof(header))
			continue;
		if (!f)
			f = follow();
		seen = take(f, seen);
	}
	CU_ASSERT_EQUAL(seen, 3);
	CU_ASSERT_TRUE(pifile_complete(f));
	CU_ASSERT_EQUAL(pifile_faults(f, NULL), 0);
	pifile_close(f);
	image_free(&whole);
	close(part.fd);
}

/* Stamps of cycles become times by what is known so far, and no sync is missed. */
static void times(void)
{
	struct pifile_header tsc = header;
	struct image i;
	struct gen_ring g[2];
	struct pifile *f;
	size_t from;

	tsc.clock = PITRACE_CLOCK_TSC;
	i = image_begin(&tsc);
	open_image(&i);
	gen_ring_open(&g[0], i.w, 0, PITRACE_RING_MTE, 16384);
	gen_ring_open(&g[1], i.w, 0, PITRACE_RING_TRACE, 16384);
	f = follow();
	for (uint32_t s = 1; s <= 3; s++) {
		static const uint64_t stamps[] = { 0, 3000000000ull, 6000000000ull, 8000000000ull };
		struct pitrace_sync sync = { .stamp = stamps[s], .monotonic = s * 1000000000ull };

		memcpy(gen_record(&g[0], PITRACE_SYNC, PITRACE_SYNC_SECOND, PITRACE_TYPE_STRUCT,
				  sizeof(sync), sync.stamp),
		       &sync, sizeof(sync));
		gen_ring_flush(&g[0]);
		CU_ASSERT_EQUAL(follow_more(f, &from), 0);
		for (uint32_t known = 1; known <= s; known++)
			CU_ASSERT_EQUAL(pifile_monotonic(f, stamps[known]), known * 1000000000ull);
	}
	/* Behind the last sync as between the last two: 2 cycles a ns. */
	CU_ASSERT_EQUAL(pifile_monotonic(f, 9000000000ull), 3500000000ull);
	gen_ring_close(&g[0]);
	gen_ring_close(&g[1]);
	CU_ASSERT_EQUAL(pifile_faults(f, NULL), 0);
	pifile_close(f);
	image_free(&i);
}

static void damage(void)
{
	struct image i = image_begin(&header);
	struct gen_ring g;
	struct pifile *f;
	size_t from, n;

	open_image(&i);
	gen_ring_open(&g, i.w, 0, PITRACE_RING_TRACE, 16384);
	put(&g, 0, 1000);
	gen_ring_flush(&g);
	f = follow();
	CU_ASSERT_EQUAL(take(f, 0), 0); /* it was there when the file was opened */
	n = pifile_sections(f);
	/* Shorter than what was read. */
	CU_ASSERT_EQUAL(ftruncate(i.fd, 300), 0);
	CU_ASSERT_EQUAL(follow_more(f, &from), 0);
	CU_ASSERT_EQUAL(pifile_sections(f), n);
	CU_ASSERT_EQUAL(pifile_faults(f, NULL), 1);
	ASSERT_FAULT(f, 0, "was cut to 300 bytes");
	gen_ring_close(&g);
	pifile_close(f);
	image_free(&i);
	CU_ASSERT_PTR_NULL(follow_open("/nonexistent", NULL));
}

int main(void)
{
	static const struct unit_test tests[] = {
		{ "pieces", pieces },
		{ "each_byte", each_byte },
		{ "times", times },
		{ "damage", damage },
		{ 0 },
	};

	return unit_run("follow", tests);
}
