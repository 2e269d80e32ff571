// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * The collector `timer` with programs that the test simulates: its messages to them, its processing
 * of their rings, to the last record, in the order of time; losses, exits, /proc, limits, errors.
 * (Linked with --wrap: the test replaces time, /proc and the list of living processes.)
 */
#include "timer_programs.h"

/* ---- what programs are told ------------------------------------------------------------------ */

static void told_control(void)
{
	static const struct {
		uint32_t stacks, sample_bytes, copy;
	} tries[] = {
		{ 0, 64 << 10, 0 },
		{ PITRACE_WANT_USER, 512 << 10, 0 },
		{ PITRACE_WANT_COPY, 2 << 20, PITRACE_STACK_COPY_MAX },
		{ PITRACE_WANT_COPY | PITRACE_WANT_USER, 2 << 20, PITRACE_STACK_COPY_MAX },
	};

	for (size_t i = 0; i < 4; i++) {
		configure();
		config.stacks = tries[i].stacks | (i ? PITRACE_WANT_KERNEL : 0);
		open_it();
		CU_ASSERT(control->magic == TIMER_MAGIC && control->version == TIMER_VERSION);
		CU_ASSERT(control->state == TIMER_PAUSED && control->stacks == tries[i].stacks);
		CU_ASSERT(control->event_bytes == 128 << 10 && control->fine == 1);
		CU_ASSERT_EQUAL(control->sample_bytes, tries[i].sample_bytes);
		CU_ASSERT(control->depth == PITRACE_STACK_MAX && control->copy == tries[i].copy);
		end();
	}
	configure();
	config.stacks = PITRACE_WANT_COPY;
	config.copy = 512;
	config.depth = 3;
	config.dither = 0;
	open_it();
	CU_ASSERT(control->copy == 512 && control->depth == 3 && !control->fine);
	end();
}

/* At least a little more than a tick is between two samples of a thread. */
static void rates(void)
{
	static const struct {
		uint32_t rate;
		long tick;
		uint64_t interval;
		uint32_t got;
	} tries[] = {
		{ 100, 4 * MS, 10 * MS, 100 },  { 250, 4 * MS, 4200000, 238 },
		{ 238, 4 * MS, 4201680, 238 },  { 239, 4 * MS, 4200000, 238 },
		{ 1000, 1 * MS, 1050000, 952 }, { 1000, 10 * MS, 10500000, 95 },
		{ 3, 4 * MS, 333333333, 3 },
	};

	for (size_t i = 0; i < sizeof(tries) / sizeof(*tries); i++) {
		configure();
		config.rate = tries[i].rate;
		tick = tries[i].tick;
		open_it();
		CU_ASSERT_EQUAL(control->interval, tries[i].interval);
		CU_ASSERT_EQUAL(control->tick, (uint64_t)tries[i].tick);
		CU_ASSERT_EQUAL(info()->rate, tries[i].got);
		CU_ASSERT_EQUAL(strstr(info()->note, "this kernel's tick allows") != NULL,
				tries[i].got < tries[i].rate);
		end();
	}
}

static void environment(void)
{
	char **v, want[300];

	configure();
	open_it();
	for (int how = 0; how < 3; how++) {
		if (how)
			setenv("LD_PRELOAD", how == 1 ? "" : "/a.so:/b.so", 1);
		CU_ASSERT_EQUAL(collector_timer.environment(b, &v), 0);
		snprintf(want, sizeof(want), "LD_PRELOAD=%s%s", library,
			 how == 2 ? ":/a.so:/b.so" : "");
		CU_ASSERT_STRING_EQUAL(v[0], want);
		free_all(v);
	}
	unsetenv("LD_PRELOAD");
	setenv("PITRACE_TIMER_LIBRARY", "/nowhere.so", 1);
	CU_ASSERT_EQUAL(collector_timer.environment(b, &v), -ENOENT);
	free_all(v);
	end();
}

static void states(void)
{
	configure();
	open_it();
	drain(true);
	CU_ASSERT_EQUAL(nsegments, 0);
	CU_ASSERT(info()->state == PITRACE_STATE_OFF && !info()->interval);
	on();
	CU_ASSERT(control->state == TIMER_ON && info()->state == PITRACE_STATE_ON);
	CU_ASSERT(info()->interval == 1 && info()->clock == PITRACE_CLOCK_MONOTONIC);
	CU_ASSERT(!info()->mte_bytes && !info()->trace_bytes && info()->segment_bytes == 65536);
	CU_ASSERT_EQUAL(collector_timer.suspend(b, true), 0);
	CU_ASSERT(control->state == TIMER_PAUSED && info()->state == PITRACE_STATE_SUSPENDED);
	CU_ASSERT_EQUAL(collector_timer.suspend(b, false), 0);
	CU_ASSERT(control->state == TIMER_ON && info()->state == PITRACE_STATE_ON);
	drain(true);
	drain(true);
	CU_ASSERT_EQUAL(records_count(PITRACE_SYNC, PITRACE_SYNC_ON), 1);
	CU_ASSERT_EQUAL(records_count(PITRACE_SYSINFO, PITRACE_SYSINFO_INTERVAL), 1);
	CU_ASSERT_EQUAL(records_nth(PITRACE_SYSINFO, UINT32_MAX, 0)->interval.rate, 100);
	CU_ASSERT_EQUAL(records_nth(PITRACE_SYSINFO, UINT32_MAX, 0)->interval.dither, 1000);
	CU_ASSERT_EQUAL(collector_timer.off(b), 0);
	CU_ASSERT(control->state == TIMER_OVER && info()->state == PITRACE_STATE_OFF);
	CU_ASSERT_EQUAL(collector_timer.off(b), -EALREADY);
	CU_ASSERT_EQUAL(collector_timer.on(b, &config), -EALREADY);
	drain(true);
	CU_ASSERT_EQUAL(records_count(PITRACE_SYNC, PITRACE_SYNC_OFF), 1);
	end();
	/* If no samples are requested, none are taken. */
	configure();
	config.majors[0] = 0;
	config.dither = 0;
	open_it();
	on();
	CU_ASSERT(control->state == TIMER_PAUSED && info()->state == PITRACE_STATE_ON);
	collector_timer.suspend(b, true);
	collector_timer.suspend(b, false);
	CU_ASSERT_EQUAL(control->state, TIMER_PAUSED);
	drain(true);
	CU_ASSERT_EQUAL(records_nth(PITRACE_SYSINFO, UINT32_MAX, 0)->interval.dither, 0);
	CU_ASSERT_EQUAL(collector_timer.clock_hz(b), SECOND);
	end();
}

/* It wakes who waits for it, each 50 ms. */
static void wakes(void)
{
	struct pollfd p = { .events = POLLIN };
	struct itimerspec often;

	begin();
	p.fd = collector_timer.fd(b);
	CU_ASSERT_EQUAL(timerfd_gettime(p.fd, &often), 0);
	CU_ASSERT(!often.it_interval.tv_sec && often.it_interval.tv_nsec == 50 * (long)MS);
	CU_ASSERT(!often.it_value.tv_sec && often.it_value.tv_nsec <= 50 * (long)MS);
	CU_ASSERT_EQUAL(poll(&p, 1, 5000), 1);
	drain(false);
	CU_ASSERT_EQUAL(poll(&p, 1, 0), 0);
	end();
}

/* ---- what becomes of records ----------------------------------------------------------------- */

/* Two threads' rings, by time; the youngest wait. */
static void order(void)
{
	struct timer_file *f, *second;
	uint64_t t;

	begin();
	f = program(PID, 0x11);
	second = ring(PID, 0x11, 1);
	t = now_ns();
	sample(f, PID, t + 1, 0x1000);
	sample(second, PID + 5, t + 2, 0x1001);
	sample(f, PID, t + 3, 0x1002);
	sample(second, PID + 5, t + 4, 0x1003);
	ahead += 1 * MS;
	drain(true);
	CU_ASSERT_EQUAL(records_count(PITRACE_TPROF, UINT32_MAX), 0);
	ahead += 98 * MS;
	drain(true);
	sample(f, PID, now_ns(), 0x1004);
	ahead += 3 * MS;
	drain(true);
	CU_ASSERT_EQUAL_FATAL(records_count(PITRACE_TPROF, UINT32_MAX), 4);
	for (unsigned int i = 0; i < 4; i++) {
		const struct told *s = records_nth(PITRACE_TPROF, PITRACE_TPROF_USER, i);

		CU_ASSERT(s && s->stamp == t + 1 + i && s->sample.address == 0x1000 + i);
		CU_ASSERT(s->sample.tid == (i % 2 ? PID + 5 : PID) && s->sample.pid == PID);
		CU_ASSERT_EQUAL(s->sample.period, 10 * MS);
	}
	CU_ASSERT_EQUAL(records_count(PITRACE_MTE, PITRACE_MTE_PROCESS), 1);
	CU_ASSERT_EQUAL(records_nth(PITRACE_MTE, PITRACE_MTE_PROCESS, 0)->task.ppid, 5);
	CU_ASSERT_STRING_EQUAL(records_nth(PITRACE_MTE, PITRACE_MTE_PROCESS, 0)->task.comm, "prog");
	CU_ASSERT_EQUAL(records_count(PITRACE_MTE, PITRACE_MTE_THREAD), 1);
	CU_ASSERT_EQUAL(records_nth(PITRACE_MTE, PITRACE_MTE_THREAD, 0)->task.tid, PID + 5);
	CU_ASSERT_EQUAL(records_count(PITRACE_MTE, PITRACE_MTE_MODULE), 1);
	CU_ASSERT(info()->ticks == 4 && !info()->lost[PITRACE_LOST_TPROF] && !info()->idle_ticks);
	/* The end reads what is left, however young. */
	sample(f, PID, now_ns() + 500 * MS, 0x1005); /* no stamp is of the future */
	CU_ASSERT_EQUAL(collector_timer.off(b), 0);
	drain(true);
	CU_ASSERT_EQUAL(records_count(PITRACE_TPROF, UINT32_MAX), 6);
	CU_ASSERT(records_nth(PITRACE_TPROF, UINT32_MAX, 5)->stamp <= now_ns());
	leave(f);
	leave(second);
	end();
}

/* A clock sync each second, before the record that comes next. */
static void seconds(void)
{
	struct timer_file *f;

	begin();
	f = program(PID, 0x11);
	for (int i = 0; i < 35; i++) {
		ahead += 100 * MS;
		sample(f, PID, now_ns(), 0x1000);
		drain(false);
	}
	settle();
	CU_ASSERT_EQUAL(records_count(PITRACE_SYNC, PITRACE_SYNC_SECOND), 3);
	for (unsigned int i = 0; i < 2; i++)
		CU_ASSERT_EQUAL(records_nth(PITRACE_SYNC, PITRACE_SYNC_SECOND, i + 1)->stamp -
					records_nth(PITRACE_SYNC, PITRACE_SYNC_SECOND, i)->stamp,
				SECOND);
	CU_ASSERT_EQUAL(records_nth(PITRACE_SYNC, PITRACE_SYNC_SECOND, 0)->stamp -
				records_nth(PITRACE_SYNC, PITRACE_SYNC_ON, 0)->stamp,
			SECOND);
	leave(f);
	end();
}

/* Losses that programs count are reported once, as are samples that they could not take. */
static void losses(void)
{
	struct timer_file *f, *second;
	struct pifile_stats *stats;

	begin();
	f = program(PID, 0x11);
	second = ring(PID, 0x11, 1);
	f->samples.lost = 3;
	f->events.lost = 4;
	second->samples.lost = 5;
	second->events.lost = 77; /* of no meaning there */
	f->unsampled = 2;
	settle();
	CU_ASSERT_EQUAL(records_lost(PITRACE_LOST_TPROF), 3 + 5 + 2);
	CU_ASSERT_EQUAL(records_lost(PITRACE_LOST_MTE), 4);
	CU_ASSERT_PTR_NOT_NULL(strstr(info()->note, "; NOT SAMPLED: 2 threads"));
	CU_ASSERT_PTR_NULL(strstr(info()->note, "processes"));
	settle();
	CU_ASSERT_EQUAL(records_lost(PITRACE_LOST_TPROF), 10);
	f->samples.lost = 4;
	f->unsampled = 3;
	f->events.lost = 9;
	second->samples.lost = 1; /* it takes something back: no matter */
	settle();
	CU_ASSERT_EQUAL(records_lost(PITRACE_LOST_TPROF), 12);
	CU_ASSERT_EQUAL(records_lost(PITRACE_LOST_MTE), 9);
	second->samples.lost = 1 + (1ull << 40);
	settle();
	CU_ASSERT_EQUAL(info()->lost[PITRACE_LOST_TPROF], 12ull + UINT32_MAX);
	/* A ring with an invalid position is not read any more. */
	second->samples.head = 4;
	second->samples.lost++;
	settle();
	CU_ASSERT_EQUAL(info()->lost[PITRACE_LOST_TPROF], 13ull + UINT32_MAX);
	second->samples.head = second->samples.tail;
	sample(second, PID + 5, now_ns(), 0x1000);
	settle();
	CU_ASSERT_EQUAL(info()->ticks, 0);
	CU_ASSERT_EQUAL(info()->lost[PITRACE_LOST_TPROF], 13ull + UINT32_MAX);
	CU_ASSERT(collector_timer.stats(b, &stats) >= 1);
	CU_ASSERT(stats[0].lost[PITRACE_LOST_MTE] == 9 && stats[0].online && !stats[0].ticks);
	CU_ASSERT_EQUAL(stats[0].trace_bytes % 65536, 0);
	free(stats);
	leave(f);
	leave(second);
	end();
}

/* Kinds that are none, and records of nothing. */
static void odd_records(void)
{
	struct timer_file *f;
	unsigned int before;

	begin();
	f = program(PID, 0x11);
	settle();
	before = ntold;
	CU_ASSERT(put(f, true, TIMER_BUILD_ID + 1, PID, now_ns(), "x", 1));
	CU_ASSERT(put(f, true, TIMER_MAP, PID, now_ns(), "", 0));
	CU_ASSERT(put(f, true, TIMER_BUILD_ID, PID, now_ns(), "short", 5));
	CU_ASSERT(put(f, true, TIMER_THREAD_EXIT, PID + 3, now_ns(), "x", 1));
	CU_ASSERT(put(f, true, TIMER_EXIT, PID, now_ns(), "", 0));
	settle();
	CU_ASSERT_EQUAL(ntold, before);
	leave(f);
	end();
}

/* ---- ends ------------------------------------------------------------------------------------ */

static bool is_there(uint32_t pid, uint64_t image, uint32_t number)
{
	return !access(ring_path(pid, image, number), F_OK);
}

static void exits(void)
{
	struct timer_file *f, *second, *other;
	const struct told *t;

	begin();
	f = program(PID, 0x11);
	second = ring(PID, 0x11, 3);
	other = program(PID + 1, 0x12);
	sample(second, PID + 5, now_ns(), 0x1000);
	settle();
	CU_ASSERT_EQUAL(records_count(PITRACE_MTE, PITRACE_MTE_PROCESS_EXIT), 0);
	sample(f, PID, now_ns(), 0x1001);
	CU_ASSERT(put(second, false, TIMER_THREAD_EXIT, PID + 5, now_ns(),
		      "worker\0\0\0\0\0\0\0\0\0", 16));
	dead = 1;
	settle();
	CU_ASSERT(!is_there(PID, 0x11, 0) && !is_there(PID, 0x11, 3) && is_there(PID + 1, 0x12, 0));
	settle();
	CU_ASSERT_EQUAL(records_count(PITRACE_TPROF, UINT32_MAX), 2);
	CU_ASSERT_EQUAL_FATAL(records_count(PITRACE_MTE, PITRACE_MTE_PROCESS_EXIT), 1);
	t = records_nth(PITRACE_MTE, PITRACE_MTE_PROCESS_EXIT, 0);
	CU_ASSERT(t->task.pid == PID &&
		  t->stamp > records_nth(PITRACE_TPROF, UINT32_MAX, 1)->stamp);
	CU_ASSERT_EQUAL_FATAL(records_count(PITRACE_MTE, PITRACE_MTE_THREAD_EXIT), 1);
	t = records_nth(PITRACE_MTE, PITRACE_MTE_THREAD_EXIT, 0);
	CU_ASSERT_EQUAL(t->task.tid, PID + 5);
	CU_ASSERT_STRING_EQUAL(t->task.comm, "worker");
	CU_ASSERT_EQUAL(records_count(PITRACE_MTE, PITRACE_MTE_NAME), 1);
	settle();
	CU_ASSERT_EQUAL(records_count(PITRACE_MTE, PITRACE_MTE_PROCESS_EXIT), 1);
	/* By exec another image takes its place: that is no end. */
	leave(other);
	other = program(PID + 1, 0x13);
	settle();
	settle();
	CU_ASSERT(!is_there(PID + 1, 0x12, 0) && is_there(PID + 1, 0x13, 0));
	CU_ASSERT_EQUAL(records_count(PITRACE_MTE, PITRACE_MTE_PROCESS_EXIT), 1);
	CU_ASSERT_EQUAL(records_count(PITRACE_MTE, PITRACE_MTE_PROCESS), 3);
	/* One that found no room for a ring leaves an empty file: it is counted. */
	close(open(ring_path(PID + 2, 0x14, 0), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
	settle();
	CU_ASSERT_PTR_NULL(strstr(info()->note, "processes"));
	dead |= 4;
	settle();
	settle();
	CU_ASSERT_PTR_NOT_NULL(
		strstr(info()->note, "; NOT SAMPLED: 1 processes (no room for more)"));
	CU_ASSERT_PTR_NULL(strstr(info()->note, "threads"));
	CU_ASSERT(!is_there(PID + 2, 0x14, 0));
	CU_ASSERT_EQUAL(records_count(PITRACE_MTE, PITRACE_MTE_PROCESS_EXIT), 1);
	leave(f);
	leave(second);
	leave(other);
	end();
}

/* A child has what its parent had mapped. */
static void forks(void)
{
	struct timer_file *f, *child, *strange;
	const struct told *t;

	begin();
	f = program(PID, 0x11);
	settle();
	child = ring(PID + 1, 0x20, 0);
	child->parent = PID;
	text(child, TIMER_FORKED, now_ns(), "1 (child) S 9 ");
	sample(child, PID + 1, now_ns(), 0x1000);
	strange = ring(PID + 2, 0x21, 0);
	strange->parent = PID + 7; /* nobody knows it */
	text(strange, TIMER_FORKED, now_ns(), "1 (strange) S 9 ");
	settle();
	CU_ASSERT_EQUAL_FATAL(records_count(PITRACE_MTE, PITRACE_MTE_FORK), 1);
	t = records_nth(PITRACE_MTE, PITRACE_MTE_FORK, 0);
	CU_ASSERT(t->task.pid == PID + 1 && t->task.ppid == PID);
	CU_ASSERT_EQUAL(records_count(PITRACE_MTE, PITRACE_MTE_PROCESS), 2);
	CU_ASSERT_EQUAL(records_nth(PITRACE_MTE, PITRACE_MTE_PROCESS, 1)->task.ppid, PID + 7);
	CU_ASSERT_EQUAL(records_count(PITRACE_MTE, PITRACE_MTE_MODULE), 1);
	CU_ASSERT_EQUAL(maps_tries, 1); /* the sample needs none: it is refreshed */
	leave(f);
	leave(child);
	leave(strange);
	end();
}

/* ---- what /proc says ------------------------------------------------------------------------- */

/* Names that threads were given meanwhile; of who was sampled. */
static void renamed(void)
{
	struct timer_file *f;

	begin();
	f = program(PID, 0x11);
	comm_text = "first\n";
	sample(f, PID, now_ns(), 0x1000);
	sample(f, PID + 4, now_ns(), 0x1000);
	settle();
	CU_ASSERT_EQUAL(records_count(PITRACE_MTE, PITRACE_MTE_NAME), 1); /* the main thread's */
	CU_ASSERT_STRING_EQUAL(records_nth(PITRACE_MTE, PITRACE_MTE_THREAD, 0)->task.comm, "first");
	comm_text = "a name that is too long\n";
	settle();
	CU_ASSERT_EQUAL(records_count(PITRACE_MTE, PITRACE_MTE_NAME), 1);
	sample(f, PID, now_ns(), 0x1000);
	settle();
	CU_ASSERT_EQUAL(records_count(PITRACE_MTE, PITRACE_MTE_NAME), 3);
	CU_ASSERT_STRING_EQUAL(records_nth(PITRACE_MTE, PITRACE_MTE_NAME, 2)->task.comm,
			       "a name that is ");
	/* A missing or empty name is ignored. */
	for (int i = 0; i < 2; i++) {
		comm_text = i ? "\n" : NULL;
		sample(f, PID, now_ns(), 0x1000);
		settle();
		CU_ASSERT_EQUAL(records_count(PITRACE_MTE, PITRACE_MTE_NAME), 3);
	}
	comm_text = "x";
	sample(f, PID, now_ns(), 0x1000);
	settle();
	CU_ASSERT_EQUAL(records_count(PITRACE_MTE, PITRACE_MTE_NAME), 3);
	comm_text = "xy";
	sample(f, PID, now_ns(), 0x1000);
	settle();
	CU_ASSERT_EQUAL(records_count(PITRACE_MTE, PITRACE_MTE_NAME), 5);
	leave(f);
	end();
}

/* A mapping that was not reported is found by the sample that needs it; at most every 100 ms. */
static void rescanned(void)
{
	struct timer_file *f;
	const struct told *t;

	begin();
	f = program(PID, 0x11);
	settle();
	maps_text = LIB "5000-6000 r-xp 00000000 fe:01 8 /jit\n7000-8000 r--p 0 fe:01 8 /no\n";
	sample(f, PID, now_ns(), 0x5001);
	sample(f, PID, now_ns(), 0x9000);
	sample(f, PID, now_ns(), 0x9001);
	settle();
	CU_ASSERT_EQUAL(maps_read, 1);
	t = records_nth(PITRACE_MTE, PITRACE_MTE_MODULE, 1);
	CU_ASSERT_FATAL(t != NULL);
	CU_ASSERT(t->map.start == 0x5000 && t->map.length == 0x1000 && t->map.inode == 8);
	CU_ASSERT_EQUAL(t->stamp, records_nth(PITRACE_TPROF, UINT32_MAX, 0)->stamp);
	settle();
	CU_ASSERT_EQUAL(records_count(PITRACE_MTE, PITRACE_MTE_MODULE), 2);
	/* Gone again. */
	maps_text = LIB;
	sample(f, PID, now_ns(), 0x1000);
	settle();
	settle();
	CU_ASSERT_EQUAL(records_count(PITRACE_MTE, PITRACE_MTE_UNMAP), 1);
	CU_ASSERT_EQUAL(records_nth(PITRACE_MTE, PITRACE_MTE_UNMAP, 0)->unmap.start, 0x5000);
	/* Another program by then: without the library, it is not this one's. */
	maps_text = "5000-6000 r-xp 00000000 fe:01 8 /other\n";
	ahead += 200 * MS;
	sample(f, PID, now_ns(), 0x5002);
	settle();
	settle();
	CU_ASSERT_EQUAL(records_count(PITRACE_MTE, PITRACE_MTE_MODULE), 2);
	CU_ASSERT_EQUAL(records_count(PITRACE_MTE, PITRACE_MTE_UNMAP), 1);
	CU_ASSERT_EQUAL(info()->lost[PITRACE_LOST_MTE], 0);
	/* One that has ended is not looked at. */
	maps_tries = 0;
	ahead += 200 * MS;
	sample(f, PID, now_ns(), 0x5003);
	dead = 1;
	settle();
	settle();
	CU_ASSERT_EQUAL(maps_tries, 0);
	leave(f);
	end();
}

/* ---- limits ---------------------------------------------------------------------------------- */

static void fill(struct timer_file *f)
{
	while (put(f, true, TIMER_EXIT, PID, now_ns(), "", 0))
		;
	f->events.lost = 0;
	while (put(f, false, TIMER_EXIT, PID, now_ns(), "", 0))
		;
	f->samples.lost = 0;
}

static int swallow(void *arg, const void *segment, size_t size)
{
	(void)arg;
	(void)segment;
	(void)size;
	return 0;
}

/* So much and no more is read at a time; the rest is read later, all of it, and nothing twice. */
static void much(void)
{
	enum { FILES = 60 };
	struct timer_file *f[FILES];
	unsigned int left[3] = { 0 };

	begin();
	for (uint32_t i = 0; i < FILES; i++) {
		f[i] = ring(PID + i, 0x11, 0);
		fill(f[i]);
	}
	for (int turn = 0; turn < 3; turn++) {
		collector_timer.drain(b, false, swallow, NULL);
		for (uint32_t i = 0; i < FILES; i++)
			left[turn] += f[i]->events.head != f[i]->events.tail;
	}
	/* 262,144 records are those of 21.3 files. */
	CU_ASSERT(left[0] == FILES - 22 && left[1] == FILES - 44 && left[2] == 0);
	CU_ASSERT_EQUAL(info()->lost[PITRACE_LOST_MTE], 0);
	/* A million wait, and no more: what is beyond that is counted. */
	for (uint32_t i = 0; i < FILES; i++)
		fill(f[i]);
	for (int k = 0; k < 3; k++)
		collector_timer.drain(b, false, swallow, NULL);
	CU_ASSERT_EQUAL(info()->lost[PITRACE_LOST_MTE], 2ull * FILES * 192 * 1024 / 16 - (1 << 20));
	/* The end reads all of it at once. */
	for (uint32_t i = 0; i < FILES; i++) {
		CU_ASSERT_EQUAL(f[i]->events.head, f[i]->events.tail);
		fill(f[i]);
	}
	ahead += 200 * MS;
	collector_timer.drain(b, false, swallow, NULL);
	CU_ASSERT_EQUAL(collector_timer.off(b), 0);
	collector_timer.drain(b, true, swallow, NULL);
	for (uint32_t i = 0; i < FILES; i++) {
		CU_ASSERT_EQUAL(f[i]->events.head, f[i]->events.tail);
		leave(f[i]);
	}
	end();
}

static void sink_error(void)
{
	struct timer_file *f;

	for (unsigned int k = 1; k < 5; k++) {
		configure();
		config.segment_bytes = 512;
		open_it();
		on();
		f = program(PID, 0x11);
		for (int i = 0; i < 40; i++)
			sample(f, PID, now_ns(), 0x1000);
		drain(false);
		sink_fails = nsegments + k;
		ahead += 101 * MS;
		CU_ASSERT_EQUAL(collector_timer.drain(b, true, records_take, NULL), -EIO);
		CU_ASSERT_EQUAL(nsegments, sink_fails);
		/* The next one is good again. */
		sample(f, PID, now_ns(), 0x1000);
		settle();
		CU_ASSERT(records_count(PITRACE_TPROF, UINT32_MAX) >= 1);
		leave(f);
		end();
	}
}

/* ---- words ----------------------------------------------------------------------------------- */

static void notes(void)
{
	struct timer_sample s = { .address = 0x1000 };
	struct timer_file *f;
	char facts[200];

	configure();
	config.stacks = PITRACE_WANT_USER | PITRACE_WANT_DISPATCH;
	open_it();
	on();
	strcpy(facts, "none");
	collector_timer.facts(b, facts, sizeof(facts));
	CU_ASSERT_STRING_EQUAL(facts, "none");
	CU_ASSERT_STRING_EQUAL(info()->note, "user code only; no stacks at dispatches");
	f = program(PID, 0x11);
	put(f, false, TIMER_SAMPLE, PID, now_ns(), &s, sizeof(s));
	sample(f, PID, now_ns(), 0x1000);
	sample(f, PID, now_ns(), 0x1000);
	settle();
	CU_ASSERT_STRING_EQUAL(info()->note, "user code only; 1 of 3 samples by the kernel's tick; "
					     "no stacks at dispatches");
	collector_timer.facts(b, facts, sizeof(facts));
	CU_ASSERT_STRING_EQUAL(facts, "ticks in step: 1 of 3, by the kernel's tick\n");
	f->unsampled = 1;
	settle();
	CU_ASSERT_STRING_EQUAL(info()->note,
			       "user code only; 1 of 3 samples by the kernel's tick; no stacks at dispatches; "
			       "NOT SAMPLED: 1 threads (no room for more, or no timer: see ulimit -i)");
	leave(f);
	end();
	/* Without dither all of them, as requested. */
	configure();
	config.dither = 0;
	open_it();
	on();
	f = program(PID, 0x11);
	put(f, false, TIMER_SAMPLE, PID, now_ns(), &s, sizeof(s));
	settle();
	strcpy(facts, "none");
	collector_timer.facts(b, facts, sizeof(facts));
	CU_ASSERT_STRING_EQUAL(facts, "none");
	CU_ASSERT_STRING_EQUAL(info()->note, "user code only");
	leave(f);
	end();
}

static void refuses(void)
{
	static const struct {
		const char *words, *cure;
		enum collector_state state;
	} tries[] = {
		{ "a tick lies anywhere in its interval", "", COLLECTOR_WORKS },
		{ "", "", COLLECTOR_WORKS },
		{ "is not installed", "make install", COLLECTOR_ABSENT },
		{ "a blank or a colon", "install pitrace elsewhere", COLLECTOR_REFUSED },
		{ "are not allowed here", "", COLLECTOR_REFUSED },
		{ "not the whole system", "", COLLECTOR_REFUSED },
		{ "a process that runs already", "start the program", COLLECTOR_REFUSED },
		{ "neither normal nor wrap mode", "use -t cont", COLLECTOR_REFUSED },
		{ "neither normal nor wrap mode", "use -t cont", COLLECTOR_REFUSED },
		{ "samples CPU time and no other event", "", COLLECTOR_REFUSED },
		{ "no stacks of the kernel", "use -g=fp", COLLECTOR_REFUSED },
		{ "is a static program", "link it dynamically", COLLECTOR_REFUSED },
		{ "a tick lies anywhere", "", COLLECTOR_WORKS },
		{ "a tick lies anywhere", "", COLLECTOR_WORKS },
	};

	for (int how = 0; how < (int)(sizeof(tries) / sizeof(*tries)); how++) {
		static const char blank[] = "/tmp/test_backend timer.so";
		struct collector_check c;

		configure();
		config.dither = how != 1;
		if (how == 2)
			setenv("PITRACE_TIMER_LIBRARY", "/nowhere.so", 1);
		if (how == 3) {
			close(open(blank, O_CREAT | O_CLOEXEC, 0600));
			setenv("PITRACE_TIMER_LIBRARY", blank, 1);
		}
		no_timers = how == 4;
		config.scope = how == 5 ? PITRACE_SCOPE_SYSTEM : PITRACE_SCOPE_PROCESS;
		config.pid = how == 6 || how == 12 ? 77 : 0;
		config.mode = how == 7 ? PITRACE_MODE_NORMAL :
			      how == 8 ? PITRACE_MODE_WRAP :
					 config.mode;
		config.nevents = how == 9;
		config.stacks = how == 10 ? PITRACE_WANT_KERNEL :
				how == 13 ? PITRACE_WANT_KERNEL | PITRACE_WANT_COPY :
					    0;
		config.program = how == 11 ? "/bin/busybox" : how == 12 ? "/bin/true" : NULL;
		if (how == 11 && access("/bin/busybox", R_OK))
			continue;
		collector_timer.check(&config, &c);
		if (!strstr(c.why, tries[how].words) || c.state != tries[how].state)
			printf("# %d: %s\n", how, c.why);
		CU_ASSERT_EQUAL(c.state, tries[how].state);
		CU_ASSERT_PTR_NOT_NULL(strstr(c.why, tries[how].words));
		CU_ASSERT(!*tries[how].words == !*c.why);
		CU_ASSERT_PTR_NOT_NULL(strstr(c.cure, tries[how].cure));
		CU_ASSERT(!*tries[how].cure == !*c.cure);
		b = collector_timer.open(&config, &rc, why, sizeof(why));
		CU_ASSERT_EQUAL(b != NULL, c.state == COLLECTOR_WORKS);
		if (b) {
			collector_timer.close(b);
		} else {
			CU_ASSERT_EQUAL(rc, how == 2 ? PI_FILE_ERROR : PI_NOT_SUPPORTED);
			CU_ASSERT_PTR_NOT_NULL(strstr(why, c.why));
			CU_ASSERT_PTR_NOT_NULL(strstr(why, c.cure));
			CU_ASSERT_PTR_NOT_NULL(
				strstr(why, "; what the other collectors need: swtrace check"));
			CU_ASSERT_EQUAL(!strstr(why, ": make") && !strstr(why, ": install") &&
						!strstr(why, ": start") && !strstr(why, ": use") &&
						!strstr(why, ": link"),
					!*c.cure);
		}
		unlink(blank);
	}
}

/* The place of the rings: the user's own, else the shared ones. */
static void places(void)
{
	char own[] = "/tmp/test_backend_timer.XXXXXX", *old = getenv("XDG_RUNTIME_DIR");

	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(own));
	old = old ? strdup(old) : NULL;
	for (int how = 0; how < 4; how++) {
		struct stat st;

		configure();
		if (how == 0)
			setenv("XDG_RUNTIME_DIR", own, 1);
		else if (how == 1)
			setenv("XDG_RUNTIME_DIR", "/nowhere", 1);
		else if (how == 2)
			setenv("XDG_RUNTIME_DIR", "/tmp/a b", 1);
		else
			unsetenv("XDG_RUNTIME_DIR");
		open_it();
		CU_ASSERT_EQUAL(!strncmp(folder, own, strlen(own)), how == 0);
		CU_ASSERT_EQUAL(!strncmp(folder, "/dev/shm/pitrace-rings-", 23), how != 0);
		CU_ASSERT(!stat(folder, &st) && (st.st_mode & 07777) == 0700 &&
			  st.st_uid == geteuid());
		snprintf(why, sizeof(why), "%s/control", folder);
		CU_ASSERT(!stat(why, &st) && (st.st_mode & 07777) == 0444);
		end();
	}
	if (!geteuid()) {
		/* Rings of another user belong to that user, and are not in our own folder. */
		struct stat st;

		configure();
		setenv("XDG_RUNTIME_DIR", own, 1);
		config.user = 61301;
		open_it();
		CU_ASSERT(!stat(folder, &st) && st.st_uid == 61301);
		CU_ASSERT(!strncmp(folder, "/dev/shm/", 9));
		end();
	}
	unsetenv("XDG_RUNTIME_DIR");
	if (old)
		setenv("XDG_RUNTIME_DIR", old, 1);
	free(old);
	CU_ASSERT_EQUAL(rmdir(own), 0);
}

int main(void)
{
	static const struct unit_test tests[] = {
		{ "control", told_control },
		{ "rates", rates },
		{ "environment", environment },
		{ "states", states },
		{ "wakes", wakes },
		{ "order", order },
		{ "seconds", seconds },
		{ "losses", losses },
		{ "odd_records", odd_records },
		{ "exits", exits },
		{ "forks", forks },
		{ "renamed", renamed },
		{ "rescanned", rescanned },
		{ "much", much },
		{ "sink_error", sink_error },
		{ "notes", notes },
		{ "refuses", refuses },
		{ "places", places },
		{},
	};
	int code;

	close(open(library, O_CREAT | O_CLOEXEC, 0600));
	code = unit_run("backend_timer", tests);
	unlink(library);
	return code;
}
