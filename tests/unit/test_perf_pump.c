// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * What goes into perf's rings comes out as ticks, idle ticks, dispatches, names or counted losses,
 * to the last one; an error of the sink comes back at once, whichever segment it is, and nothing
 * is written twice. (Linked with --wrap of what looks at files and at /proc.)
 */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>
#include "collect/perf/perf_mapped.h"
#include "collect/perf/proc_walk.h"
#include "perf_rings.h"
#include "records.h"

#define RING   65536u
#define CPUS   2
#define PERIOD 1000000u /* ns: 1000 a second */
#define IDLE   0xffffffff81000000u
#define SECOND 1000000000ull

/* ---- files and /proc ------------------------------------------------------------------------- */

static const char *other_path; /* where this process finds the file */
static struct pitrace_mte_buildid known_id;
static unsigned int ids_left, identified, resets;
static int walk_fails;
static pid_t walked;

void __wrap_known_files_identify(struct known_files *k, const struct pitrace_mte_map *map);
const struct pitrace_mte_buildid *__wrap_known_files_take_id(struct known_files *k,
							     const struct pitrace_mte_map *map);
const char *__wrap_known_files_path(struct known_files *k, const struct pitrace_mte_map *map);
void __wrap_known_files_reset(struct known_files *k);
int __wrap_proc_walk(pid_t scope, perf_put put, void (*visit)(void *arg, pid_t pid), void *arg);

void __wrap_known_files_identify(struct known_files *k, const struct pitrace_mte_map *map)
{
	(void)k;
	(void)map;
	identified++;
}

const struct pitrace_mte_buildid *__wrap_known_files_take_id(struct known_files *k,
							     const struct pitrace_mte_map *map)
{
	(void)k;
	if (!ids_left)
		return NULL;
	ids_left--;
	known_id.inode = map->inode;
	return &known_id;
}

const char *__wrap_known_files_path(struct known_files *k, const struct pitrace_mte_map *map)
{
	(void)k;
	(void)map;
	return other_path;
}

void __wrap_known_files_reset(struct known_files *k)
{
	(void)k;
	resets++;
}

/* Two processes and a mapping. */
int __wrap_proc_walk(pid_t scope, perf_put put, void (*visit)(void *arg, pid_t pid), void *arg)
{
	struct pitrace_mte_task task = { .pid = 70 };
	struct pitrace_mte_map map = { .pid = 70, .inode = 5 };

	walked = scope;
	visit(arg, 70);
	visit(arg, 71);
	if (put(arg, PITRACE_MTE, PITRACE_MTE_PROCESS, &task, sizeof(task), 1))
		return -ENOMEM;
	put(arg, PITRACE_MTE, PITRACE_MTE_MODULE, &map, sizeof(map), 1);
	return walk_fails;
}

static bool no_memory;

void *__real_realloc(void *p, size_t n);
void *__wrap_realloc(void *p, size_t n);
void *__wrap_realloc(void *p, size_t n)
{
	return no_memory ? NULL : __real_realloc(p, n);
}

/* ---- rings ----------------------------------------------------------------------------------- */

static struct perf_session s;
static struct perf_cpu cpus[CPUS + 1]; /* of the last nobody knows */
static struct perf_event events[2] = { { .id = 11 }, { .id = 12, .number = 1 } };

static void map_ring(struct perf_ring *r, uint64_t at)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	*r = (struct perf_ring){
		.page = aligned_alloc(page, page + RING),
		.bytes = RING,
		.at = at,
		.joined = malloc(UINT16_MAX + 1),
	};
	CU_ASSERT_FATAL(r->page && r->joined);
	memset(r->page, 0, page);
	r->page->data_head = at;
}

static void unmap_ring(struct perf_ring *r)
{
	free(r->page);
	free(r->joined);
}

/* A session of the whole system, its timer at 1000 a second, as *on* leaves it. */
static void begin(void)
{
	s = (struct perf_session){ .ncpus = CPUS, .cpu = cpus, .event = events, .nevents = 2 };
	memset(cpus, 0, sizeof(cpus));
	s.config.rate = 1000;
	s.config.segment_bytes = 32768;
	s.shape.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
			      PERF_SAMPLE_CPU;
	s.shape.id_all = true;
	s.sample_shape = s.shape;
	s.sample_shape.sample_type |= PERF_SAMPLE_IP | PERF_SAMPLE_PERIOD;
	s.idle.n = 1;
	s.idle.range[0].start = IDLE;
	s.idle.range[0].end = IDLE + 0x100;
	for (uint32_t i = 0; i <= CPUS; i++) {
		cpus[i].cpu = 3 + i;
		map_ring(&cpus[i].names, 64);
		map_ring(&cpus[i].samples, RING - 128);
		map_ring(&cpus[i].switches, 1ull << 33);
	}
	perf_pump_reset(&s);
	put_comm(&cpus[CPUS].names, 70, "nobody", 1);
	put_lost(&cpus[CPUS].samples, 1, 1);
	put_lost(&cpus[CPUS].switches, 1, 1);
	cpus[CPUS].due = 77;
	records_forget();
	ids_left = identified = resets = 0;
	other_path = NULL;
	walk_fails = 0;
}

static void end(void)
{
	struct perf_cpu *none = &cpus[CPUS];

	CU_ASSERT(none->names.at == 64 && none->samples.at == RING - 128);
	CU_ASSERT(none->switches.at == 1ull << 33 && none->due == 77 && !none->names_seen);
	CU_ASSERT(!none->until_samples && !none->mte.size);
	for (uint32_t i = 0; i <= CPUS; i++) {
		unmap_ring(&cpus[i].names);
		unmap_ring(&cpus[i].samples);
		unmap_ring(&cpus[i].switches);
		segment_free(&cpus[i].mte);
		segment_free(&cpus[i].trace);
	}
	free(s.queue.data);
	free(s.scope);
}

/* What a record leaves unset is seen. */
static __attribute__((noinline)) void dirty_stack(void)
{
	volatile uint8_t below[65536];

	for (size_t i = 0; i < sizeof(below); i++)
		below[i] = 0xa5;
}

static void pump(bool all)
{
	dirty_stack();
	CU_ASSERT_EQUAL(perf_pump(&s, all, records_take, NULL), 0);
	for (uint32_t i = 0; i < CPUS; i++) {
		CU_ASSERT_EQUAL(cpus[i].names.page->data_tail, cpus[i].names.page->data_head);
		CU_ASSERT_EQUAL(cpus[i].samples.page->data_tail, cpus[i].samples.page->data_head);
		CU_ASSERT_EQUAL(cpus[i].switches.page->data_tail, cpus[i].switches.page->data_head);
	}
}

static void sample_of(struct perf_cpu *c, uint64_t id, uint32_t pid, uint64_t ip, uint64_t time,
		      uint64_t period)
{
	put_sample(&c->samples, ip >= IDLE ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER, id,
		   pid, ip, time, period);
}

static void sample(struct perf_cpu *c, uint64_t time)
{
	sample_of(c, 11, 70, 0x1000, time, PERIOD);
}

static void idle(struct perf_cpu *c, uint64_t time)
{
	sample_of(c, 11, 0, IDLE + 1, time, PERIOD);
}

static void throttle(struct perf_cpu *c, bool begins, uint64_t time)
{
	u64(time);
	u64(11);
	u64(11);
	put_id(&c->samples, begins ? PERF_RECORD_THROTTLE : PERF_RECORD_UNTHROTTLE, 0, 70, time);
}

static void fork_of(struct perf_cpu *c, uint32_t parent, uint32_t child, uint64_t time)
{
	u32(child);
	u32(parent);
	u32(child);
	u32(parent);
	u64(time);
	put_id(&c->names, PERF_RECORD_FORK, 0, parent, time);
}

static void mapping(struct perf_cpu *c, uint32_t pid, uint64_t start, const char *path,
		    uint64_t time)
{
	u32(pid);
	u32(pid);
	u64(start);
	u64(0x1000);
	u64(0);
	u32(8);
	u32(1);
	u64(start); /* for an inode */
	u64(0);
	u32(5); /* read and execute */
	u32(2);
	text(path);
	put_id(&c->names, PERF_RECORD_MMAP2, 0, pid, time);
}

/* Too short for its fields. */
static void bad(struct perf_ring *r, uint32_t type)
{
	put_rec(r, type, 0);
}

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
			put_lost(&c->samples, some, *time);
			sum->lost += some;
			break;
		case 6:
			put_switch(&c->switches, runs, runs + 1, *time);
			runs++;
			sum->dispatches++;
			break;
		case 7:
			put_lost(&c->switches, some, *time);
			sum->lost_dispatches += some;
			break;
		case 8:
			put_comm(&c->names, 70, "name", *time);
			sum->names++;
			break;
		case 9:
			switch (some) {
			case 1:
				bad(&c->samples, PERF_RECORD_SAMPLE);
				sum->lost++;
				break;
			case 2:
				bad(&c->switches, PERF_RECORD_LOST);
				sum->lost_dispatches++;
				break;
			case 3:
				bad(&c->names, PERF_RECORD_COMM);
				sum->lost_names++;
				break;
			default:
				put_lost(&c->names, some, *time);
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
			put_lost(&c->samples, 1, SECOND + 2 * PERIOD);
		if (with == 3)
			put_switch(&c->switches, 1, 2, SECOND + 2 * PERIOD);
		if (with == 4)
			put_lost(&c->switches, 1, SECOND + 2 * PERIOD);
		if (with == 5)
			throttle(c, false, SECOND + 2 * PERIOD);
		pump(with == 0);
		/* What a next one begins is a record of its own. */
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

/* Of thread 0 alone, in one of these functions, by the timer. */
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
		/* Losses that were told are not counted again. */
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
		/* Another event's turn: a tick more may lie between, and it begins anew. */
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
				put_lost(&c->samples, b->n, at);
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
	put_lost(&c->samples, 7, 2 * SECOND + 1);
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

/* Where the ticks themselves do not tell, the time does; of events, that some are missing. */
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
	/* Of a fixed count, which samples do not carry: the number's own. */
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
	CU_ASSERT_EQUAL(perf_decode(&s.shape, perf_ring_peek(&r, 1 << 20), 8 + 8 + 8 + 32, &item,
				    &why),
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
	CU_ASSERT_EQUAL(perf_decode(&s.shape, perf_ring_peek(&r, r.page->data_head),
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

/* A copied stack has whole words, no more than were asked for, no more than there are. */
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
	put_switch(&cpus->switches, 1, 2, 10);
	put_switch(&cpus->switches, 2, 3, 30);
	put_switch(&cpus->switches, 3, 4, 40);
	pump(true);
	CU_ASSERT_EQUAL_FATAL(ntold, 5);
	for (unsigned int i = 0; i < 5; i++)
		CU_ASSERT_EQUAL(told[i].major, want[i]);
	end();
}

/* Who comes in, where who left was not told; after a loss nobody is known to run. */
static void comes_in(void)
{
	for (int lose = 0; lose < 2; lose++) {
		begin();
		put_switch(&cpus->switches, 1, 2, 10);
		if (lose)
			put_lost(&cpus->switches, 1, 20);
		u32(1);
		u32(1);
		put_id(&cpus->switches, PERF_RECORD_SWITCH_CPU_WIDE, 0, 2, 30);
		pump(true);
		CU_ASSERT_EQUAL(records_count(PITRACE_DISPATCH, UINT32_MAX),
				1u + (unsigned int)lose);
		end();
	}
}

/* What came while the names were read waits for the next pump; names do not. */
static void scoped(void)
{
	begin();
	s.config.scope = PITRACE_SCOPE_PROCESS;
	s.config.pid = 70;
	s.scope = calloc(1, PERF_PIDS / 8 + 1); /* the last byte is no pid's */
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
	put_switch(&cpus->switches, 70, 1, 10);
	put_switch(&cpus->switches, 1, 71, 20);
	put_switch(&cpus->switches, 2, 3, 30);
	put_switch(&cpus->switches, 2, PERF_PIDS - 1, 40);
	put_switch(&cpus->switches, 2, PERF_PIDS, 50);
	put_switch(&cpus->switches, 69, 72, 60);
	pump(true);
	CU_ASSERT_EQUAL_FATAL(ntold, 3);
	CU_ASSERT(told[0].stamp == 10 && told[1].stamp == 20 && told[2].stamp == 40);
	/* Of the whole system all of them. */
	free(s.scope);
	s.scope = NULL;
	s.config.scope = PITRACE_SCOPE_SYSTEM;
	records_forget();
	put_switch(&cpus->switches, 2, PERF_PIDS, 70);
	pump(true);
	CU_ASSERT_EQUAL(ntold, 1);
	s.names_lost = true;
	walk_fails = -ESRCH;
	CU_ASSERT_EQUAL(perf_emit_walk(&s), -ESRCH);
	CU_ASSERT(!walked && !s.names_lost);
	end();
}

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
		put_comm(&cpus->names, 70, "a", 15);
		put_comm(&cpus->names, 70, "b", 20);
		put_comm(&cpus->names, 70, "c", 25);
		put_comm(&cpus[1].names, 70, "d", 99);
		perf_pump_reset(&s);
		CU_ASSERT(!s.queue.used && !s.queue.at);
		for (uint64_t time = 10; time <= 30; time += 10)
			perf_emit(&s, PITRACE_MTE, PITRACE_MTE_PROCESS, &task, sizeof(task), time);
		put_comm(&cpus->names, 70, "a", 15);
		put_comm(&cpus->names, 70, "b", 20);
		put_comm(&cpus->names, 70, "c", 25);
		put_comm(&cpus[1].names, 70, "d", 99);
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

/* Files are looked at as soon as their mappings are told, each once, and nothing is consumed. */
static void looked_at(void)
{
	begin();
	mapping(cpus, 70, 0x1000, "/lib/x.so", 10);
	put_comm(&cpus->names, 70, "a", 15);
	bad(&cpus[0].names, PERF_RECORD_COMM);
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
	/* What was consumed meanwhile is no more there to be looked at. */
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
			put_comm(&c->names, 70, "a", 6);
			put_switch(&c->switches, 1, 2, 6);
		}
		mapping(c, 70, 0x1000, "/x", 10);
		mapping(c, 71, 0x2000, "/y", 20);
		put_comm(&c->names, 70, "a", 30);
		put_lost(&c->names, 1, 40);
		bad(&c->names, PERF_RECORD_COMM);
		put_comm(&c->names, 70, "b", 50);
		fork_of(c, 70, 71, 60);
		u32(70);
		u32(70);
		u32(70);
		u32(70);
		u64(70);
		put_id(&c->names, PERF_RECORD_EXIT, 0, 70, 70);
		for (uint64_t t = SECOND; t < SECOND + 60 * PERIOD; t += 20 * PERIOD) {
			idle(c, t);
			sample(c, t + 5 * PERIOD); /* ticks are missing */
			idle(c, t + 6 * PERIOD);
			put_lost(&c->samples, 1, t + 7 * PERIOD);
			idle(c, t + 8 * PERIOD);
			put_switch(&c->switches, 1, 2, t + 9 * PERIOD);
			idle(c, t + 10 * PERIOD);
			put_lost(&c->switches, 2, t + 11 * PERIOD);
			bad(&c->samples, PERF_RECORD_SAMPLE);
			bad(&c->switches, PERF_RECORD_LOST);
			put_switch(&c->switches, 2, 1, t + 12 * PERIOD);
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
	/* Of the whole system; of a process, where throttling has a loss of its own. */
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
			/* The next goes on behind what failed. */
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
	put_comm(&cpus->names, 70, "a", 10);
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
	put_lost(&c->samples, 5, SECOND + 5);
	put_lost(&c->switches, 6, SECOND + 5);
	put_lost(&c->names, 7, SECOND + 5);
	put_switch(&c->switches, 1, 2, SECOND + 6);
	idle(c, SECOND + 7);
	pump(false);
	c->mte_bytes = c->trace_bytes = 77;
	CU_ASSERT(c->idle_count == 1 && c->running.known);
	put_comm(&c->names, 70, "x", SECOND + 8);
	sample(c, SECOND + 8);
	put_switch(&c->switches, 2, 3, SECOND + 8);
	perf_pump_discard(&s);
	CU_ASSERT(!c->idle_count && !c->due && !c->trace_bytes && c->mte_bytes == 77);
	CU_ASSERT(c->samples.page->data_tail == c->samples.page->data_head);
	CU_ASSERT(c->switches.page->data_tail == c->switches.page->data_head);
	CU_ASSERT(c->names.page->data_tail < c->names.page->data_head);
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
	put_switch(&c->switches, 2, 3, 2 * SECOND + 9 * PERIOD);
	put_lost(&c->samples, 1, 2 * SECOND + 10 * PERIOD);
	throttle(c, true, 2 * SECOND + 11 * PERIOD);
	idle(c, 2 * SECOND + 12 * PERIOD);
	pump(false);
	throttle(c, true, 2 * SECOND + 13 * PERIOD);
	put_lost(&c->samples, 1, 2 * SECOND + 14 * PERIOD);
	pump(false);
	put_comm(&c->names, 70, "x", 3 * SECOND);
	sample(c, 3 * SECOND);
	put_switch(&c->switches, 5, 6, 3 * SECOND);
	perf_pump_reset(&s);
	CU_ASSERT(c->samples.page->data_tail == c->samples.page->data_head);
	CU_ASSERT(c->switches.page->data_tail == c->switches.page->data_head);
	CU_ASSERT(c->names.page->data_tail == c->names.page->data_head);
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
		{ "conserved", conserved },   { "idle_ends", idle_ends },
		{ "idle_is", idle_is },       { "gaps", gaps },
		{ "gaps_begin", gaps_begin }, { "throttled", throttled },
		{ "numbers", numbers },       { "merged", merged },
		{ "comes_in", comes_in },     { "copies", copies },
		{ "words", words },           { "scoped", scoped },
		{ "queued", queued },         { "syncs", syncs },
		{ "mapped", mapped },         { "looked_at", looked_at },
		{ "sink_error", sink_error }, { "open_segments", open_segments },
		{ "forgotten", forgotten },   {},
	};

	return unit_run("perf_pump", tests);
}
