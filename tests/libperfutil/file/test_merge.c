/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The merge: the order of time, the order at one instant, what comes twice, what comes first. */
#include "image.h"

static const struct pifile_header header = { .clock = PITRACE_CLOCK_MONOTONIC,
					     .clock_hz = 1000000000,
					     .ncpus = 4 };

static void put(struct gen_ring *g, uint16_t major, uint32_t minor, uint64_t stamp)
{
	memset(gen_record(g, major, minor, PITRACE_TYPE_U32, 8, stamp), 0, 8);
}

/* Records that say in their minor how they must come out. */
static void assert_order(const struct got *got, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (got[i].r.minor != i) {
			printf("# place %zu holds %u\n", i, got[i].r.minor);
			CU_FAIL("order");
			return;
		}
	CU_PASS("order");
}

static void by_time(void)
{
	struct image i = image_begin(&header);
	struct gen_ring g[4];
	static struct got got[1000];
	struct pifile *f;
	uint32_t n = 0;

	for (uint32_t c = 0; c < 4; c++)
		gen_ring_open(&g[c], i.w, c, PITRACE_RING_TRACE, 16384);
	/* Runs of one CPU, then turns, then all of another. */
	for (uint64_t t = 0; t < 1000; t++) {
		uint32_t c = t < 300 ? 2 : t < 700 ? (uint32_t)(t * 7 % 4) : 3;

		put(&g[c], 0xD0, n++, t * t);
	}
	for (uint32_t c = 4; c-- > 0;) {
		gen_ring_flush(&g[c]);
		gen_ring_close(&g[c]);
	}
	image_take(&i);
	f = image_open(&i);
	CU_ASSERT_EQUAL(take_all(f, PIMERGE_MTE | PIMERGE_TRACE, got, 1000), 1000);
	assert_order(got, 1000);
	CU_ASSERT_EQUAL(take_all(f, PIMERGE_MTE, got, 1000), 0);
	CU_ASSERT_EQUAL(pifile_faults(f, NULL), 0);
	pifile_close(f);
	image_free(&i);
}

struct want {
	uint32_t cpu, ring;
	uint16_t major;
	uint32_t minor;
};

/* Rings of one record each, all at one instant. */
static void rank_at_one_instant(void)
{
	static const struct want want[] = {
		{ 0, 0, PITRACE_MTE, PITRACE_MTE_NAME },
		{ 1, 0, PITRACE_MTE, PITRACE_MTE_MODULE },
		{ 2, 0, PITRACE_MTE, PITRACE_MTE_THREAD },
		{ 3, 0, PITRACE_MTE, PITRACE_MTE_PROCESS },
		{ 4, 0, PITRACE_MTE, PITRACE_MTE_FORK },
		{ 5, 0, PITRACE_MTE, PITRACE_MTE_CLONE },
		{ 6, 0, PITRACE_SYNC, PITRACE_SYNC_SECOND },
		{ 6, 1, PITRACE_SYSINFO, PITRACE_SYSINFO_INTERVAL },
		{ 0, 1, PITRACE_TPROF, PITRACE_TPROF_USER },
		{ 1, 1, PITRACE_TPROF, PITRACE_TPROF_KERNEL },
		{ 2, 1, PITRACE_LOST, PITRACE_LOST_TPROF },
		{ 3, 1, 0xD0, PITRACE_MTE_UNMAP },
		{ 4, 1, PITRACE_SYSINFO, 1 },
		{ 7, 0, PITRACE_MTE, PITRACE_MTE_BUILDID },
		{ 7, 1, PITRACE_TPROF, PITRACE_TPROF_IDLE },
		{ 8, 0, PITRACE_MTE, PITRACE_MTE_UNMAP },
		{ 9, 0, PITRACE_MTE, PITRACE_MTE_PROCESS_EXIT },
		{ 10, 0, PITRACE_MTE, PITRACE_MTE_UNLOAD },
		{ 11, 0, PITRACE_MTE, PITRACE_MTE_THREAD_EXIT },
	};
	const size_t n = sizeof(want) / sizeof(want[0]);
	struct got got[32];

	/* in every order of the file */
	for (size_t turn = 0; turn < n; turn++) {
		struct image i = image_begin(&header);
		struct pifile *f;

		for (size_t k = 0; k < n; k++) {
			const struct want *w = &want[(k * 7 + turn) % n];
			struct gen_ring g;

			gen_ring_open(&g, i.w, w->cpu, w->ring, 16384);
			memset(gen_record(&g, w->major, w->minor, PITRACE_TYPE_STRUCT, 36, 77), 0,
			       36);
			gen_ring_flush(&g);
			gen_ring_close(&g);
		}
		image_take(&i);
		f = image_open(&i);
		CU_ASSERT_EQUAL(take_all(f, PIMERGE_MTE | PIMERGE_TRACE, got, 32), n);
		for (size_t k = 0; k < n; k++) {
			CU_ASSERT_EQUAL(got[k].r.cpu, want[k].cpu);
			CU_ASSERT_EQUAL(got[k].r.ring, want[k].ring);
			CU_ASSERT_EQUAL(got[k].r.major, want[k].major);
			CU_ASSERT_EQUAL(got[k].r.minor, want[k].minor);
		}
		pifile_close(f);
		image_free(&i);
	}
}

/* A ring's own order is kept, whatever the ranks say. */
static void ring_keeps_its_order(void)
{
	static const uint32_t minors[] = {
		PITRACE_MTE_UNMAP,   PITRACE_MTE_MODULE,  PITRACE_MTE_PROCESS_EXIT,
		PITRACE_MTE_PROCESS, PITRACE_MTE_BUILDID, PITRACE_MTE_THREAD_EXIT,
	};
	struct image i = image_begin(&header);
	struct gen_ring g[2];
	struct got got[16];
	struct pifile *f;
	size_t k = 0;

	gen_ring_open(&g[0], i.w, 0, PITRACE_RING_MTE, 16384);
	gen_ring_open(&g[1], i.w, 1, PITRACE_RING_TRACE, 16384);
	for (size_t n = 0; n < 6; n++)
		put(&g[0], PITRACE_MTE, minors[n], 500);
	for (size_t n = 0; n < 6; n++)
		put(&g[1], PITRACE_TPROF, PITRACE_TPROF_USER, 500);
	for (int c = 0; c < 2; c++) {
		gen_ring_flush(&g[c]);
		gen_ring_close(&g[c]);
	}
	image_take(&i);
	f = image_open(&i);
	CU_ASSERT_EQUAL(take_all(f, PIMERGE_MTE | PIMERGE_TRACE, got, 16), 12);
	/* The unmap waits for the samples; records after it in its ring wait with it. */
	for (size_t n = 0; n < 6; n++)
		CU_ASSERT_EQUAL(got[n].r.major, PITRACE_TPROF);
	for (size_t n = 6; n < 12; n++)
		CU_ASSERT_EQUAL(got[n].r.minor, minors[k++]);
	pifile_close(f);
	image_free(&i);
}

static void snapshots_first(void)
{
	struct image i = image_begin(&header);
	struct gen_ring g;
	struct got got[16];
	struct pifile *f;

	gen_ring_open(&g, i.w, 0, PITRACE_RING_MTE, 16384);
	put(&g, PITRACE_MTE, 2, 5);
	put(&g, PITRACE_MTE, 3, 6);
	gen_ring_flush(&g);
	gen_ring_close(&g);
	for (uint32_t n = 0; n < 2; n++) {
		struct pitrace_rec r[2] = {
			{ 12 | PITRACE_TYPE_STRUCT, PITRACE_MTE, n * 10, 1000 - n },
			{ 12 | PITRACE_TYPE_STRUCT, PITRACE_MTE, n * 10 + 1, 1000 - n },
		};

		CU_ASSERT_EQUAL(pifile_write_snapshot(i.w, r, sizeof(r), (7ull << 32) + 1000 - n),
				0);
	}
	image_take(&i);
	f = image_open(&i);
	CU_ASSERT_EQUAL(take_all(f, PIMERGE_MTE, got, 16), 6);
	CU_ASSERT_EQUAL(got[0].r.minor, 0);
	CU_ASSERT_EQUAL(got[1].r.minor, 1);
	CU_ASSERT_EQUAL(got[2].r.minor, 10);
	CU_ASSERT_EQUAL(got[3].r.minor, 11);
	CU_ASSERT_EQUAL(got[3].r.snapshot, 1);
	CU_ASSERT_EQUAL(got[3].r.stamp, (7ull << 32) + 999);
	/* Each has its own time, although the one before it is later. */
	CU_ASSERT_EQUAL(got[1].r.time, (7ull << 32) + 1000);
	CU_ASSERT_EQUAL(got[2].r.time, (7ull << 32) + 999);
	CU_ASSERT_EQUAL(got[4].r.minor, 2);
	CU_ASSERT_EQUAL(got[4].r.snapshot, 0);
	CU_ASSERT_EQUAL(got[4].r.time, 5);
	CU_ASSERT_EQUAL(take_all(f, PIMERGE_TRACE, got, 16), 0);
	CU_ASSERT_EQUAL(pifile_faults(f, NULL), 0);
	pifile_close(f);
	image_free(&i);
}

static void twice_and_gaps(void)
{
	static const uint64_t sequences[] = { 0, 1, 1, 5, 3, 5, 6 };
	struct image i = image_begin(&header);
	struct gen_ring g;
	struct got got[16];
	struct pifile *f;

	gen_ring_open(&g, i.w, 0, PITRACE_RING_TRACE, 16384);
	for (uint32_t n = 0; n < 7; n++) {
		g.sequence = sequences[n];
		put(&g, 0xD0, n, n);
		gen_ring_flush(&g);
	}
	gen_ring_close(&g);
	image_take(&i);
	for (int again = 0; again < 2; again++) {
		f = image_open(&i);
		for (int pass = 0; pass <= again; pass++) {
			CU_ASSERT_EQUAL(take_all(f, PIMERGE_TRACE, got, 16), 4);
			CU_ASSERT_EQUAL(got[1].r.minor, 1);
			CU_ASSERT_EQUAL(got[2].r.minor, 3);
			CU_ASSERT_EQUAL(got[3].r.minor, 6);
			CU_ASSERT_EQUAL(pifile_faults(f, NULL), 3);
			ASSERT_FAULT(f, 0,
				     "segment 1 of CPU 0, ring 1 is duplicate or out of order");
			ASSERT_FAULT(f, 1, "segment 3 of CPU 0");
			ASSERT_FAULT(f, 2, "segment 5 of CPU 0");
		}
		pifile_close(f);
	}
	image_free(&i);
}

/* Sessions number their segments each for itself. */
static void sessions(void)
{
	struct image i = image_begin(&header);
	struct got got[16];
	struct pifile *f;

	for (uint32_t n = 0; n < 2; n++) {
		struct gen_ring g;

		gen_ring_open(&g, i.w, 0, PITRACE_RING_TRACE, 16384);
		g.session = 2 - n;
		put(&g, 0xD0, 1 - n, 10 - n);
		put(&g, 0xD0, 2 + n, 20 + n);
		gen_ring_flush(&g);
		gen_ring_close(&g);
	}
	image_take(&i);
	f = image_open(&i);
	CU_ASSERT_EQUAL(take_all(f, PIMERGE_TRACE, got, 16), 4);
	assert_order(got, 4);
	CU_ASSERT_EQUAL(pifile_faults(f, NULL), 0);
	pifile_close(f);
	image_free(&i);
}

/* Missing records of a ring are reported to the reader; a number that was never written is not a
 * gap. */
static void gaps(void)
{
	struct image i = image_begin(&header);
	struct gen_ring g;
	struct got got[8];
	struct pifile *f;
	size_t spoilt, gone;

	gen_ring_open(&g, i.w, 0, PITRACE_RING_TRACE, 16384);
	for (uint32_t n = 0; n < 6; n++) {
		g.sequence = n + n / 5;
		put(&g, 0xD0, n, n);
		gen_ring_flush(&g);
	}
	gen_ring_close(&g);
	image_take(&i);
	f = image_open(&i);
	CU_ASSERT_EQUAL(take_all(f, PIMERGE_TRACE, got, 8), 6);
	for (size_t n = 0; n < 6; n++)
		CU_ASSERT_EQUAL(got[n].r.gaps, 0);
	spoilt = pifile_section_offset(f, 1) + sizeof(struct pifile_section) + 70;
	gone = pifile_section_offset(f, 3) + 8;
	pifile_close(f);
	i.data[spoilt] ^= 1;
	i.data[gone] ^= 1;
	f = image_open(&i);
	CU_ASSERT_EQUAL(take_all(f, PIMERGE_TRACE, got, 8), 4);
	CU_ASSERT_EQUAL(got[0].r.gaps, 0);
	CU_ASSERT_EQUAL(got[1].r.minor, 2);
	CU_ASSERT_EQUAL(got[1].r.gaps, 1);
	CU_ASSERT_EQUAL(got[2].r.minor, 4);
	CU_ASSERT_EQUAL(got[2].r.gaps, 2);
	pifile_close(f);
	image_free(&i);
}

static void unknown_ring(void)
{
	struct image i = image_begin(&header);
	struct pifile_section s;
	struct gen_ring g;
	struct got got[4];
	struct pifile *f;

	gen_ring_open(&g, i.w, 0, PITRACE_RING_TRACE, 16384);
	put(&g, 0xD0, 0, 0);
	gen_ring_flush(&g);
	gen_ring_close(&g);
	image_take(&i);
	memcpy(&s, i.data + 256, sizeof(s));
	s.ring = 2;
	memcpy(i.data + 256, &s, sizeof(s));
	seal_section(i.data + 256, NULL);
	f = image_open(&i);
	CU_ASSERT_EQUAL(take_all(f, PIMERGE_MTE | PIMERGE_TRACE, got, 4), 0);
	CU_ASSERT_EQUAL(pifile_faults(f, NULL), 1);
	ASSERT_FAULT(f, 0, "unknown ring, 2");
	pifile_close(f);
	image_free(&i);
}

static void progress(void)
{
	struct image i = image_begin(&header);
	struct gen_ring g;
	uint64_t done, total, last = 0, sum = 0;
	struct pirecord r;
	struct pimerge *m;
	struct pifile *f;

	gen_ring_open(&g, i.w, 0, PITRACE_RING_TRACE, 16384);
	for (uint32_t n = 0; n < 10000; n++)
		put(&g, 0xD0, n, n);
	gen_ring_flush(&g);
	gen_ring_close(&g);
	image_take(&i);
	f = image_open(&i);
	m = pimerge_open(f, PIMERGE_TRACE);
	pimerge_progress(m, &done, &total);
	CU_ASSERT_EQUAL(done, 0);
	while (pimerge_next(m, &r)) {
		pimerge_progress(m, &done, &total);
		CU_ASSERT(done >= last && done < total);
		last = done;
	}
	pimerge_progress(m, &done, &total);
	CU_ASSERT_EQUAL(done, total);
	for (size_t k = 0; k < pifile_sections(f); k++)
		if (pifile_section(f, k)->type == PIFILE_SEC_SEGMENT)
			sum += pifile_section(f, k)->stored;
	CU_ASSERT_EQUAL(total, sum);
	pimerge_close(m);
	pifile_close(f);
	image_free(&i);
}

/* The heap against a plain sort, for many small random rings. */
struct flat {
	uint64_t stamp;
	uint32_t cpu, place;
};

static int by_flat(const void *a, const void *b)
{
	const struct flat *x = a, *y = b;

	if (x->stamp != y->stamp)
		return x->stamp < y->stamp ? -1 : 1;
	if (x->cpu != y->cpu)
		return x->cpu < y->cpu ? -1 : 1;
	return x->place < y->place ? -1 : 1;
}

static void against_a_sort(void)
{
	static struct flat flat[4096];
	static struct got got[4096];
	uint64_t random = 1;

	for (int turn = 0; turn < 60; turn++) {
		struct image i = image_begin(&header);
		uint32_t cpus = 1 + (uint32_t)turn % 13, n = 0;
		struct pifile *f;

		for (uint32_t c = 0; c < cpus; c++) {
			struct gen_ring g;
			uint64_t stamp = 100;

			gen_ring_open(&g, i.w, c, PITRACE_RING_TRACE, 16384);
			for (uint32_t k = 0; k < 300; k++) {
				random = random * 6364136223846793005ull + 1442695040888963407ull;
				stamp += (random >> 60) * (random >> 59 & 1);
				put(&g, 0xD0, k, stamp);
				flat[n++] = (struct flat){ stamp, c, k };
			}
			gen_ring_flush(&g);
			gen_ring_close(&g);
		}
		qsort(flat, n, sizeof(flat[0]), by_flat);
		image_take(&i);
		f = image_open(&i);
		CU_ASSERT_EQUAL(take_all(f, PIMERGE_TRACE, got, 4096), n);
		for (uint32_t k = 0; k < n; k++)
			if (got[k].r.stamp != flat[k].stamp || got[k].r.cpu != flat[k].cpu ||
			    got[k].r.minor != flat[k].place) {
				CU_FAIL("order");
				break;
			}
		pifile_close(f);
		image_free(&i);
	}
}

static void empty_file(void)
{
	struct image i = image_begin(&header);
	struct got got[1];
	struct pifile *f;

	image_take(&i);
	f = image_open(&i);
	CU_ASSERT_EQUAL(take_all(f, PIMERGE_MTE | PIMERGE_TRACE, got, 1), 0);
	CU_ASSERT_EQUAL(pifile_faults(f, NULL), 0);
	pifile_close(f);
	image_free(&i);
}

static const struct unit_test tests[] = {
	{ "by_time", by_time },
	{ "rank_at_one_instant", rank_at_one_instant },
	{ "ring_keeps_its_order", ring_keeps_its_order },
	{ "snapshots_first", snapshots_first },
	{ "twice_and_gaps", twice_and_gaps },
	{ "sessions", sessions },
	{ "gaps", gaps },
	{ "unknown_ring", unknown_ring },
	{ "progress", progress },
	{ "against_a_sort", against_a_sort },
	{ "empty_file", empty_file },
	{ 0 },
};

int main(void)
{
	return unit_run("merge", tests);
}
