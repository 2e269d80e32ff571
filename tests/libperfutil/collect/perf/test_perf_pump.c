// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Records that are put into perf's rings come out as ticks, idle ticks, dispatches, names or
 * counted losses, without exception; an error of the sink is returned at once, whichever segment it
 * is, and nothing is written twice. (Linked with --wrap of the functions that read files and
 * /proc.)
 */
#include "perf_pump_rings.h"

/* ---- conservation ---------------------------------------------------------------------------- */

static uint32_t drawn = 1;

static uint32_t draw(uint32_t below)
{
	drawn = drawn * 1664525 + 1013904223;
	return (drawn >> 8) % below;
}

struct sums {
	uint64_t ticks, idle, lost, dispatches, lost_dispatches, names, lost_names;
};

/* Each record that a CPU's rings can have, at random. */
static void feed(struct perf_cpu *c, unsigned int n, uint64_t *time, struct sums *sum)
{
	static uint32_t runs = 70;

	for (unsigned int i = 0; i < n; i++) {
		uint32_t some = 1 + draw(9);

		*time += draw(3 * PERIOD);
		switch (draw(10)) {
		case 0:
		case 1:
			sample(c, *time);
			sum->ticks++;
			break;
		case 2:
		case 3:
		case 4:
			idle(c, *time);
			sum->idle++;
			break;
		case 5:
			put_lost(&c->ring[PERF_SAMPLES], some, *time);
			sum->lost += some;
			break;
		case 6:
			put_switch(&c->ring[PERF_SWITCHES], runs, runs + 1, *time);
			runs++;
			sum->dispatches++;
			break;
		case 7:
			put_lost(&c->ring[PERF_SWITCHES], some, *time);
			sum->lost_dispatches += some;
			break;
		case 8:
			put_comm(&c->ring[PERF_NAMES], 70, "name", *time);
			sum->names++;
			break;
		case 9:
			switch (some) {
			case 1:
				bad(&c->ring[PERF_SAMPLES], PERF_RECORD_SAMPLE);
				sum->lost++;
				break;
			case 2:
				bad(&c->ring[PERF_SWITCHES], PERF_RECORD_LOST);
				sum->lost_dispatches++;
				break;
			case 3:
				bad(&c->ring[PERF_NAMES], PERF_RECORD_COMM);
				sum->lost_names++;
				break;
			default:
				put_lost(&c->ring[PERF_NAMES], some, *time);
				sum->lost_names += some;
			}
		}
	}
}

static void is_sum(const struct sums *sum, const struct perf_cpu *c)
{
	uint64_t ticks = 0, idle_ticks = 0, dispatches = 0, names = 0,
		 losses[PITRACE_LOST_KINDS] = { 0 };

	for (unsigned int i = 0; i < ntold; i++) {
		const struct told *t = &told[i];

		if (t->cpu != c->cpu)
			continue;
		ticks += t->major == PITRACE_TPROF && t->minor != PITRACE_TPROF_IDLE;
		if (t->major == PITRACE_TPROF && t->minor == PITRACE_TPROF_IDLE) {
			CU_ASSERT(t->idle.ticks > 0 && t->idle.since < t->stamp);
			idle_ticks += t->idle.ticks;
		}
		dispatches += t->major == PITRACE_DISPATCH;
		names += t->major == PITRACE_MTE;
		if (t->major == PITRACE_LOST) {
			losses[t->minor] += t->lost.count;
			CU_ASSERT_EQUAL(t->lost.total, losses[t->minor]);
			CU_ASSERT_EQUAL(t->ring, t->minor == PITRACE_LOST_MTE ? PITRACE_RING_MTE :
										PITRACE_RING_TRACE);
		}
	}
	CU_ASSERT_EQUAL(ticks, sum->ticks);
	CU_ASSERT_EQUAL(c->ticks, sum->ticks);
	CU_ASSERT_EQUAL(idle_ticks, sum->idle);
	CU_ASSERT_EQUAL(c->idle_ticks, sum->idle);
	CU_ASSERT_EQUAL(dispatches, sum->dispatches);
	CU_ASSERT_EQUAL(names, sum->names);
	CU_ASSERT_EQUAL(losses[PITRACE_LOST_TPROF], sum->lost);
	CU_ASSERT_EQUAL(losses[PITRACE_LOST_DISPATCH], sum->lost_dispatches);
	CU_ASSERT_EQUAL(losses[PITRACE_LOST_MTE], sum->lost_names);
	for (int k = 0; k < PITRACE_LOST_KINDS; k++)
		CU_ASSERT_EQUAL(c->lost[k], losses[k]);
	CU_ASSERT_EQUAL(c->trace.lost, sum->lost + sum->lost_dispatches);
	CU_ASSERT_EQUAL(c->mte.lost, sum->lost_names);
}

static void conserved(void)
{
	for (unsigned int seed = 1; seed <= 20; seed++) {
		uint64_t time[CPUS] = { SECOND, SECOND };
		struct sums sums[CPUS] = { 0 };

		begin();
		drawn = seed;
		/* A process's clock has no gaps that would be counted. */
		s.config.scope = PITRACE_SCOPE_PROCESS;
		s.config.segment_bytes = seed % 2 ? 4096 : 512;
		perf_pump_reset(&s);
		for (unsigned int turn = 0; turn < 20; turn++) {
			for (uint32_t i = 0; i < CPUS; i++)
				feed(&cpus[i], draw(60), &time[i], &sums[i]);
			pump(draw(3) == 0);
		}
		pump(true);
		for (uint32_t i = 0; i < CPUS; i++)
			is_sum(&sums[i], &cpus[i]);
		CU_ASSERT_EQUAL(s.names_lost, records_count(PITRACE_LOST, PITRACE_LOST_MTE) > 0);
		end();
	}
}

/* ---- idle ------------------------------------------------------------------------------------ */

/* One record for ticks that follow each other; before whatever comes next, and at the end. */
static void idle_ends(void)
{
	struct perf_cpu *c = cpus;

	for (unsigned int with = 0; with < 6; with++) {
		const struct told *t;

		begin();
		s.config.scope = PITRACE_SCOPE_PROCESS;
		idle(c, SECOND);
		idle(c, SECOND + PERIOD);
		if (with == 1)
			sample(c, SECOND + 2 * PERIOD);
		if (with == 2)
			put_lost(&c->ring[PERF_SAMPLES], 1, SECOND + 2 * PERIOD);
		if (with == 3)
			put_switch(&c->ring[PERF_SWITCHES], 1, 2, SECOND + 2 * PERIOD);
		if (with == 4)
			put_lost(&c->ring[PERF_SWITCHES], 1, SECOND + 2 * PERIOD);
		if (with == 5)
			throttle(c, false, SECOND + 2 * PERIOD);
		pump(with == 0);
		/* The next one begins a record of its own. */
		idle(c, SECOND + 3 * PERIOD);
		pump(true);
		t = records_nth(PITRACE_TPROF, PITRACE_TPROF_IDLE, 0);
		CU_ASSERT_PTR_NOT_NULL_FATAL(t);
		CU_ASSERT(t->idle.ticks == 2 && t->idle.since == SECOND - PERIOD &&
			  t->stamp == SECOND + PERIOD);
		t = records_nth(PITRACE_TPROF, PITRACE_TPROF_IDLE, 1);
		CU_ASSERT_PTR_NOT_NULL_FATAL(t);
		CU_ASSERT(t->idle.ticks == 1 && t->idle.since == SECOND + 2 * PERIOD);
		CU_ASSERT_EQUAL(c->idle_ticks, 3);
		CU_ASSERT_EQUAL(records_count(PITRACE_TPROF, PITRACE_TPROF_IDLE), 2);
		pump(true);
		CU_ASSERT_EQUAL(records_count(PITRACE_TPROF, PITRACE_TPROF_IDLE), 2);
		end();
	}
}

/* A sample is idle only in thread 0, in one of these functions, by the timer. */
static void idle_is(void)
{
	struct perf_cpu *c = cpus;

	begin();
	s.config.scope = PITRACE_SCOPE_PROCESS;
	sample_of(c, 11, 70, IDLE, SECOND, PERIOD);
	sample_of(c, 11, 0, IDLE + 0x100, SECOND, PERIOD);
	sample_of(c, 11, 0, IDLE + 0xff, SECOND, PERIOD);
	pump(true);
	CU_ASSERT(c->ticks == 2 && c->idle_ticks == 1);
	end();
	begin();
	s.config.nevents = 1;
	idle(c, SECOND);
	pump(true);
	CU_ASSERT(c->ticks == 1 && !c->idle_ticks);
	end();
}

/* ---- ticks that are missing ------------------------------------------------------------------ */

/* In tenths of a period; of the CPU's clock. */
struct beat {
	int at; /* 0: the end */
	char what;
	unsigned int n;
};

#define OVER  PITRACE_LOST_OVERRUN
#define THROT PITRACE_LOST_THROTTLED

static void gaps(void)
{
	static const struct {
		struct beat beat[8];
		unsigned int overruns, throttled;
	} tries[] = {
		{ { { 10, 's', 11 }, { 20, 's', 11 }, { 30, 's', 11 } }, 0, 0 },
		{ { { 10, 's', 11 }, { 29, 's', 11 } }, 0, 0 },
		{ { { 10, 's', 11 }, { 30, 's', 11 } }, 1, 0 },
		{ { { 10, 's', 11 }, { 39, 's', 11 } }, 1, 0 },
		{ { { 10, 's', 11 }, { 60, 's', 11 } }, 4, 0 },
		/* Late, then when it is due again: none is missing. */
		{ { { 10, 's', 11 }, { 28, 's', 11 }, { 30, 's', 11 }, { 40, 's', 11 } }, 0, 0 },
		{ { { 10, 's', 11 }, { 28, 's', 11 }, { 40, 's', 11 } }, 1, 0 },
		/* Losses that were reported are not counted again. */
		{ { { 10, 's', 11 }, { 20, 'l', 3 }, { 60, 's', 11 } }, 1, 0 },
		{ { { 10, 's', 11 }, { 20, 'l', 4 }, { 60, 's', 11 } }, 0, 0 },
		{ { { 10, 's', 11 }, { 20, 'l', 4 }, { 60, 's', 11 }, { 100, 's', 11 } }, 3, 0 },
		/* Throttled. */
		{ { { 10, 's', 11 }, { 15, 't', 0 }, { 55, 'u', 0 }, { 60, 's', 11 } }, 0, 4 },
		{ { { 10, 's', 11 },
		    { 15, 't', 0 },
		    { 55, 'u', 0 },
		    { 60, 's', 11 },
		    { 80, 's', 11 } },
		  1,
		  4 },
		/* … then the clock has begun anew. */
		{ { { 10, 's', 11 },
		    { 15, 't', 0 },
		    { 55, 'u', 0 },
		    { 65, 's', 11 },
		    { 84, 's', 11 } },
		  0,
		  4 },
		/* Another event's turn begins a new interval: one more tick may lie between. */
		{ { { 10, 's', 11 }, { 30, 's', 12 } }, 0, 0 },
		{ { { 10, 's', 11 }, { 39, 's', 12 } }, 0, 0 },
		{ { { 10, 's', 11 }, { 40, 's', 12 } }, 1, 0 },
		{ { { 10, 's', 11 }, { 39, 's', 12 }, { 58, 's', 12 } }, 0, 0 },
		/* Before it was due. */
		{ { { 10, 's', 11 }, { 13, 's', 11 }, { 32, 's', 11 } }, 0, 0 },
		{ { { 10, 's', 11 }, { 13, 's', 11 }, { 33, 's', 11 } }, 1, 0 },
		/* Idle ticks are ticks. */
		{ { { 10, 'i', 11 }, { 20, 'i', 11 }, { 60, 'i', 11 } }, 3, 0 },
	};

	for (size_t i = 0; i < sizeof(tries) / sizeof(*tries); i++) {
		struct perf_cpu *c = cpus;
		unsigned int seen = 0, ticks = 0;

		begin();
		for (const struct beat *b = tries[i].beat; b->at; b++) {
			uint64_t at = SECOND + (uint64_t)b->at * PERIOD / 10;

			if (b->what == 's')
				sample_of(c, b->n, 70, 0x1000, at, PERIOD);
			else if (b->what == 'i')
				idle(c, at);
			else if (b->what == 'l')
				put_lost(&c->ring[PERF_SAMPLES], b->n, at);
			else
				throttle(c, b->what == 't', at);
			ticks += b->what == 's' || b->what == 'i';
		}
		pump(true);
		if (records_lost(OVER) != tries[i].overruns ||
		    records_lost(THROT) != tries[i].throttled)
			printf("# gap %zu: %u, %u\n", i, (unsigned int)records_lost(OVER),
			       (unsigned int)records_lost(THROT));
		CU_ASSERT_EQUAL(records_lost(OVER), tries[i].overruns);
		CU_ASSERT_EQUAL(records_lost(THROT), tries[i].throttled);
		CU_ASSERT_EQUAL(c->lost[OVER], tries[i].overruns);
		for (unsigned int k = 0; k < ntold; k++)
			if (told[k].major == PITRACE_TPROF)
				seen += told[k].minor == PITRACE_TPROF_IDLE ? told[k].idle.ticks :
									      1;
		CU_ASSERT_EQUAL(seen, ticks);
		end();
	}
}

/* An interval's first tick has none before it; nor has the first after a break. */
static void gaps_begin(void)
{
	struct perf_cpu *c = cpus;

	begin();
	sample(c, SECOND);
	pump(true);
	perf_pump_discard(&s);
	sample(c, 2 * SECOND);
	pump(true);
	perf_pump_reset(&s);
	throttle(c, true, 2 * SECOND + 1);
	put_lost(&c->ring[PERF_SAMPLES], 7, 2 * SECOND + 1);
	pump(true);
	perf_pump_reset(&s);
	CU_ASSERT_EQUAL(c->lost[PITRACE_LOST_TPROF], 0);
	sample(c, 3 * SECOND);
	sample(c, 3 * SECOND + 3 * PERIOD);
	pump(true);
	CU_ASSERT_EQUAL(records_lost(OVER), 2);
	CU_ASSERT_EQUAL(records_lost(THROT), 0);
	end();
	/* Without periods the rate says what one is; of a process and of events nothing is
	 * known. */
	for (int how = 0; how < 3; how++) {
		begin();
		s.config.scope = how == 1 ? PITRACE_SCOPE_PROCESS : PITRACE_SCOPE_SYSTEM;
		s.config.nevents = how == 2;
		sample_of(c, 11, 70, 0x1000, SECOND, 0);
		sample_of(c, 11, 70, 0x1000, SECOND + 5 * PERIOD, 0);
		pump(true);
		CU_ASSERT_EQUAL(records_lost(OVER), how ? 0 : 4);
		end();
	}
}

/* Where the ticks themselves do not show it, the time does; for events, it only shows that some are
 * missing. */
static void throttled(void)
{
	static const struct {
		unsigned int nevents, ns;
		bool begins;
		unsigned int lost;
	} tries[] = {
		{ 0, 5 * PERIOD, true, 5 },  { 0, 5 * PERIOD - 1, true, 4 },
		{ 0, PERIOD / 2, true, 1 },  { 0, 0, true, 1 },
		{ 0, 5 * PERIOD, false, 1 }, { 1, 5 * PERIOD, true, 1 },
	};

	for (size_t i = 0; i < sizeof(tries) / sizeof(*tries); i++) {
		begin();
		s.config.scope = PITRACE_SCOPE_PROCESS;
		s.config.nevents = tries[i].nevents;
		if (tries[i].begins)
			throttle(cpus, true, SECOND);
		throttle(cpus, false, SECOND + tries[i].ns);
		throttle(cpus, false, SECOND + 2 * tries[i].ns);
		pump(true);
		CU_ASSERT_EQUAL(records_lost(THROT), tries[i].lost + 1);
		CU_ASSERT_EQUAL(records_count(PITRACE_LOST, THROT), 2);
		end();
	}
}

/* ---- samples of events ----------------------------------------------------------------------- */

static void numbers(void)
{
	const struct told *t;

	begin();
	/* The timer's have no number. */
	sample_of(cpus, 12, 70, 0x1000, SECOND, 1);
	s.config.nevents = 2;
	s.config.events[0].flags = s.config.events[1].flags = PITRACE_EVENT_RATE;
	pump(true);
	t = records_nth(PITRACE_TPROF, UINT32_MAX, 0);
	CU_ASSERT_FATAL(t != NULL);
	CU_ASSERT_EQUAL(t->minor, PITRACE_TPROF_USER | 2u << PITRACE_TPROF_EVENT_SHIFT);
	records_forget();
	s.config.nevents = 0;
	sample_of(cpus, 12, 70, 0x1000, SECOND, 1);
	pump(true);
	CU_ASSERT_EQUAL(told[0].minor, PITRACE_TPROF_USER);
	/* One event; and one that is not known. */
	records_forget();
	s.config.nevents = 1;
	sample_of(cpus, 12, 70, 0x1000, SECOND, 77);
	pump(true);
	CU_ASSERT_EQUAL(told[0].minor, PITRACE_TPROF_USER | 1u << PITRACE_TPROF_EVENT_SHIFT);
	CU_ASSERT_EQUAL(told[0].sample.period, 77);
	records_forget();
	s.config.nevents = 2;
	sample_of(cpus, 13, 70, 0x1000, SECOND, 77);
	pump(true);
	CU_ASSERT_EQUAL(told[0].minor, PITRACE_TPROF_USER | 1u << PITRACE_TPROF_EVENT_SHIFT);
	/* With a fixed count, which samples do not carry, the configured one is used. */
	records_forget();
	s.config.events[0] = (struct pitrace_event_args){ .period = 500 };
	s.config.events[1] = (struct pitrace_event_args){ .period = 600 };
	sample_of(cpus, 11, 70, 0x1000, SECOND, 77);
	sample_of(cpus, 12, 70, 0x1000, SECOND, 77);
	pump(true);
	CU_ASSERT(told[0].sample.period == 500 && told[1].sample.period == 600);
	CU_ASSERT(told[0].sample.address == 0x1000 && told[0].sample.pid == 70);
	end();
}

/* Words of records that only readers of files use. */
static void words(void)
{
	struct perf_ring r = { 0 };
	struct perf_item item;
	const char *why;

	begin();
	map_ring(&r, 0);
	u64(0x1234);
	text("/a");
	put_id(&r, PERF_RECORD_CGROUP, 0, 70, 1);
	CU_ASSERT_EQUAL(perf_decode(&s.shape[PERF_NAMES], perf_ring_peek(&r, 1 << 20),
				    8 + 8 + 8 + 32, &item, &why),
			0);
	CU_ASSERT(item.cgroup == 0x1234 && item.time == 1);
	CU_ASSERT_STRING_EQUAL(item.text, "/a");
	r.at = r.page->data_head;
	u64(0x5678);
	u32(2 | 3 << 16);
	u32(0x41414141);
	u32(0x42);
	u32(0);
	put_id(&r, PERF_RECORD_TEXT_POKE, 0, 70, 1);
	CU_ASSERT_EQUAL(perf_decode(&s.shape[PERF_NAMES], perf_ring_peek(&r, r.page->data_head),
				    8 + 8 + 16 + 32, &item, &why),
			0);
	CU_ASSERT(item.start == 0x5678 && item.poke_old == 2 && item.poke_new == 3);
	CU_ASSERT(!memcmp(item.poke, "AAAAB", 5));
	unmap_ring(&r);
	end();
}

static struct pitrace_stack copied;

static int take_copy(void *arg, uint16_t major, uint32_t minor, const void *data, size_t size,
		     uint64_t time)
{
	(void)arg;
	(void)time;
	CU_ASSERT(major == PITRACE_TPROF && minor & PITRACE_TPROF_STACK);
	memcpy(&copied, (const uint8_t *)data + sizeof(struct pitrace_sample), sizeof(copied));
	CU_ASSERT_EQUAL(size, sizeof(struct pitrace_sample) + sizeof(copied) +
				      8u * (copied.kernel + copied.user + copied.regs) +
				      copied.bytes);
	return -EIO;
}

/* A copied stack has whole words, not more than requested and not more than exist. */
static void copies(void)
{
	static const struct {
		uint32_t most, there, got;
	} tries[] = { { 64, 64, 64 }, { 64, 63, 56 }, { 63, 64, 56 }, { 64, 7, 0 },
		      { 0, 64, 0 },   { 64, 0, 0 },   { 72, 64, 64 }, { 100000, 65536, 65536 } };
	static uint8_t stack[65536], regs[64 * 8];
	struct perf_stacks k = { .want = PITRACE_WANT_COPY, .depth = 8 };
	struct perf_item item = { .misc = PERF_RECORD_MISC_USER,
				  .abi = PERF_SAMPLE_REGS_ABI_64,
				  .nregs = 17,
				  .regs = regs,
				  .stack = stack };

	k.registers = perf_registers_of("x86_64");
	k.regs = 0xff01ff;
	for (size_t i = 0; i < sizeof(tries) / sizeof(*tries); i++) {
		k.copy = tries[i].most;
		item.nstack = tries[i].there;
		CU_ASSERT_EQUAL(perf_put_sample(&item, &k, UINT32_MAX, take_copy, NULL), -EIO);
		CU_ASSERT_EQUAL(copied.bytes, tries[i].got);
		CU_ASSERT(copied.regs == 17 && copied.flags & PITRACE_STACK_COPY);
	}
}

/* Both rings by time; at the same time the sample first. */
static void merged(void)
{
	static const uint16_t want[] = { PITRACE_DISPATCH, PITRACE_TPROF, PITRACE_TPROF,
					 PITRACE_DISPATCH, PITRACE_DISPATCH };

	begin();
	s.config.scope = PITRACE_SCOPE_PROCESS;
	sample(cpus, 20);
	sample(cpus, 30);
	put_switch(&cpus->ring[PERF_SWITCHES], 1, 2, 10);
	put_switch(&cpus->ring[PERF_SWITCHES], 2, 3, 30);
	put_switch(&cpus->ring[PERF_SWITCHES], 3, 4, 40);
	pump(true);
	CU_ASSERT_EQUAL_FATAL(ntold, 5);
	for (unsigned int i = 0; i < 5; i++)
		CU_ASSERT_EQUAL(told[i].major, want[i]);
	end();
}

/* A thread is switched in although no record reported who was switched out; after a loss, no thread
 * is known to run. */
static void comes_in(void)
{
	for (int lose = 0; lose < 2; lose++) {
		begin();
		put_switch(&cpus->ring[PERF_SWITCHES], 1, 2, 10);
		if (lose)
			put_lost(&cpus->ring[PERF_SWITCHES], 1, 20);
		u32(1);
		u32(1);
		put_id(&cpus->ring[PERF_SWITCHES], PERF_RECORD_SWITCH_CPU_WIDE, 0, 2, 30);
		pump(true);
		CU_ASSERT_EQUAL(records_count(PITRACE_DISPATCH, UINT32_MAX),
				1u + (unsigned int)lose);
		end();
	}
}

/* Samples that arrived while names were read wait for the next pump; names do not. */
static void scoped(void)
{
	begin();
	s.config.scope = PITRACE_SCOPE_PROCESS;
	s.config.pid = 70;
	s.scope = calloc(1, PERF_PIDS / 8 + 1); /* the last byte is not a pid's */
	CU_ASSERT_FATAL(s.scope != NULL);
	CU_ASSERT_EQUAL(perf_emit_walk(&s), 0);
	CU_ASSERT_EQUAL(walked, 70);
	CU_ASSERT_EQUAL(resets, 1);
	CU_ASSERT_EQUAL(identified, 1);
	fork_of(cpus, 71, PERF_PIDS - 1, 5);
	fork_of(cpus, 71, PERF_PIDS, 5);
	pump(true);
	CU_ASSERT_EQUAL(s.scope[PERF_PIDS / 8], 0);
	s.scope[PERF_PIDS / 8] = 0xff;
	records_forget();
	put_switch(&cpus->ring[PERF_SWITCHES], 70, 1, 10);
	put_switch(&cpus->ring[PERF_SWITCHES], 1, 71, 20);
	put_switch(&cpus->ring[PERF_SWITCHES], 2, 3, 30);
	put_switch(&cpus->ring[PERF_SWITCHES], 2, PERF_PIDS - 1, 40);
	put_switch(&cpus->ring[PERF_SWITCHES], 2, PERF_PIDS, 50);
	put_switch(&cpus->ring[PERF_SWITCHES], 69, 72, 60);
	pump(true);
	CU_ASSERT_EQUAL_FATAL(ntold, 3);
	CU_ASSERT(told[0].stamp == 10 && told[1].stamp == 20 && told[2].stamp == 40);
	/* For the whole system, all of them are in scope. */
	free(s.scope);
	s.scope = NULL;
	s.config.scope = PITRACE_SCOPE_SYSTEM;
	records_forget();
	put_switch(&cpus->ring[PERF_SWITCHES], 2, PERF_PIDS, 70);
	pump(true);
	CU_ASSERT_EQUAL(ntold, 1);
	s.names_lost = true;
	walk_fails = -ESRCH;
	CU_ASSERT_EQUAL(perf_emit_walk(&s), -ESRCH);
	CU_ASSERT(!walked && !s.names_lost);
	end();
}

int main(void)
{
	static const struct unit_test tests[] = {
		{ "conserved", conserved },
		{ "idle_ends", idle_ends },
		{ "idle_is", idle_is },
		{ "gaps", gaps },
		{ "gaps_begin", gaps_begin },
		{ "throttled", throttled },
		{ "numbers", numbers },
		{ "merged", merged },
		{ "comes_in", comes_in },
		{ "copies", copies },
		{ "words", words },
		{ "scoped", scoped },
		{},
	};

	return unit_run("perf_pump", tests);
}
