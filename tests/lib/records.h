/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A collector's sink for unit tests: keeps the records of the segments that it is given, in the
 * order in which they came, and fails at the call that the test names.
 */
#ifndef RECORDS_H
#define RECORDS_H

#include "file/record_walk.h"
#include "unit.h"

#define RECORDS_MAX 16384

struct told {
	uint16_t ring, major;
	uint32_t cpu, minor, size, segment; /* the segment's number, of all that came */
	uint64_t stamp;
	union { /* its first bytes */
		uint8_t data[240];
		struct pitrace_sample sample;
		struct pitrace_idle idle;
		struct pitrace_dispatch dispatch;
		struct pitrace_lost_rec lost;
		struct pitrace_mte_task task;
		struct pitrace_mte_map map;
		struct pitrace_mte_unmap unmap;
		struct pitrace_mte_buildid id;
		struct pitrace_sync sync;
		struct pitrace_interval interval;
		struct pitrace_event_rec event;
		struct pitrace_branch branch;
		struct pitrace_break_rec brk;
		struct pitrace_itrace_mark mark;
		struct pitrace_code code;
	};
};

static struct told told[RECORDS_MAX];
static unsigned int ntold, nsegments;
static unsigned int sink_fails; /* at this call; 0: never */
static struct pitrace_segment last_segment;

static inline void records_forget(void)
{
	ntold = nsegments = sink_fails = 0;
}

static inline int records_take(void *arg, const void *segment, size_t size)
{
	struct record_walk w;
	struct record r;
	int got;

	(void)arg;
	if (++nsegments == sink_fails)
		return -EIO;
	CU_ASSERT_EQUAL_FATAL(record_walk_begin(&w, segment, size, &last_segment), 0);
	while ((got = record_next(&w, &r)) > 0) {
		struct told *t = &told[ntold];

		CU_ASSERT_FATAL(ntold++ < RECORDS_MAX);
		memset(t, 0, sizeof(*t));
		t->ring = last_segment.ring;
		t->cpu = last_segment.cpu;
		t->major = r.major;
		t->minor = r.minor;
		t->size = r.size;
		t->stamp = r.stamp;
		t->segment = nsegments;
		memcpy(t->data, r.data, r.size < sizeof(t->data) ? r.size : sizeof(t->data));
	}
	CU_ASSERT_EQUAL(got, 0);
	CU_ASSERT_EQUAL(w.backwards, 0);
	return 0;
}

/* The nth record of that kind, from 0, or NULL. A minor of UINT32_MAX is any. */
static inline const struct told *records_nth(uint16_t major, uint32_t minor, unsigned int n)
{
	for (unsigned int i = 0; i < ntold; i++)
		if (told[i].major == major && (told[i].minor == minor || minor == UINT32_MAX) &&
		    !n--)
			return &told[i];
	return NULL;
}

static inline unsigned int records_count(uint16_t major, uint32_t minor)
{
	unsigned int n = 0;

	while (records_nth(major, minor, n))
		n++;
	return n;
}

static inline uint64_t records_lost(uint32_t kind)
{
	const struct told *t;
	uint64_t sum = 0;

	for (unsigned int n = 0; (t = records_nth(PITRACE_LOST, kind, n)); n++)
		sum += t->lost.count;
	return sum;
}

#endif
