// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * The driver's ring, compiled for user space: writers that nest at every step another one takes, a
 * reader that copies segments meanwhile. A segment that the reader may believe is whole, to the
 * last byte; every record is in the ring or counted as lost.
 */
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>
#include "unit.h"

/* Instead of the driver's ring/clock.h. */
#define PITRACE_CLOCK_H
#include <asm/local.h>
static u64 stamp_now;
static u64 clock_stamp(u32 clock)
{
	(void)clock;
	moment();
	return ++stamp_now;
}

static u64 arch_cycles(void)
{
	return clock_stamp(0);
}

static u64 ktime_get_mono_fast_ns(void)
{
	return clock_stamp(0);
}

/* The kernel does without this warning. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-compare"
#include "ring/ring.c"
#include "xorshift.h"
#pragma GCC diagnostic pop

#define SEGMENT 32768u
#define SIZE    (4 * SEGMENT)

static struct ring ring;
static u32 clock_kind = PITRACE_CLOCK_TSC;
static struct pitrace_cpu page;
static unsigned char *data;
static uint64_t random_state;
static unsigned int depth, most_depth, one_in; /* one moment of so many is an interrupt's */
static u64 tried, refused, closed, fills;

static u64 chance(u64 n)
{
	return xorshift(&random_state) % n;
}

/* ---- the reader, on another CPU -------------------------------------------------------------- */

#define STEPS 16
static unsigned char copy[SEGMENT];
static u64 reading_at;
static unsigned int reading_step; /* 0: not */
static u64 whole, torn;
static bool reads;

/* A record of this ring contains its position, counted from the beginning. */
static u64 wrong_records(const unsigned char *segment, u64 position)
{
	struct pitrace_segment h;
	u64 at = sizeof(h), wrong = 0;

	memcpy(&h, segment, sizeof(h));
	if (h.magic != PITRACE_SEGMENT_MAGIC || h.sequence != position / SEGMENT)
		return 1;
	while (at + sizeof(struct pitrace_rec) <= SEGMENT) {
		struct pitrace_rec rec;
		u32 length;
		u64 holds;

		memcpy(&rec, segment + at, sizeof(rec));
		length = rec.type_len & PITRACE_LEN_MASK;
		if (rec.major == PITRACE_PAD)
			break;
		if (length < sizeof(rec) || at + length > SEGMENT)
			return wrong + 1;
		memcpy(&holds, segment + at + sizeof(rec), sizeof(holds));
		if (rec.major == PITRACE_TPROF && holds != position + at)
			wrong++;
		at += length;
	}
	return wrong;
}

static void read_on(void)
{
	u64 head = __atomic_load_n(&page.ring[PITRACE_RING_TRACE].head, __ATOMIC_ACQUIRE);
	u64 end = head / SEGMENT * SEGMENT, part = SEGMENT / STEPS;

	if (!reading_step) {
		if (!end)
			return;
		/* The oldest are the ones in danger. */
		reading_at = end > SIZE ? end - SIZE + chance(2) * SEGMENT : 0;
	}
	memcpy(copy + reading_step * part, data + reading_at % SIZE + reading_step * part, part);
	if (++reading_step < STEPS)
		return;
	reading_step = 0;
	if (reading_at + SIZE < page.ring[PITRACE_RING_TRACE].opened) {
		torn++;
		return;
	}
	whole++;
	CU_ASSERT_EQUAL_FATAL(wrong_records(copy, reading_at), 0);
}

/* ---- the writers ----------------------------------------------------------------------------- */

static void put(u32 bytes)
{
	u64 head, at;
	u64 *p;

	tried++;
	p = ring_reserve(&ring, PITRACE_TPROF, PITRACE_TPROF_USER, bytes, PITRACE_LOST_TPROF);
	if (!p) {
		refused++;
		return;
	}
	head = (u64)local_read(&ring.head);
	at = (u64)((unsigned char *)p - data) - sizeof(struct pitrace_rec);
	at += (head - 1 - at) / SIZE * SIZE;
	moment();
	memset(p, 0xEE, bytes);
	memcpy(p, &at, sizeof(at));
	moment();
	ring_commit(&ring);
}

static void moment(void)
{
	if (!one_in)
		return;
	if (reads && !chance(3))
		read_on();
	if (depth < most_depth && !chance(one_in)) {
		depth++;
		put(8 + 4 * (u32)chance(20));
		depth--;
	}
}

static void full(struct ring *r)
{
	(void)r;
	fills++;
}

static void crossed(struct ring *r)
{
	(void)r;
	closed++;
}

static void begin(bool wrap)
{
	one_in = 0;
	data = data ? data : malloc(SIZE);
	memset(data, 0, SIZE);
	memset(&page, 0, sizeof(page));
	ring = (struct ring){
		.data = data,
		.size = SIZE,
		.segment = SEGMENT,
		.page = &page,
		.session = 1,
		.kind = PITRACE_RING_TRACE,
		.wrap = wrap,
		.full = full,
		.crossed = crossed,
		.clock = clock_kind,
	};
	ring_reset(&ring);
	tried = refused = closed = fills = whole = torn = 0;
	stamp_now = 0xFFFFF000; /* soon another high half */
	random_state = 88172645463325252ull;
	depth = reading_step = 0;
	reads = false;
}

static u64 end_of(void)
{
	return page.ring[PITRACE_RING_TRACE].head;
}

/* All that the ring holds, with what is lost. */
static void check_held(void)
{
	u64 end, at;

	one_in = 0;
	ring_close(&ring);
	end = end_of();
	CU_ASSERT_EQUAL(end % SEGMENT, 0);
	CU_ASSERT_EQUAL((u64)local_read(&ring.head), end);
	CU_ASSERT_EQUAL((local_read(&ring.nest) & (RING_CLOSED - 1)), 0);
	for (at = end > SIZE ? end - SIZE : 0; at < end; at += SEGMENT)
		CU_ASSERT_EQUAL(wrong_records(data + at % SIZE, at), 0);
	CU_ASSERT_EQUAL(page.lost[PITRACE_LOST_TPROF], refused);
	if (ring.wrap)
		CU_ASSERT_EQUAL(page.ring[PITRACE_RING_TRACE].opened, end);
}

static void test_wraps(void)
{
	unsigned int i;

	begin(true);
	for (i = 0; i < 400000; i++)
		put(20);
	check_held();
	CU_ASSERT_EQUAL(refused, 0);
	CU_ASSERT(end_of() > 90 * SIZE);
	CU_ASSERT(closed >= end_of() / SEGMENT);
}

/* Interrupts at any step, three deep, and a reader that believes what the rule lets it. */
static void test_wraps_nested(void)
{
	unsigned int i;

	begin(true);
	reads = true;
	most_depth = 3;
	one_in = 12;
	for (i = 0; i < 300000; i++)
		put(8 + 4 * (u32)chance(20));
	check_held();
	CU_ASSERT_EQUAL(refused, 0);
	CU_ASSERT(tried > 2 * i);
	CU_ASSERT(whole > 1000);
	CU_ASSERT(torn > 100);
}

/* A writer interrupted for longer than the ring lasts: its record stays, others are lost. */
static void test_lapped(void)
{
	u64 kept, *p;
	unsigned int i;

	begin(true);
	for (i = 0; i < 3000; i++)
		put(20);
	p = ring_reserve(&ring, PITRACE_TPROF, PITRACE_TPROF_USER, 8, PITRACE_LOST_TPROF);
	CU_ASSERT_PTR_NOT_NULL_FATAL(p);
	kept = (u64)((unsigned char *)p - data) - sizeof(struct pitrace_rec);
	memcpy(p, &kept, sizeof(kept));
	for (i = 0; i < 6000; i++)
		put(20);
	CU_ASSERT(refused > 1500 && refused < 6000);
	CU_ASSERT_EQUAL(fills, 1); /* of many losses the first is told */
	CU_ASSERT_EQUAL(*p, kept);
	ring_commit(&ring);
	i = (unsigned int)refused;
	/* It continues, and records the loss. */
	for (; i < 30000; i++)
		put(20);
	CU_ASSERT(refused < 6000);
	CU_ASSERT(end_of() > 5 * SIZE);
	CU_ASSERT_EQUAL(ring.announced[PITRACE_LOST_TPROF], refused);
	check_held();
}

/* The same writers where a consumer makes room: what it takes is whole, the rest is counted. */
static void test_consumed(void)
{
	u64 records = 0, end, at = 0;
	unsigned int i;

	begin(false);
	most_depth = 2;
	one_in = 20;
	for (i = 0; i < 200000; i++) {
		put(20);
		if (chance(4000))
			continue;
		one_in = 0;
		for (end = end_of() / SEGMENT * SEGMENT; at < end; at += SEGMENT, records++)
			CU_ASSERT_EQUAL(wrong_records(data + at % SIZE, at), 0);
		ring_consume(&ring, at);
		one_in = 20;
	}
	CU_ASSERT(records > 20);
	CU_ASSERT(refused > 0);
	ring_consume(&ring, end_of());
	check_held();
	CU_ASSERT_EQUAL(page.ring[PITRACE_RING_TRACE].opened, 0);
}

int main(void)
{
	static const struct unit_test tests[] = { { "wraps", test_wraps },
						  { "wraps_nested", test_wraps_nested },
						  { "lapped", test_lapped },
						  { "consumed", test_consumed },
						  { NULL, NULL } };

	int failed = unit_run("ring", tests);

	clock_kind = PITRACE_CLOCK_MONOTONIC;
	return unit_run("ring_other_clock", tests) || failed;
}
