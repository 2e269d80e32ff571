// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Compares clock syncs with this program's own clocks: each is between the readings before and
 * after the call that made it, however slow the machine is; and their distances agree with those
 * here.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "abi.h"

enum { STAMP, MONOTONIC, BOOTTIME, REALTIME, CLOCKS };

struct now {
	uint64_t clock[CLOCKS];
};

static uint64_t ns_of(clockid_t which)
{
	struct timespec t;

	clock_gettime(which, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static struct now now(const struct view *v)
{
	struct now n = { .clock = {
				 [MONOTONIC] = ns_of(CLOCK_MONOTONIC),
				 [BOOTTIME] = ns_of(CLOCK_BOOTTIME),
				 [REALTIME] = ns_of(CLOCK_REALTIME),
			 } };

	n.clock[STAMP] = n.clock[MONOTONIC];
#ifdef __x86_64__
	if (v->control->clock == PITRACE_CLOCK_TSC)
		n.clock[STAMP] = __builtin_ia32_rdtsc();
#else
	(void)v;
#endif
	return n;
}

/* How far the clock is ahead of the monotonic one, from the quickest of many looks. */
static int64_t ahead(clockid_t which)
{
	uint64_t least = UINT64_MAX;
	int64_t result = 0;
	int i;

	for (i = 0; i < 200; i++) {
		uint64_t before = ns_of(CLOCK_MONOTONIC), there = ns_of(which);
		uint64_t took = ns_of(CLOCK_MONOTONIC) - before;

		if (took < least) {
			least = took;
			result = (int64_t)(there - before - took / 2);
		}
	}
	return result;
}

struct syncs {
	struct now on, on_done, off, off_done;
	struct now first, last;
	int64_t ahead[CLOCKS], off_by[CLOCKS]; /* the least of all syncs */
	unsigned int ons, offs, others, outside;
};

static void look(const struct pitrace_rec *rec, void *arg)
{
	static const char *const names[] = { "stamp", "monotonic", "boottime", "realtime" };
	const struct pitrace_sync *sync = (const void *)(rec + 1);
	const struct now *low, *high;
	struct syncs *s = arg;
	struct now has;
	int i;

	if (rec->major != PITRACE_SYNC)
		return;
	has = (struct now){ { sync->stamp, sync->monotonic, sync->boottime, sync->realtime } };
	switch (rec->minor) {
	case PITRACE_SYNC_ON:
		low = &s->on, high = &s->on_done;
		s->first = has;
		s->ons++;
		break;
	case PITRACE_SYNC_OFF:
		low = &s->off, high = &s->off_done;
		s->last = has;
		s->offs++;
		break;
	default:
		low = &s->on, high = &s->off_done;
		s->others++;
	}
	for (i = BOOTTIME; i < CLOCKS; i++) {
		int64_t by = (int64_t)(has.clock[i] - has.clock[MONOTONIC]) - s->ahead[i];

		if (llabs(by) < llabs(s->off_by[i]))
			s->off_by[i] = by;
	}
	for (i = 0; i < CLOCKS; i++) {
		unsigned long long it = has.clock[i], from = low->clock[i], to = high->clock[i];

		if (it >= from && it <= to)
			continue;
		s->outside++;
		wrong("%s of sync %u is %llu, the clock said %llu before and %llu after", names[i],
		      rec->minor, it, from, to);
	}
}

void test_clock(void)
{
	struct syncs s = {
		.ahead = { [BOOTTIME] = ahead(CLOCK_BOOTTIME), [REALTIME] = ahead(CLOCK_REALTIME) },
		.off_by = { [BOOTTIME] = INT64_MAX, [REALTIME] = INT64_MAX },
	};
	double stamps, time;
	struct view v;

	if (!begin(&v, plain(), 100))
		return;
	s.on = now(&v);
	want(0, ioctl(v.fd, PITRACE_IOC_ON));
	s.on_done = now(&v);
	nap(2500);
	s.off = now(&v);
	want(0, ioctl(v.fd, PITRACE_IOC_OFF));
	s.off_done = now(&v);
	each_record(&v, PITRACE_RING_MTE, look, &s);
	check(s.ons == 1 && s.offs == 1 && s.others >= 1 && !s.outside);
	/* A machine that is halted between two reads of one sync is not so in all. */
	check(llabs(s.off_by[BOOTTIME]) < 1000000 && llabs(s.off_by[REALTIME]) < 1000000);

	/* The session's rate is that of the stamps. */
	stamps = (double)(s.last.clock[STAMP] - s.first.clock[STAMP]);
	stamps /= (double)v.control->clock_hz;
	time = (double)(s.last.clock[MONOTONIC] - s.first.clock[MONOTONIC]) / 1e9;
	check(stamps > 0.98 * time && stamps < 1.02 * time);
	printf("# %u syncs, %.6f s by stamps, %.6f s by the clock; boottime off by %lld ns, realtime %lld\n",
	       s.ons + s.offs + s.others, stamps, time, (long long)s.off_by[BOOTTIME],
	       (long long)s.off_by[REALTIME]);
	unview(&v);
	no_session_left();
}
