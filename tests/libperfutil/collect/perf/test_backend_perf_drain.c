/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The collector `perf` on a kernel of the test's own: on and off, and what drains hand over.
 */
#include "fake_perf.h"

/* ---- on and off ------------------------------------------------------------------------------ */

static void on_off(void)
{
	const struct told *t;

	begin();
	config.nevents = 2;
	config.events[0] = (struct pitrace_event_args){ .period = 300, .flags = 2, .name = "one" };
	config.events[1] = (struct pitrace_event_args){ .period = 400, .name = "two" };
	open_it();
	CU_ASSERT_EQUAL(collector_perf.off(b), -EALREADY);
	CU_ASSERT(!info()->driver_have && !info()->driver_missing);
	CU_ASSERT(info()->state == PITRACE_STATE_OFF && info()->interval == 0);
	CU_ASSERT_EQUAL(collector_perf.fd(b) >= 0, 1);
	turn_on();
	CU_ASSERT_EQUAL(collector_perf.on(b, &config), -EBUSY);
	CU_ASSERT(info()->state == PITRACE_STATE_ON && info()->interval == 1);
	CU_ASSERT(on(PERF_NAMES) == 2 && on(PERF_SAMPLES) == 4 && !on(PERF_SWITCHES));
	CU_ASSERT_EQUAL(walks, 1);
	tick(0, now_ns());
	drain(true);
	CU_ASSERT_EQUAL(told[0].major, PITRACE_SYNC);
	CU_ASSERT_EQUAL(records_count(PITRACE_SYNC, PITRACE_SYNC_ON), 1);
	CU_ASSERT_EQUAL(records_count(PITRACE_MTE, PITRACE_MTE_PROCESS), 1);
	t = records_nth(PITRACE_SYSINFO, PITRACE_SYSINFO_INTERVAL, 0);
	CU_ASSERT_FATAL(t != NULL);
	CU_ASSERT(t->interval.interval == 1 && !t->interval.flags && !t->interval.dither);
	CU_ASSERT(t->interval.cpus_present == 2 && t->interval.cpus_online);
	for (unsigned int i = 0; i < 2; i++) {
		t = records_nth(PITRACE_SYSINFO, PITRACE_SYSINFO_EVENT, i);
		CU_ASSERT_FATAL(t != NULL);
		CU_ASSERT(t->event.event == i && t->event.period == 300 + 100 * i);
		CU_ASSERT_EQUAL(t->event.flags, i ? 0 : 2);
		CU_ASSERT_STRING_EQUAL(t->event.name, i ? "two" : "one");
	}
	CU_ASSERT(info()->ticks == 1 && info()->ncpus == 2);
	CU_ASSERT_EQUAL(collector_perf.off(b), 0);
	CU_ASSERT_EQUAL(info()->state, PITRACE_STATE_OFF);
	CU_ASSERT(!on(PERF_NAMES) && !on(PERF_SAMPLES));
	CU_ASSERT_EQUAL(walks, 1);
	drain(true);
	CU_ASSERT_EQUAL(records_count(PITRACE_SYNC, PITRACE_SYNC_OFF), 1);
	/* Again; what the rings held in between is not of this interval. */
	tick(0, now_ns());
	turn_on();
	records_forget();
	drain(true);
	CU_ASSERT_EQUAL(records_count(PITRACE_TPROF, UINT32_MAX), 0);
	t = records_nth(PITRACE_SYSINFO, PITRACE_SYSINFO_INTERVAL, 0);
	CU_ASSERT_EQUAL(t->interval.interval, 2);
	CU_ASSERT(info()->interval == 2 && !info()->ticks);
	CU_ASSERT_EQUAL(opened, 1 + 2 * 3 + 1);
	/* Others are opened anew. */
	CU_ASSERT_EQUAL(collector_perf.off(b), 0);
	config.events[1].period = 500;
	turn_on();
	CU_ASSERT_EQUAL(find(0, PERF_SAMPLES, 1)->attr.sample_period, 500);
	CU_ASSERT_EQUAL(collector_perf.off(b), 0);
	config.nevents = 1;
	turn_on();
	CU_ASSERT_PTR_NULL(find(0, PERF_SAMPLES, 1));
	CU_ASSERT_EQUAL(collector_perf.off(b), 0);
	config.nevents = 0;
	turn_on();
	CU_ASSERT_EQUAL(collector_perf.off(b), 0);
	opened = 0;
	turn_on();
	CU_ASSERT_EQUAL(collector_perf.off(b), 0);
	CU_ASSERT_EQUAL(opened, 0);
	config.rate = 500;
	turn_on();
	CU_ASSERT_EQUAL(find(0, PERF_SAMPLES, 0)->attr.sample_period, 2000000);
	records_forget();
	drain(true);
	CU_ASSERT_EQUAL(records_nth(PITRACE_SYSINFO, PITRACE_SYSINFO_INTERVAL, 0)->interval.rate,
			500);
	CU_ASSERT_EQUAL(collector_perf.clock_hz(b), SECOND);
	close_it();
}

/* Only requested events are on; switches have rings once they are. */
static void majors(void)
{
	for (int how = 0; how < 4; how++) {
		begin();
		memset(config.majors, 0, sizeof(config.majors));
		open_it();
		if (how & 1)
			set(config.majors, PITRACE_TPROF);
		if (how & 2)
			set(config.majors, PITRACE_DISPATCH);
		turn_on();
		CU_ASSERT_EQUAL(on(PERF_NAMES), 2);
		CU_ASSERT_EQUAL(on(PERF_SAMPLES), how & 1 ? 2 : 0);
		CU_ASSERT_EQUAL(on(PERF_SWITCHES), how & 2 ? 2 : 0);
		CU_ASSERT_EQUAL(find(1, PERF_SWITCHES, 0) != NULL, !!(how & 2));
		if (how & 2) {
			CU_ASSERT(find(1, PERF_SWITCHES, 0)->pid == -1);
			CU_ASSERT_EQUAL(find(1, PERF_SWITCHES, 0)->ring.bytes, 131072);
			put_switch(&find(1, PERF_SWITCHES, 0)->ring, 1, 2, now_ns());
			drain(true);
			CU_ASSERT_EQUAL(records_count(PITRACE_DISPATCH, UINT32_MAX), 1);
		}
		CU_ASSERT_EQUAL(collector_perf.suspend(b, true), 0);
		CU_ASSERT(!on(PERF_SAMPLES) && !on(PERF_SWITCHES) && on(PERF_NAMES) == 2);
		CU_ASSERT_EQUAL(collector_perf.suspend(b, false), 0);
		CU_ASSERT_EQUAL(on(PERF_SAMPLES), how & 1 ? 2 : 0);
		CU_ASSERT_EQUAL(on(PERF_SWITCHES), how & 2 ? 2 : 0);
		CU_ASSERT_EQUAL(collector_perf.off(b), 0);
		CU_ASSERT(!on(PERF_NAMES) && !on(PERF_SAMPLES) && !on(PERF_SWITCHES));
		turn_on();
		CU_ASSERT_EQUAL(on(PERF_SWITCHES), how & 2 ? 2 : 0);
		CU_ASSERT_PTR_NULL(find(1, PERF_SWITCHES, 1));
		close_it();
	}
}

static void on_fails(void)
{
	begin();
	open_it();
	walk_fails = -ESRCH;
	CU_ASSERT_EQUAL(collector_perf.on(b, &config), -ESRCH);
	CU_ASSERT(!on(PERF_NAMES) && !on(PERF_SAMPLES) && info()->state == PITRACE_STATE_OFF);
	walk_fails = 0;
	refuses = refuse;
	refuse_switches = EMFILE;
	refuse_with = refuse_kernel = 0;
	set(config.majors, PITRACE_DISPATCH);
	CU_ASSERT_EQUAL(collector_perf.on(b, &config), -EMFILE);
	CU_ASSERT(!on(PERF_NAMES) && info()->state == PITRACE_STATE_OFF);
	refuse_switches = 0;
	turn_on();
	CU_ASSERT_EQUAL(collector_perf.off(b), 0);
	/* New events that cannot be opened; then they can. */
	refuse_with = EMFILE;
	config.rate = 300;
	CU_ASSERT_EQUAL(collector_perf.on(b, &config), -EMFILE);
	CU_ASSERT_EQUAL(info()->state, PITRACE_STATE_OFF);
	CU_ASSERT_EQUAL(collector_perf.on(b, &config), -EMFILE);
	refuse_with = 0;
	turn_on();
	CU_ASSERT(on(PERF_NAMES) == 2 && on(PERF_SAMPLES) == 2);
	CU_ASSERT_EQUAL(find(0, PERF_SAMPLES, 0)->attr.sample_period, SECOND / 300);
	close_it();
	/* Turns that cannot begin. */
	begin();
	config.dither = 50;
	open_it();
	fails_eventfd = 1;
	CU_ASSERT_EQUAL(collector_perf.on(b, &config), -EMFILE);
	CU_ASSERT(!on(PERF_NAMES) && info()->state == PITRACE_STATE_OFF);
	turn_on();
	CU_ASSERT_EQUAL(on(PERF_SAMPLES), 2);
	records_forget();
	drain(true);
	CU_ASSERT_EQUAL(records_nth(PITRACE_SYSINFO, PITRACE_SYSINFO_INTERVAL, 0)->interval.dither,
			50);
	CU_ASSERT_EQUAL(collector_perf.off(b), 0);
	CU_ASSERT_EQUAL(on(PERF_SAMPLES), 0);
	close_it();
}

static void suspended(void)
{
	begin();
	open_it();
	CU_ASSERT_EQUAL(collector_perf.suspend(b, true), -EINVAL);
	CU_ASSERT_EQUAL(collector_perf.suspend(b, false), -EINVAL);
	turn_on();
	tick(0, now_ns());
	drain(true);
	CU_ASSERT_EQUAL(collector_perf.suspend(b, false), 0);
	CU_ASSERT_EQUAL(find(0, PERF_SAMPLES, 0)->turned, 1);
	CU_ASSERT_EQUAL(collector_perf.suspend(b, true), 0);
	CU_ASSERT_EQUAL(info()->state, PITRACE_STATE_SUSPENDED);
	CU_ASSERT_EQUAL(collector_perf.suspend(b, true), 0);
	records_forget();
	drain(true);
	CU_ASSERT_EQUAL(records_count(PITRACE_SYSINFO, UINT32_MAX), 0);
	CU_ASSERT_EQUAL(collector_perf.suspend(b, false), 0);
	CU_ASSERT_EQUAL(info()->state, PITRACE_STATE_ON);
	/* The pause is no gap, but an interval's beginning. */
	tick(0, now_ns() + 5 * SECOND);
	drain(true);
	CU_ASSERT_EQUAL(records_count(PITRACE_SYSINFO, PITRACE_SYSINFO_INTERVAL), 1);
	CU_ASSERT_EQUAL(records_lost(PITRACE_LOST_OVERRUN), 0);
	CU_ASSERT_EQUAL(info()->ticks, 2);
	close_it();
}

/* Losses that events count themselves, beyond those that records report. */
static void counted_lost(void)
{
	struct pifile_stats *stats;

	begin();
	set(config.majors, PITRACE_DISPATCH);
	open_it();
	turn_on();
	CU_ASSERT_EQUAL(collector_perf.off(b), 0);
	find(0, PERF_SAMPLES, 0)->lost = 100; /* of before */
	find(1, PERF_SWITCHES, 0)->lost = 50;
	turn_on();
	find(0, PERF_SAMPLES, 0)->lost = 103;
	find(1, PERF_SWITCHES, 0)->lost = 54;
	find(1, PERF_NAMES, 0)->lost = 5;
	put_lost(&find(0, PERF_SAMPLES, 0)->ring, 7, now_ns());
	put_lost(&find(1, PERF_NAMES, 0)->ring, 2, now_ns());
	tick(1, now_ns());
	drain(true);
	CU_ASSERT(info()->lost[PITRACE_LOST_DISPATCH] == 0 && info()->lost[PITRACE_LOST_MTE] == 2);
	CU_ASSERT_EQUAL(walks, 3); /* names were lost: all again */
	CU_ASSERT_EQUAL(collector_perf.off(b), 0);
	drain(true);
	CU_ASSERT_EQUAL(info()->lost[PITRACE_LOST_TPROF], 7); /* records told of more */
	CU_ASSERT_EQUAL(info()->lost[PITRACE_LOST_DISPATCH], 4);
	CU_ASSERT_EQUAL(info()->lost[PITRACE_LOST_MTE], 5);
	find(1, PERF_SWITCHES, 0)->lost = 60;
	drain(true);
	CU_ASSERT_EQUAL(info()->lost[PITRACE_LOST_DISPATCH], 10);
	CU_ASSERT_EQUAL_FATAL(collector_perf.stats(b, &stats), 2);
	CU_ASSERT(stats[0].cpu == 0 && stats[1].cpu == 1 && stats[0].online && stats[1].online);
	CU_ASSERT(stats[0].lost[PITRACE_LOST_TPROF] == 7 && stats[1].lost[PITRACE_LOST_MTE] == 5);
	CU_ASSERT(stats[1].ticks == 1 && !stats[0].ticks && !stats[0].idle_ticks);
	CU_ASSERT_EQUAL(stats[1].trace_bytes, 4096);
	CU_ASSERT(stats[0].mte_bytes >= 2 * 4096 && stats[0].mte_bytes % 4096 == 0);
	free(stats);
	close_it();
	/* A loss that both a record in the ring and the event report counts once. */
	begin();
	open_it();
	turn_on();
	put_lost(&find(0, PERF_SAMPLES, 0)->ring, 7, now_ns());
	find(0, PERF_SAMPLES, 0)->lost = 7;
	CU_ASSERT_EQUAL(collector_perf.off(b), 0);
	drain(true);
	CU_ASSERT_EQUAL(info()->lost[PITRACE_LOST_TPROF], 7);
	close_it();
	/* Names that are lost while it goes off are read again. */
	begin();
	old_kernel = true;
	open_it();
	turn_on();
	find(0, PERF_NAMES, 0)->lost = 9; /* it does not know */
	drain(true);
	put_lost(&find(1, PERF_NAMES, 0)->ring, 2, now_ns());
	CU_ASSERT_EQUAL(collector_perf.off(b), 0);
	CU_ASSERT_EQUAL(walks, 1);
	drain(true);
	CU_ASSERT_EQUAL(walks, 1); /* it is off: of no use */
	CU_ASSERT_EQUAL(info()->lost[PITRACE_LOST_MTE], 2);
	close_it();
}

/* ---- drains ---------------------------------------------------------------------------------- */

static bool readable(void)
{
	struct pollfd p = { .fd = collector_perf.fd(b), .events = POLLIN };

	return poll(&p, 1, 0) > 0;
}

static bool readable_soon(void)
{
	struct pollfd p = { .fd = collector_perf.fd(b), .events = POLLIN };

	return poll(&p, 1, 10000) > 0;
}

static void continuous(void)
{
	begin();
	open_it();
	drain(true);
	CU_ASSERT_EQUAL(ntold, 0);
	turn_on();
	drain(true);
	records_forget();
	/* A drain in between reads what is much; that of each second all. */
	tick(0, now_ns());
	drain(false);
	CU_ASSERT_EQUAL(ntold, 0);
	for (int i = 0; i < 600; i++)
		tick(0, now_ns());
	CU_ASSERT(find(0, PERF_SAMPLES, 0)->ring.page->data_head -
			  find(0, PERF_SAMPLES, 0)->ring.page->data_tail >=
		  32768);
	drain(false);
	CU_ASSERT(records_count(PITRACE_TPROF, UINT32_MAX) > 400 &&
		  records_count(PITRACE_TPROF, UINT32_MAX) < 601);
	drain(true);
	CU_ASSERT_EQUAL(records_count(PITRACE_TPROF, UINT32_MAX), 601);
	/* Clock syncs: each second, about. */
	CU_ASSERT_EQUAL(records_count(PITRACE_SYNC, UINT32_MAX), 0);
	fake_clock += 600;
	drain(false);
	drain(true);
	CU_ASSERT_EQUAL(records_count(PITRACE_SYNC, PITRACE_SYNC_SECOND), 1);
	fake_clock += 300;
	drain(true);
	CU_ASSERT_EQUAL(records_count(PITRACE_SYNC, PITRACE_SYNC_SECOND), 1);
	sink_fails = nsegments + 1;
	tick(0, now_ns());
	CU_ASSERT_EQUAL(collector_perf.drain(b, true, records_take, NULL), -EIO);
	CU_ASSERT_EQUAL(collector_perf.off(b), 0);
	fake_clock += 2000;
	records_forget();
	drain(true);
	CU_ASSERT_EQUAL(records_count(PITRACE_SYNC, PITRACE_SYNC_SECOND), 0);
	close_it();
}

static void ring(unsigned int n)
{
	uint64_t one = 1;

	for (unsigned int i = 0; n && i < nevents; i++)
		if (event[i].fd >= 0) {
			CU_ASSERT_EQUAL(write(event[i].bell, &one, sizeof(one)), 8);
			n--;
		}
	CU_ASSERT_EQUAL(n, 0);
}

/* The descriptor becomes readable again only for new data, however many events woke it. */
static void wakes(void)
{
	begin();
	conf = 60;
	open_it();
	turn_on();
	for (unsigned int k = 1; k < 120; k += 7) {
		CU_ASSERT(!readable());
		ring(k);
		CU_ASSERT(readable());
		drain(false);
	}
	CU_ASSERT(!readable());
	close_it();
}

/* Exactly as much as makes a drain worth while, and 8 bytes less. */
static void enough(void)
{
	for (int use = 0; use < 3; use++)
		for (int less = 0; less < 2; less++) {
			struct perf_ring *r;

			begin();
			set(config.majors, PITRACE_DISPATCH);
			open_it();
			turn_on();
			drain(true);
			records_forget();
			r = &find(1,
				  use == 0 ? PERF_NAMES :
				  use == 1 ? PERF_SAMPLES :
					     PERF_SWITCHES,
				  0)
				     ->ring;
			/* One record of a kind that is not requested. */
			for (unsigned int left = 32768 - 8 * (unsigned int)less; left;) {
				unsigned int n = left > 4096 ? 4096 : left;

				body_length = n - 8 - 32;
				put_id(r, 99, 0, 70, now_ns());
				left -= n;
			}
			drain(false);
			CU_ASSERT_EQUAL(r->page->data_tail == r->page->data_head, !less);
			close_it();
		}
}

/* Wrap: names at once, of the samples the newest. */
static void wrap(void)
{
	unsigned int seen;

	begin();
	config.mode = PITRACE_MODE_WRAP;
	config.trace_bytes = 3 * 4096;
	open_it();
	turn_on();
	/* Some 80 to a segment: CPU 0 fills many, CPU 1 one. */
	tick(1, 5);
	for (unsigned int i = 0; i < 900; i++)
		tick(0, 10 + i);
	drain(true);
	CU_ASSERT(records_count(PITRACE_MTE, UINT32_MAX) == 1 &&
		  records_count(PITRACE_SYNC, UINT32_MAX) == 1);
	CU_ASSERT_EQUAL(records_count(PITRACE_TPROF, UINT32_MAX), 0);
	records_forget();
	CU_ASSERT_EQUAL(collector_perf.mark(b), 0);
	CU_ASSERT_EQUAL(collector_perf.window(b, records_take, NULL), 0);
	CU_ASSERT_EQUAL(nsegments, 4);
	seen = records_count(PITRACE_TPROF, UINT32_MAX);
	CU_ASSERT(seen > 150 && seen < 400);
	CU_ASSERT_EQUAL(told[ntold - 1].cpu == 1 || told[0].cpu == 1, 1);
	for (unsigned int i = 0, last = 909 - (seen - 1); i < ntold; i++)
		if (told[i].cpu == 0) {
			CU_ASSERT_EQUAL(told[i].stamp, ++last);
		}
	/* It keeps them. */
	records_forget();
	CU_ASSERT_EQUAL(collector_perf.window(b, records_take, NULL), 0);
	CU_ASSERT_EQUAL(nsegments, 4);
	records_forget();
	sink_fails = 2;
	CU_ASSERT_EQUAL(collector_perf.window(b, records_take, NULL), -EIO);
	CU_ASSERT_EQUAL(nsegments, 2);
	/* Thrown away. */
	tick(0, 2000);
	CU_ASSERT_EQUAL(collector_perf.discard(b), 0);
	records_forget();
	CU_ASSERT_EQUAL(collector_perf.window(b, records_take, NULL), 0);
	CU_ASSERT_EQUAL(nsegments, 0);
	tick(0, 3000);
	tick(1, 3000);
	drain(true);
	CU_ASSERT_EQUAL(collector_perf.window(b, records_take, NULL), 0);
	CU_ASSERT_EQUAL(records_count(PITRACE_TPROF, UINT32_MAX), 2);
	/* An interval's beginning forgets the last one's. */
	CU_ASSERT_EQUAL(collector_perf.off(b), 0);
	turn_on();
	records_forget();
	CU_ASSERT_EQUAL(collector_perf.window(b, records_take, NULL), 0);
	CU_ASSERT_EQUAL(nsegments, 0);
	sink_fails = 1;
	CU_ASSERT_EQUAL(collector_perf.drain(b, true, records_take, NULL), -EIO);
	close_it();
}

static void wait_for(uint32_t state)
{
	for (int i = 0; i < 2000 && info()->state != state; i++)
		usleep(5000);
	CU_ASSERT_EQUAL(info()->state, state);
}

/* Normal: all is kept until a CPU's buffer is full. */
static void normal(void)
{
	unsigned int names;

	begin();
	config.mode = PITRACE_MODE_NORMAL;
	config.mte_bytes = 65536;
	config.trace_bytes = 3 * 4096;
	open_it();
	CU_ASSERT(!readable());
	turn_on();
	CU_ASSERT(threads(false) == 2 && threads(true) == 1);
	ring(3);
	tick(0, now_ns());
	tick(1, now_ns());
	drain(true);
	names = records_count(PITRACE_MTE, UINT32_MAX) + records_count(PITRACE_SYNC, UINT32_MAX);
	CU_ASSERT(names >= 2);
	CU_ASSERT_EQUAL(told[0].ring, PITRACE_RING_MTE);
	CU_ASSERT_EQUAL(told[ntold - 1].ring, PITRACE_RING_TRACE);
	CU_ASSERT_EQUAL(records_count(PITRACE_TPROF, UINT32_MAX), 2);
	/* Each time from the beginning. */
	records_forget();
	drain(true);
	CU_ASSERT_EQUAL(records_count(PITRACE_TPROF, UINT32_MAX), 2);
	for (unsigned int k = 1; k <= 2; k++) {
		records_forget();
		sink_fails = k;
		CU_ASSERT_EQUAL(collector_perf.drain(b, false, records_take, NULL), -EIO);
		CU_ASSERT_EQUAL(nsegments, k);
	}
	CU_ASSERT(!readable());
	/* When full, it stops itself and wakes the waiting process. */
	for (unsigned int i = 0; i < 400; i++)
		tick(1, now_ns());
	wait_for(PITRACE_STATE_STOPPED);
	CU_ASSERT(readable_soon());
	CU_ASSERT(info()->stop_cpu == 1 && info()->stop_ring == PITRACE_RING_TRACE);
	CU_ASSERT(!on(PERF_SAMPLES));
	records_forget();
	drain(true);
	CU_ASSERT_EQUAL(records_count(PITRACE_TPROF, UINT32_MAX) > 150, 1);
	for (unsigned int i = 0, n = 0; i < nsegments; i++)
		CU_ASSERT(++n <= 3 + 1 + 8);
	CU_ASSERT_EQUAL(collector_perf.off(b), 0);
	CU_ASSERT_EQUAL(threads(false), 1);
	CU_ASSERT(!readable());
	names = nsegments;
	records_forget();
	drain(true);
	CU_ASSERT(records_count(PITRACE_TPROF, UINT32_MAX) > 150);
	/* Data that arrives then belongs to no interval. */
	tick(0, now_ns());
	names = ntold;
	records_forget();
	drain(true);
	CU_ASSERT_EQUAL(ntold, names);
	/* The next interval begins with empty buffers. */
	turn_on();
	tick(0, now_ns());
	CU_ASSERT_EQUAL(collector_perf.off(b), 0);
	records_forget();
	drain(true);
	CU_ASSERT_EQUAL(records_count(PITRACE_TPROF, UINT32_MAX), 1);
	CU_ASSERT_EQUAL(records_count(PITRACE_SYNC, PITRACE_SYNC_OFF), 1);
	close_it();
}

/* The names of what lives already fill it: it cannot be turned on. */
static void normal_full(void)
{
	begin();
	config.mode = PITRACE_MODE_NORMAL;
	open_it();
	walk_maps = 2000;
	CU_ASSERT_EQUAL(collector_perf.on(b, &config), -ENOBUFS);
	CU_ASSERT_EQUAL(info()->stop_ring, PITRACE_RING_MTE);
	CU_ASSERT(info()->state == PITRACE_STATE_OFF && !on(PERF_NAMES));
	close_it();
	/* Exactly as many segments as it has room for; each CPU separately. */
	for (uint32_t room = 2; room < 6; room++) {
		begin();
		config.mode = PITRACE_MODE_NORMAL;
		config.trace_bytes = room * 4096;
		conf = room == 4 ? 1 : 2;
		config.segment_bytes = 4096;
		open_it();
		turn_on();
		drain(true);
		for (unsigned int i = 0; i < 900; i++)
			tick(0, now_ns());
		wait_for(PITRACE_STATE_STOPPED);
		records_forget();
		drain(true);
		unsigned int names = 0;
		for (unsigned int i = 0; i < ntold; i++)
			if (told[i].ring == PITRACE_RING_TRACE &&
			    (!i || told[i].segment != told[i - 1].segment))
				names++;
		CU_ASSERT_EQUAL(names, room);
		CU_ASSERT_EQUAL(info()->stop_cpu, 0);
		CU_ASSERT_EQUAL(collector_perf.off(b), 0);
		close_it();
	}
}

/* Its thread writes a clock sync each second, and what the rings hold before they are full. */
static void normal_keeps(void)
{
	begin();
	config.mode = PITRACE_MODE_NORMAL;
	open_it();
	turn_on();
	tick(0, now_ns());
	fake_clock = 1500;
	for (int i = 0; i < 2000 && find(0, PERF_SAMPLES, 0)->ring.page->data_tail !=
					    find(0, PERF_SAMPLES, 0)->ring.page->data_head;
	     i++)
		usleep(5000);
	CU_ASSERT_EQUAL(find(0, PERF_SAMPLES, 0)->ring.page->data_tail,
			find(0, PERF_SAMPLES, 0)->ring.page->data_head);
	drain(true);
	CU_ASSERT_EQUAL(records_count(PITRACE_SYNC, PITRACE_SYNC_SECOND), 1);
	CU_ASSERT_EQUAL(collector_perf.suspend(b, true), 0);
	fake_clock = 4500;
	for (int i = 0; i < 2000 && records_count(PITRACE_SYNC, PITRACE_SYNC_SECOND) < 2; i++) {
		usleep(5000);
		records_forget();
		drain(true);
	}
	CU_ASSERT_EQUAL(records_count(PITRACE_SYNC, PITRACE_SYNC_SECOND), 2);
	CU_ASSERT_EQUAL(collector_perf.suspend(b, false), 0);
	CU_ASSERT_EQUAL(collector_perf.off(b), 0);
	close_it();
}

/* Waits until the thread has looked at the rings twice. */
static void looked_at(void)
{
	const struct perf_event_mmap_page *page = find(0, PERF_SAMPLES, 0)->ring.page;

	for (int n = 0; n < 2; n++) {
		tick(0, now_ns());
		for (int i = 0; i < 2000 && page->data_tail != page->data_head; i++)
			usleep(5000);
		CU_ASSERT_EQUAL(page->data_tail, page->data_head);
	}
}

/* A second's few names take no more of the buffer than their bytes: it lasts for hours. */
static void normal_lasts(void)
{
	begin();
	config.mode = PITRACE_MODE_NORMAL;
	config.segment_bytes = 4096;
	config.mte_bytes = 4 * 4096;
	open_it();
	turn_on();
	for (uint64_t i = 1; i <= 8; i++) {
		fake_clock = 1500 * i;
		looked_at();
	}
	CU_ASSERT_EQUAL(info()->state, PITRACE_STATE_ON);
	CU_ASSERT_EQUAL(collector_perf.off(b), 0);
	drain(true);
	CU_ASSERT_EQUAL(records_count(PITRACE_SYNC, PITRACE_SYNC_SECOND), 8);
	CU_ASSERT_EQUAL(records_count(PITRACE_SYNC, PITRACE_SYNC_OFF), 1);
	close_it();
}

static void rescan(void)
{
	uint64_t ticket = 77;

	begin();
	open_it();
	CU_ASSERT_EQUAL(collector_perf.rescan(b, &ticket), -EINVAL);
	turn_on();
	drain(true);
	records_forget();
	CU_ASSERT_EQUAL(collector_perf.rescan(b, &ticket), 0);
	CU_ASSERT(ticket == 0 && collector_perf.rescanned(b, ticket));
	drain(true);
	CU_ASSERT_EQUAL(walks, 2);
	CU_ASSERT_EQUAL(records_count(PITRACE_MTE, PITRACE_MTE_PROCESS), 1);
	CU_ASSERT_EQUAL(records_count(PITRACE_SYNC, PITRACE_SYNC_SECOND), 1);
	CU_ASSERT_EQUAL(records_nth(PITRACE_SYSINFO, PITRACE_SYSINFO_INTERVAL, 0)->interval.flags,
			PITRACE_INTERVAL_AGAIN);
	walk_fails = -ENOMEM;
	CU_ASSERT_EQUAL(collector_perf.rescan(b, &ticket), -ENOMEM);
	close_it();
}

/* For the whole system, with the timer, the idle loop is recognized. */
static void idle_loop(void)
{
	for (int how = 0; how < 3; how++) {
		begin();
		config.nevents = how == 1;
		config.scope = how == 2 ? PITRACE_SCOPE_PROCESS : PITRACE_SCOPE_SYSTEM;
		config.pid = getpid();
		open_it();
		turn_on();
		put_sample(&find(0, PERF_SAMPLES, 0)->ring, PERF_RECORD_MISC_KERNEL, 1, 0,
			   0xffffffff81000080, now_ns(), 1000000);
		drain(true);
		CU_ASSERT(info()->idle_ticks == !how && info()->ticks == !!how);
		CU_ASSERT_EQUAL(info()->late, 0);
		CU_ASSERT_EQUAL(info()->segment_bytes, 4096);
		CU_ASSERT_EQUAL(info()->clock, PITRACE_CLOCK_MONOTONIC);
		close_it();
	}
}

/* A process's session counts who belongs to it. */
static void process_scope(void)
{
	begin();
	config.scope = PITRACE_SCOPE_PROCESS;
	config.pid = getpid();
	set(config.majors, PITRACE_DISPATCH);
	open_it();
	turn_on(); /* the walk shows process 70 */
	put_switch(&find(0, PERF_SWITCHES, 0)->ring, 70, 5, now_ns());
	put_switch(&find(0, PERF_SWITCHES, 0)->ring, 5, 6, now_ns());
	drain(true);
	CU_ASSERT_EQUAL(records_count(PITRACE_DISPATCH, UINT32_MAX), 1);
	close_it();
}

/* Stacks as requested, and as the kernel truncates them. */
static void stacks(void)
{
	struct perf_ring *r;

	begin();
	config.stacks = PITRACE_WANT_USER;
	config.depth = 2;
	open_it();
	turn_on();
	r = &find(0, PERF_SAMPLES, 0)->ring;
	u64(1);
	u64(0x1000);
	u32(70);
	u32(70);
	u64(now_ns());
	u64(0);
	u64(1000000);
	u64(3);
	u64(PERF_CONTEXT_USER);
	u64(0x1000);
	u64(0x2000);
	put_rec(r, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	drain(true);
	CU_ASSERT_EQUAL(records_count(PITRACE_TPROF, PITRACE_TPROF_USER | PITRACE_TPROF_STACK), 1);
	CU_ASSERT_EQUAL(told[ntold - 1].size,
			sizeof(struct pitrace_sample) + sizeof(struct pitrace_stack) + 16);
	CU_ASSERT_EQUAL(((struct pitrace_stack *)(told[ntold - 1].data +
						  sizeof(struct pitrace_sample)))
				->flags,
			PITRACE_STACK_CUT_U);
	close_it();
	/* To whom the kernel is not shown: no part of it, whatever the ring holds. */
	begin();
	refuses = refuse;
	refuse_kernel = EACCES;
	refuse_with = refuse_switches = 0;
	config.stacks = PITRACE_WANT_USER | PITRACE_WANT_KERNEL;
	config.scope = PITRACE_SCOPE_PROCESS;
	config.pid = getpid();
	open_it();
	turn_on();
	u64(1);
	u64(0x1000);
	u32(70);
	u32(70);
	u64(now_ns());
	u64(0);
	u64(1000000);
	u64(4);
	u64(PERF_CONTEXT_KERNEL);
	u64(0xffffffff81000000);
	u64(PERF_CONTEXT_USER);
	u64(0x1000);
	put_rec(&find(0, PERF_SAMPLES, 0)->ring, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	drain(true);
	CU_ASSERT_EQUAL(told[ntold - 1].size,
			sizeof(struct pitrace_sample) + sizeof(struct pitrace_stack) + 8);
	close_it();
}

int main(void)
{
	static const struct unit_test tests[] = {
		{ "on_off", on_off },
		{ "majors", majors },
		{ "on_fails", on_fails },
		{ "suspended", suspended },
		{ "counted_lost", counted_lost },
		{ "continuous", continuous },
		{ "wakes", wakes },
		{ "enough", enough },
		{ "wrap", wrap },
		{ "normal", normal },
		{ "normal_full", normal_full },
		{ "normal_keeps", normal_keeps },
		{ "normal_lasts", normal_lasts },
		{ "rescan", rescan },
		{ "idle_loop", idle_loop },
		{ "process_scope", process_scope },
		{ "stacks", stacks },
		{},
	};

	return unit_run("backend_perf_drain", tests);
}
