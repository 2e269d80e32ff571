/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Records: each kind's way through ring, file and merge; each cut short; each odd ending. */
#include "image.h"
#include "file/record_walk.h"
#include <perfutil.h>

struct kind {
	uint16_t major;
	uint32_t minor;
	uint16_t type;
	uint32_t size;
};

static const struct kind kinds[] = {
	{ PITRACE_TPROF, PITRACE_TPROF_KERNEL, 3, sizeof(struct pitrace_sample) },
	{ PITRACE_TPROF, PITRACE_TPROF_USER, 3, sizeof(struct pitrace_sample) },
	{ PITRACE_TPROF, PITRACE_TPROF_USER | PITRACE_TPROF_LATE, 3,
	  sizeof(struct pitrace_sample) },
	{ PITRACE_TPROF, PITRACE_TPROF_KERNEL | PITRACE_TPROF_LATE, 3,
	  sizeof(struct pitrace_sample) },
	{ PITRACE_TPROF, PITRACE_TPROF_IDLE, 3, sizeof(struct pitrace_idle) },
	{ PITRACE_SYNC, PITRACE_SYNC_ON, 3, sizeof(struct pitrace_sync) },
	{ PITRACE_SYNC, PITRACE_SYNC_OFF, 3, sizeof(struct pitrace_sync) },
	{ PITRACE_SYNC, PITRACE_SYNC_SECOND, 3, sizeof(struct pitrace_sync) },
	{ PITRACE_SYNC, PITRACE_SYNC_SUSPEND, 3, sizeof(struct pitrace_sync) },
	{ PITRACE_SYNC, PITRACE_SYNC_RESUME, 3, sizeof(struct pitrace_sync) },
	{ PITRACE_SYNC, PITRACE_SYNC_CPU_ONLINE, 3, sizeof(struct pitrace_sync) },
	{ PITRACE_SYNC, PITRACE_SYNC_CPU_OFFLINE, 3, sizeof(struct pitrace_sync) },
	{ PITRACE_LOST, PITRACE_LOST_MTE, 3, sizeof(struct pitrace_lost_rec) },
	{ PITRACE_LOST, PITRACE_LOST_TPROF, 3, sizeof(struct pitrace_lost_rec) },
	{ PITRACE_LOST, PITRACE_LOST_OVERRUN, 3, sizeof(struct pitrace_lost_rec) },
	{ PITRACE_LOST, PITRACE_LOST_OTHER, 3, sizeof(struct pitrace_lost_rec) },
	{ PITRACE_MTE, PITRACE_MTE_MODULE, 3, sizeof(struct pitrace_mte_map) + 4 },
	{ PITRACE_MTE, PITRACE_MTE_BUILDID, 3, sizeof(struct pitrace_mte_buildid) },
	{ PITRACE_MTE, PITRACE_MTE_NAME, 3, sizeof(struct pitrace_mte_task) },
	{ PITRACE_MTE, PITRACE_MTE_CLONE, 3, sizeof(struct pitrace_mte_task) },
	{ PITRACE_MTE, PITRACE_MTE_PROCESS, 3, sizeof(struct pitrace_mte_task) },
	{ PITRACE_MTE, PITRACE_MTE_PROCESS_EXIT, 3, sizeof(struct pitrace_mte_task) },
	{ PITRACE_MTE, PITRACE_MTE_THREAD, 3, sizeof(struct pitrace_mte_task) },
	{ PITRACE_MTE, PITRACE_MTE_THREAD_EXIT, 3, sizeof(struct pitrace_mte_task) },
	{ PITRACE_MTE, PITRACE_MTE_UNMAP, 3, sizeof(struct pitrace_mte_unmap) },
	{ PITRACE_MTE, PITRACE_MTE_UNLOAD, 3, sizeof(struct pitrace_mte_map) },
	{ PITRACE_MTE, PITRACE_MTE_FORK, 3, sizeof(struct pitrace_mte_task) },
	{ PITRACE_SYSINFO, PITRACE_SYSINFO_INTERVAL, 3, sizeof(struct pitrace_interval) },
	/* users' */
	{ 0xB0, 1, PITRACE_TYPE_U32, 0 },
	{ 0xB0, 1, PITRACE_TYPE_U32, 4 },
	{ 0xD0, 0xFFFFFFFF, PITRACE_TYPE_U64, 16 },
	{ 0xFF, 0, PITRACE_TYPE_MIXED, 60 },
};
#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

static void pattern(uint8_t *p, size_t n, unsigned int seed)
{
	for (size_t i = 0; i < n; i++)
		p[i] = (uint8_t)(seed * 37 + i * 11 + 1);
}

static void put_kind(struct gen_ring *r, size_t k, uint64_t stamp)
{
	pattern(gen_record(r, kinds[k].major, kinds[k].minor, kinds[k].type, kinds[k].size, stamp),
		kinds[k].size, (unsigned int)k);
}

static void round_trip(void)
{
	struct pifile_header h = image_header(PITRACE_CLOCK_MONOTONIC, 1000000000);

	for (int level = 0; level < 2; level++)
		for (uint32_t ring = 0; ring < PITRACE_RINGS; ring++) {
			struct image i = image_begin(&h);
			struct gen_ring g;
			struct got got[KINDS];
			struct pifile *f;
			uint8_t want[64];

			pifile_set_compression(i.w, level);
			gen_ring_open(&g, i.w, 3, ring, 16384);
			for (size_t k = 0; k < KINDS; k++)
				put_kind(&g, k, 1000 + k);
			CU_ASSERT_EQUAL(gen_ring_flush(&g), 0);
			gen_ring_close(&g);
			image_take(&i);
			f = image_open(&i);
			CU_ASSERT_EQUAL(take_all(f, PIMERGE_MTE | PIMERGE_TRACE, got, KINDS),
					KINDS);
			for (size_t k = 0; k < KINDS; k++) {
				const struct pirecord *r = &got[k].r;

				pattern(want, 64, (unsigned int)k);
				CU_ASSERT_EQUAL(r->major, kinds[k].major);
				CU_ASSERT_EQUAL(r->minor, kinds[k].minor);
				CU_ASSERT_EQUAL(r->type, kinds[k].type);
				CU_ASSERT_EQUAL(r->size, kinds[k].size);
				CU_ASSERT_EQUAL(r->stamp, 1000 + k);
				CU_ASSERT_EQUAL(r->time, 1000 + k);
				CU_ASSERT_EQUAL(r->cpu, 3);
				CU_ASSERT_EQUAL(r->ring, ring);
				CU_ASSERT_EQUAL(r->snapshot, 0);
				CU_ASSERT_EQUAL(r->offset, sizeof(struct pifile_header));
				CU_ASSERT(!memcmp(got[k].data, want, r->size < 64 ? r->size : 64));
			}
			/* The patterns make odd syncs, which count in MTE rings only. */
			CU_ASSERT_EQUAL(pifile_faults(f, NULL), ring == PITRACE_RING_MTE);
			if (ring == PITRACE_RING_MTE)
				ASSERT_FAULT(f, 0, "syncs go backwards");
			CU_ASSERT(pifile_complete(f));
			pifile_close(f);
			image_free(&i);
		}
}

/* A segment with a single record, cut at each byte: in memory of exactly that size, so that a
 * sanitizer notices a read beyond it. */
static void cut_by_one(void)
{
	for (size_t k = 0; k < KINDS; k++) {
		struct gen_ring g;
		uint32_t used;

		gen_ring_open(&g, NULL, 0, 0, 16384);
		put_kind(&g, k, 5);
		used = g.at;
		CU_ASSERT_EQUAL(used, sizeof(struct pitrace_segment) + 12 + kinds[k].size);
		for (uint32_t n = 0; n <= used; n++) {
			uint8_t *copy = malloc(n ? n : 1);
			struct pitrace_segment h;
			struct record_walk w;
			struct record r;

			memcpy(copy, g.segment, n);
			if (n < sizeof(h)) {
				CU_ASSERT_EQUAL(record_walk_begin(&w, copy, n, &h), -EBADMSG);
				CU_ASSERT_PTR_NOT_NULL(w.why);
			} else {
				CU_ASSERT_EQUAL(record_walk_begin(&w, copy, n, &h), 0);
				if (n == used) {
					CU_ASSERT_EQUAL(record_next(&w, &r), 1);
					CU_ASSERT_EQUAL(record_next(&w, &r), 0);
					CU_ASSERT_EQUAL(w.b.at, used);
				} else if (n == sizeof(h)) {
					CU_ASSERT_EQUAL(record_next(&w, &r), 0);
				} else {
					CU_ASSERT_EQUAL(record_next(&w, &r), -EBADMSG);
					CU_ASSERT_PTR_NOT_NULL(w.why);
					CU_ASSERT_EQUAL(w.b.at, sizeof(h));
				}
			}
			free(copy);
		}
		gen_ring_close(&g);
	}
}

/* Segments filled so that 0, 4, 8, 12 … bytes are left for the PAD. */
static void pad_of_every_size(void)
{
	for (uint32_t left = 0; left <= 64; left += 4) {
		struct gen_ring g;
		struct pitrace_segment h;
		struct record_walk w;
		struct record r;
		const void *segment;
		uint32_t first = 16384 - 64 - 12 - 12 - left;

		gen_ring_open(&g, NULL, 0, 1, 16384);
		memset(gen_record(&g, 0xD0, 1, PITRACE_TYPE_U32, first - 100, 7), 1, first - 100);
		memset(gen_record(&g, 0xD0, 2, PITRACE_TYPE_U32, 100, 8), 2, 100);
		CU_ASSERT_EQUAL(g.at, 16384 - left);
		segment = gen_ring_segment(&g);
		CU_ASSERT_EQUAL(record_walk_begin(&w, segment, 16384, &h), 0);
		CU_ASSERT_EQUAL(record_next(&w, &r), 1);
		CU_ASSERT_EQUAL(record_next(&w, &r), 1);
		CU_ASSERT_EQUAL(r.minor, 2);
		CU_ASSERT_EQUAL(record_next(&w, &r), 0);
		CU_ASSERT_EQUAL(w.b.at, 16384 - left);
		CU_ASSERT_EQUAL(record_next(&w, &r), 0);
		gen_ring_close(&g);
	}
}

static void high_half(void)
{
	static const uint64_t stamps[] = {
		0x0000000500000000, 0x00000005FFFFFFFF, 0x0000000600000000, 0x0000000600000001,
		0x00000009FFFFFFFF, 0xFFFFFFFF00000000, 0xFFFFFFFFFFFFFFFF,
	};
	struct gen_ring g;
	struct pitrace_segment h;
	struct record_walk w;
	struct record r;

	gen_ring_open(&g, NULL, 0, 1, 16384);
	for (size_t i = 0; i < 7; i++)
		put_kind(&g, 0, stamps[i]);
	CU_ASSERT_EQUAL(g.at, 64 + 7 * 32 + 3 * 12);
	CU_ASSERT_EQUAL(record_walk_begin(&w, g.segment, g.at, &h), 0);
	for (size_t i = 0; i < 7; i++) {
		CU_ASSERT_EQUAL(record_next(&w, &r), 1);
		CU_ASSERT_EQUAL(r.stamp, stamps[i]);
	}
	CU_ASSERT_EQUAL(record_next(&w, &r), 0);
	CU_ASSERT_EQUAL(w.backwards, 0);
	gen_ring_close(&g);
}

static int walk_words(const uint32_t *words, size_t n, const char **why)
{
	struct record_walk w;
	struct record r;
	int got;

	record_walk_bare(&w, words, n * 4, 0);
	do
		got = record_next(&w, &r);
	while (got > 0);
	*why = w.why;
	return got;
}

static void odd_records(void)
{
	const uint32_t tprof = PITRACE_TPROF << 16, pad = PITRACE_PAD << 16;
	const char *why;

	CU_ASSERT_EQUAL(walk_words((uint32_t[]){ tprof, 0, 0 }, 3, &why), -EBADMSG);
	CU_ASSERT_STRING_EQUAL(why, "a record of length 0");
	CU_ASSERT_EQUAL(walk_words((uint32_t[]){ 3 | tprof, 0, 0 }, 3, &why), -EBADMSG);
	CU_ASSERT_STRING_EQUAL(why, "a record of length 0");
	CU_ASSERT_EQUAL(walk_words((uint32_t[]){ 8 | tprof, 0, 0 }, 3, &why), -EBADMSG);
	CU_ASSERT_STRING_EQUAL(why, "a record shorter than its header");
	CU_ASSERT_EQUAL(walk_words((uint32_t[]){ 16 | tprof, 0, 0 }, 3, &why), -EBADMSG);
	CU_ASSERT_STRING_EQUAL(why, "a record longer than the segment");
	CU_ASSERT_EQUAL(walk_words((uint32_t[]){ 0xFFFC | tprof, 0, 0, 0 }, 4, &why), -EBADMSG);
	CU_ASSERT_EQUAL(walk_words((uint32_t[]){ 12 | tprof, 0, 0, 0 }, 4, &why), -EBADMSG);
	CU_ASSERT_EQUAL(walk_words((uint32_t[]){ 12 | tprof, 0, 0, 4 | pad }, 4, &why), 0);
	CU_ASSERT_EQUAL(walk_words((uint32_t[]){ 12 | tprof, 0, 0, 8 | pad, 7 }, 5, &why), 0);
	CU_ASSERT_EQUAL(walk_words((uint32_t[]){ 12 | tprof, 0, 0, 8 | tprof, 7 }, 5, &why),
			-EBADMSG);
	/* A PAD reaches to the end whatever it states. */
	CU_ASSERT_EQUAL(walk_words((uint32_t[]){ 0 | pad, 0, 0, 99 }, 4, &why), 0);
	CU_ASSERT_EQUAL(walk_words((uint32_t[]){ 0xFFFC | pad, 0, 0, 99 }, 4, &why), 0);
	/* HIGH counts as a record for lengths. */
	CU_ASSERT_EQUAL(walk_words((uint32_t[]){ 8 | PITRACE_HIGH << 16, 0, 0 }, 3, &why),
			-EBADMSG);
	CU_ASSERT_EQUAL(walk_words((uint32_t[]){ 12 | PITRACE_HIGH << 16, 0, 0 }, 3, &why), 0);
	CU_ASSERT_EQUAL(walk_words(NULL, 0, &why), 0);
}

static void odd_segments(void)
{
	struct pitrace_segment good = { .magic = PITRACE_SEGMENT_MAGIC, .size = 64 }, s, out;
	struct record_walk w;

	s = good;
	CU_ASSERT_EQUAL(record_walk_begin(&w, &s, 64, &out), 0);
	s.magic ^= 1;
	CU_ASSERT_EQUAL(record_walk_begin(&w, &s, 64, &out), -EBADMSG);
	s = good;
	s.size = 60;
	CU_ASSERT_EQUAL(record_walk_begin(&w, &s, 64, &out), -EBADMSG);
	s.size = 66;
	CU_ASSERT_EQUAL(record_walk_begin(&w, &s, 64, &out), -EBADMSG);
	s.size = 68;
	CU_ASSERT_EQUAL(record_walk_begin(&w, &s, 64, &out), -EBADMSG);
	s = good;
	s.ring = 2;
	CU_ASSERT_EQUAL(record_walk_begin(&w, &s, 64, &out), -EBADMSG);
}

static void names(void)
{
	int named = 0;

	CU_ASSERT_STRING_EQUAL(TraceMajorName(PITRACE_MTE), "mte");
	CU_ASSERT_STRING_EQUAL(TraceMajorName(PITRACE_HOOKIT), "user");
	CU_ASSERT_STRING_EQUAL(TraceMajorName(PITRACE_USER_FIRST), "user");
	CU_ASSERT_STRING_EQUAL(TraceMajorName(PITRACE_MAJORS - 1), "user");
	CU_ASSERT_PTR_NULL(TraceMajorName(0));
	CU_ASSERT_PTR_NULL(TraceMajorName(-1));
	CU_ASSERT_PTR_NULL(TraceMajorName(PITRACE_MAJORS));
	for (size_t k = 0; k < KINDS; k++)
		CU_ASSERT_PTR_NOT_NULL(TraceMajorName(kinds[k].major));
	for (int k = 0; k < PITRACE_LOST_KINDS; k++)
		named += strcmp(TraceLostName(k), "unknown") != 0;
	CU_ASSERT_EQUAL(named, PITRACE_LOST_BRANCH + 1);
	CU_ASSERT_STRING_EQUAL(TraceLostName(-1), "unknown");
	CU_ASSERT_STRING_EQUAL(TraceLostName(PITRACE_LOST_KINDS), "unknown");
}

static const struct unit_test tests[] = {
	{ "round_trip", round_trip },
	{ "cut_by_one", cut_by_one },
	{ "pad_of_every_size", pad_of_every_size },
	{ "high_half", high_half },
	{ "odd_records", odd_records },
	{ "odd_segments", odd_segments },
	{ "names", names },
	{ 0 },
};

int main(void)
{
	return unit_run("record", tests);
}
