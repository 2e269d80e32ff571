/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Records other than samples in perf's rings: names, mappings, and records that cannot be
 * delivered.
 */
#include "perf_pump_rings.h"

/* ---- names ----------------------------------------------------------------------------------- */

/* The collector's own records take their places by time, on the first CPU. */
static void queued(void)
{
	static const uint64_t want[] = { 10, 15, 20, 20, 25, 30 };
	struct pitrace_mte_task task = { .pid = 1 };
	unsigned int kept = 0;
	uint8_t large[4000];
	bool full = false;

	begin();
	for (unsigned int round = 0; round < 3; round++) {
		for (uint64_t time = 10; time <= 30; time += 10)
			CU_ASSERT_EQUAL(perf_emit(&s, PITRACE_MTE, PITRACE_MTE_PROCESS, &task,
						  sizeof(task), time),
					0);
		put_comm(&cpus->ring[PERF_NAMES], 70, "a", 15);
		put_comm(&cpus->ring[PERF_NAMES], 70, "b", 20);
		put_comm(&cpus->ring[PERF_NAMES], 70, "c", 25);
		put_comm(&cpus[1].ring[PERF_NAMES], 70, "d", 99);
		perf_pump_reset(&s);
		CU_ASSERT(!s.queue.used && !s.queue.at);
		for (uint64_t time = 10; time <= 30; time += 10)
			perf_emit(&s, PITRACE_MTE, PITRACE_MTE_PROCESS, &task, sizeof(task), time);
		put_comm(&cpus->ring[PERF_NAMES], 70, "a", 15);
		put_comm(&cpus->ring[PERF_NAMES], 70, "b", 20);
		put_comm(&cpus->ring[PERF_NAMES], 70, "c", 25);
		put_comm(&cpus[1].ring[PERF_NAMES], 70, "d", 99);
		records_forget();
		pump(false);
		CU_ASSERT_EQUAL_FATAL(ntold, 7);
		for (unsigned int i = 0; i < 6; i++)
			CU_ASSERT(told[i].stamp == want[i] && told[i].cpu == 3);
		CU_ASSERT_EQUAL(told[2].minor, PITRACE_MTE_PROCESS);
		CU_ASSERT_EQUAL(told[2].size, sizeof(task));
		CU_ASSERT_EQUAL(told[6].cpu, 4);
		CU_ASSERT_PTR_NULL(s.queue.data);
	}
	/* Without memory it is said; what was queued stays. */
	records_forget();
	perf_emit(&s, PITRACE_MTE, PITRACE_MTE_PROCESS, &task, sizeof(task), 5);
	no_memory = true;
	for (unsigned int i = 0; i < 100; i++) {
		int err = perf_emit(&s, PITRACE_MTE, PITRACE_MTE_PROCESS, large, sizeof(large), 6);

		CU_ASSERT(err ? err == -ENOMEM : !full);
		full |= err != 0;
		kept += !err;
	}
	no_memory = false;
	pump(false);
	CU_ASSERT(full && ntold == 1 + kept && told[0].size == sizeof(task));
	/* As many as there are. */
	records_forget();
	memset(large, 0x5a, sizeof(large));
	for (unsigned int i = 0; i < 300; i++) {
		memcpy(large, &i, sizeof(i));
		CU_ASSERT_EQUAL(perf_emit(&s, PITRACE_MTE, 7, large, i % 7 ? sizeof(large) : 8,
					  100 + i),
				0);
	}
	pump(false);
	CU_ASSERT_EQUAL_FATAL(ntold, 300);
	for (unsigned int i = 0; i < 300; i++)
		CU_ASSERT(!memcmp(told[i].data, &i, sizeof(i)) && told[i].stamp == 100 + i &&
			  told[i].size == (i % 7 ? sizeof(large) : 8) && told[i].data[7] == 0x5a);
	end();
}

static void syncs(void)
{
	const struct told *t;

	begin();
	CU_ASSERT_EQUAL(perf_emit_sync(&s, PITRACE_SYNC_SECOND), 0);
	pump(false);
	t = records_nth(PITRACE_SYNC, PITRACE_SYNC_SECOND, 0);
	CU_ASSERT_FATAL(t != NULL);
	CU_ASSERT(t->sync.cpu == 3 && t->sync.stamp == s.synced && t->stamp == s.synced);
	CU_ASSERT(t->sync.monotonic == s.synced && s.synced);
	CU_ASSERT(t->sync.boottime >= t->sync.monotonic && t->sync.realtime > t->sync.monotonic);
	end();
}

/* A mapping: its build id before it, and the path by which it is found. */
static void mapped(void)
{
	static char long_path[5000];
	const char *const paths[] = { "/a", "/ab", "/abc", "/abcd", NULL };

	for (unsigned int i = 0; paths[i]; i++) {
		begin();
		s.config.segment_bytes = 32768;
		mapping(cpus, 70, 0x1000, "/lib/x.so", 10);
		mapping(cpus, 70, 0x2000, "/lib/y.so", 20);
		ids_left = 1;
		known_id = (struct pitrace_mte_buildid){ .length = 20 };
		other_path = paths[i];
		pump(false);
		CU_ASSERT_EQUAL_FATAL(ntold, 3);
		CU_ASSERT(told[0].minor == PITRACE_MTE_BUILDID && told[0].id.inode == 0x1000);
		CU_ASSERT(told[1].minor == PITRACE_MTE_MODULE && told[1].map.start == 0x1000);
		CU_ASSERT_STRING_EQUAL(told[1].map.path, paths[i]);
		CU_ASSERT_EQUAL(told[1].map.path_len, strlen(paths[i]));
		CU_ASSERT_EQUAL(told[1].size, sizeof(struct pitrace_mte_map) +
						      (strlen(paths[i]) & ~(size_t)3) + 4);
		for (uint32_t k = (uint32_t)(sizeof(struct pitrace_mte_map) + strlen(paths[i]));
		     k < told[1].size; k++)
			CU_ASSERT_EQUAL(told[1].data[k], 0);
		CU_ASSERT(told[2].map.start == 0x2000 && told[2].stamp == 20);
		end();
	}
	begin();
	mapping(cpus, 70, 0x1000, "/lib/x.so", 10);
	pump(false);
	CU_ASSERT_STRING_EQUAL(told[0].map.path, "/lib/x.so");
	/* A path that is too long is cut. */
	records_forget();
	memset(long_path, 'x', sizeof(long_path) - 1);
	other_path = long_path;
	mapping(cpus, 70, 0x1000, "/lib/x.so", 10);
	pump(false);
	CU_ASSERT_EQUAL(told[0].map.path_len, 4096);
	CU_ASSERT_EQUAL(told[0].size, sizeof(struct pitrace_mte_map) + 4096 + 4);
	end();
}

/* Files are read as soon as their mappings are reported, each once, and nothing is consumed. */
static void looked_at(void)
{
	begin();
	mapping(cpus, 70, 0x1000, "/lib/x.so", 10);
	put_comm(&cpus->ring[PERF_NAMES], 70, "a", 15);
	bad(&cpus[0].ring[PERF_NAMES], PERF_RECORD_COMM);
	mapping(cpus + 1, 70, 0x2000, "/lib/y.so", 10);
	perf_files_identify(&s);
	CU_ASSERT_EQUAL(identified, 2);
	perf_files_identify(&s);
	CU_ASSERT_EQUAL(identified, 2);
	mapping(cpus, 70, 0x3000, "/lib/z.so", 20);
	perf_files_identify(&s);
	CU_ASSERT_EQUAL(identified, 3);
	mapping(cpus, 70, 0x4000, "/lib/z.so", 30);
	pump(false);
	CU_ASSERT_EQUAL(records_count(PITRACE_MTE, PITRACE_MTE_MODULE), 4);
	/* Data that was consumed meanwhile cannot be read any more. */
	mapping(cpus, 70, 0x5000, "/lib/z.so", 40);
	perf_files_identify(&s);
	CU_ASSERT_EQUAL(identified, 4);
	end();
}

/* ---- errors ---------------------------------------------------------------------------------- */

/* All that a pump can put, in segments of a few records. */
static void feed_errors(unsigned int shift)
{
	struct pitrace_mte_map map = { .pid = 70, .inode = 5, .path_len = 0 };
	uint8_t record[sizeof(map) + 4] = { 0 };

	s.config.segment_bytes = 176;
	perf_pump_reset(&s);
	s.config.segment_bytes = 176;
	memcpy(record, &map, sizeof(map));
	perf_emit(&s, PITRACE_MTE, PITRACE_MTE_MODULE, record, sizeof(record), 5);
	perf_emit(&s, PITRACE_MTE, PITRACE_MTE_MODULE, record, sizeof(record), SECOND);
	for (uint32_t i = 0; i < CPUS; i++) {
		struct perf_cpu *c = &cpus[i];

		/* Others are the last of their segments then. */
		for (unsigned int k = 0; k < shift; k++) {
			put_comm(&c->ring[PERF_NAMES], 70, "a", 6);
			put_switch(&c->ring[PERF_SWITCHES], 1, 2, 6);
		}
		mapping(c, 70, 0x1000, "/x", 10);
		mapping(c, 71, 0x2000, "/y", 20);
		put_comm(&c->ring[PERF_NAMES], 70, "a", 30);
		put_lost(&c->ring[PERF_NAMES], 1, 40);
		bad(&c->ring[PERF_NAMES], PERF_RECORD_COMM);
		put_comm(&c->ring[PERF_NAMES], 70, "b", 50);
		fork_of(c, 70, 71, 60);
		u32(70);
		u32(70);
		u32(70);
		u32(70);
		u64(70);
		put_id(&c->ring[PERF_NAMES], PERF_RECORD_EXIT, 0, 70, 70);
		for (uint64_t t = SECOND; t < SECOND + 60 * PERIOD; t += 20 * PERIOD) {
			idle(c, t);
			sample(c, t + 5 * PERIOD); /* ticks are missing */
			idle(c, t + 6 * PERIOD);
			put_lost(&c->ring[PERF_SAMPLES], 1, t + 7 * PERIOD);
			idle(c, t + 8 * PERIOD);
			put_switch(&c->ring[PERF_SWITCHES], 1, 2, t + 9 * PERIOD);
			idle(c, t + 10 * PERIOD);
			put_lost(&c->ring[PERF_SWITCHES], 2, t + 11 * PERIOD);
			bad(&c->ring[PERF_SAMPLES], PERF_RECORD_SAMPLE);
			bad(&c->ring[PERF_SWITCHES], PERF_RECORD_LOST);
			put_switch(&c->ring[PERF_SWITCHES], 2, 1, t + 12 * PERIOD);
			idle(c, t + 13 * PERIOD);
			throttle(c, true, t + 13 * PERIOD);
			throttle(c, false, t + 14 * PERIOD);
		}
	}
	ids_left = 2;
	records_forget();
}

static void sink_error(void)
{
	/* For the whole system, and for a process, where throttling counts as a separate loss. */
	for (uint32_t how = 0; how < 8; how++) {
		uint32_t scope = how % 2 ? PITRACE_SCOPE_PROCESS : PITRACE_SCOPE_SYSTEM;
		unsigned int most, whole;

		begin();
		s.config.scope = scope;
		feed_errors(how / 2);
		pump(true);
		most = nsegments;
		whole = ntold;
		CU_ASSERT(most > 40);
		end();
		for (unsigned int k = 1; k <= most; k++) {
			begin();
			s.config.scope = scope;
			feed_errors(how / 2);
			sink_fails = k;
			CU_ASSERT_EQUAL(perf_pump(&s, true, records_take, NULL), -EIO);
			/* Nothing is given to it any more. */
			CU_ASSERT_EQUAL(nsegments, k);
			/* The next one continues after the failure. */
			CU_ASSERT_EQUAL(perf_pump(&s, true, records_take, NULL), 0);
			CU_ASSERT(ntold < whole);
			CU_ASSERT(ntold + 4 + 12 >= whole);
			end();
		}
	}
}

/* A drain that leaves open segments open hands over only full ones. */
static void open_segments(void)
{
	begin();
	put_comm(&cpus->ring[PERF_NAMES], 70, "a", 10);
	sample(cpus, 20);
	pump(false);
	CU_ASSERT_EQUAL(ntold, 1); /* names are closed each time: a file may be cut here */
	pump(true);
	CU_ASSERT_EQUAL(ntold, 2);
	CU_ASSERT_EQUAL(nsegments, 2);
	end();
}

/* ---- an interval begins, a window is thrown away --------------------------------------------- */

static void forgotten(void)
{
	struct perf_cpu *c = &cpus[1];

	begin();
	idle(c, SECOND);
	sample(c, SECOND + 2);
	idle(c, SECOND + 3);
	put_lost(&c->ring[PERF_SAMPLES], 5, SECOND + 5);
	put_lost(&c->ring[PERF_SWITCHES], 6, SECOND + 5);
	put_lost(&c->ring[PERF_NAMES], 7, SECOND + 5);
	put_switch(&c->ring[PERF_SWITCHES], 1, 2, SECOND + 6);
	idle(c, SECOND + 7);
	pump(false);
	c->mte_bytes = c->trace_bytes = 77;
	CU_ASSERT(c->idle_count == 1 && c->running.known);
	put_comm(&c->ring[PERF_NAMES], 70, "x", SECOND + 8);
	sample(c, SECOND + 8);
	put_switch(&c->ring[PERF_SWITCHES], 2, 3, SECOND + 8);
	perf_pump_discard(&s);
	CU_ASSERT(!c->idle_count && !c->due && !c->trace_bytes && c->mte_bytes == 77);
	CU_ASSERT(c->ring[PERF_SAMPLES].page->data_tail == c->ring[PERF_SAMPLES].page->data_head);
	CU_ASSERT(c->ring[PERF_SWITCHES].page->data_tail == c->ring[PERF_SWITCHES].page->data_head);
	CU_ASSERT(c->ring[PERF_NAMES].page->data_tail < c->ring[PERF_NAMES].page->data_head);
	CU_ASSERT(c->lost[PITRACE_LOST_TPROF] == 5 && c->ticks == 1);
	records_forget();
	pump(true);
	/* Names are kept. */
	CU_ASSERT_EQUAL_FATAL(ntold, 1);
	CU_ASSERT_EQUAL(told[0].major, PITRACE_MTE);

	idle(c, 2 * SECOND);
	idle(c, 2 * SECOND + PERIOD);
	sample(c, 2 * SECOND + 2 * PERIOD);
	idle(c, 2 * SECOND + 3 * PERIOD);
	put_switch(&c->ring[PERF_SWITCHES], 2, 3, 2 * SECOND + 9 * PERIOD);
	put_lost(&c->ring[PERF_SAMPLES], 1, 2 * SECOND + 10 * PERIOD);
	throttle(c, true, 2 * SECOND + 11 * PERIOD);
	idle(c, 2 * SECOND + 12 * PERIOD);
	pump(false);
	throttle(c, true, 2 * SECOND + 13 * PERIOD);
	put_lost(&c->ring[PERF_SAMPLES], 1, 2 * SECOND + 14 * PERIOD);
	pump(false);
	put_comm(&c->ring[PERF_NAMES], 70, "x", 3 * SECOND);
	sample(c, 3 * SECOND);
	put_switch(&c->ring[PERF_SWITCHES], 5, 6, 3 * SECOND);
	perf_pump_reset(&s);
	CU_ASSERT(c->ring[PERF_SAMPLES].page->data_tail == c->ring[PERF_SAMPLES].page->data_head);
	CU_ASSERT(c->ring[PERF_SWITCHES].page->data_tail == c->ring[PERF_SWITCHES].page->data_head);
	CU_ASSERT(c->ring[PERF_NAMES].page->data_tail == c->ring[PERF_NAMES].page->data_head);
	for (int k = 0; k < PITRACE_LOST_KINDS; k++)
		CU_ASSERT_EQUAL(c->lost[k], 0);
	CU_ASSERT(!c->ticks && !c->idle_ticks && !c->due && !c->throttled && !c->reported);
	CU_ASSERT(!c->mte_bytes && !c->trace_bytes && !c->idle_count && !c->running.known);
	CU_ASSERT(!c->mte.sequence && !c->trace.sequence && !c->trace.lost);
	CU_ASSERT(c->mte.ring == PITRACE_RING_MTE && c->trace.ring == PITRACE_RING_TRACE);
	CU_ASSERT(c->mte.cpu == 4 && c->mte.session == 1 && c->trace.session == 1);
	records_forget();
	pump(true);
	CU_ASSERT_EQUAL(ntold, 0);
	end();
}

int main(void)
{
	static const struct unit_test tests[] = {
		{ "queued", queued },         { "syncs", syncs },
		{ "mapped", mapped },         { "looked_at", looked_at },
		{ "sink_error", sink_error }, { "open_segments", open_segments },
		{ "forgotten", forgotten },   {},
	};

	return unit_run("perf_pump_names", tests);
}
