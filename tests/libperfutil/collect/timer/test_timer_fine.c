// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * When the timer collector takes its samples: a thread's first interval begins anywhere, of each
 * interval one instant is drawn at random, each is booked once. The thread, its CPU clock and the
 * kernel's ticks are the test's own. (Linked with --wrap=syscall.)
 */
#include <dirent.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "collect/timer/preload/fine.h"
#include "unit.h"

#define MS   1000000ull
#define TICK (4 * MS)
#define BINS 20

/* ---- the library's surroundings -------------------------------------------------------------- */

static struct timer_control control;
const struct timer_control *timer_control = &control;
char timer_folder[64];
bool timer_sandboxed;

/* ---- the kernel ------------------------------------------------------------------------------ */

enum { CPU_TIMER = 1, FINE_TIMER = 2 };

static uint64_t cpu; /* of the thread: its clock */
static long slept;
static uint64_t first_set, interval_set; /* of the CPU timer */
static uint64_t fine_due;                /* 0: not set */
static unsigned int fine_sets, deleted, refuse_fine, refuse_set;

static long timer_made(clockid_t clock, int *id)
{
	if (clock == CLOCK_MONOTONIC && refuse_fine)
		return -1;
	*id = clock == CLOCK_MONOTONIC ? FINE_TIMER : CPU_TIMER;
	return 0;
}

static long timer_set(int id, const struct itimerspec *when)
{
	uint64_t ns = (uint64_t)when->it_value.tv_sec * 1000 * MS +
		      (uint64_t)when->it_value.tv_nsec;

	if (id == CPU_TIMER) {
		first_set = ns;
		interval_set = (uint64_t)when->it_interval.tv_sec * 1000 * MS +
			       (uint64_t)when->it_interval.tv_nsec;
	} else if (refuse_set) {
		return -1;
	} else {
		fine_due = ns ? cpu + ns : 0;
		fine_sets++;
	}
	return 0;
}

long __real_syscall(long number, ...);
long __wrap_syscall(long number, ...);

long __wrap_syscall(long number, ...)
{
	long a[6];
	va_list ap;

	va_start(ap, number);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(ap, long);
	va_end(ap);
	switch (number) {
	case SYS_clock_gettime:
		*(struct timespec *)a[1] = (struct timespec){
			(time_t)(cpu / 1000000000),
			(long)(cpu % 1000000000),
		};
		return 0;
	case SYS_getrusage:
		((struct rusage *)a[1])->ru_nvcsw = slept;
		return 0;
	case SYS_timer_create:
		return timer_made((clockid_t)a[0], (int *)a[2]);
	case SYS_timer_settime:
		return timer_set((int)a[0], (const struct itimerspec *)a[2]);
	case SYS_timer_delete:
		deleted |= 1u << a[0];
		return 0;
	}
	return __real_syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

/* ---- a thread -------------------------------------------------------------------------------- */

static struct thread_ring *ring;

static void begin(uint64_t interval)
{
	control = (struct timer_control){
		.state = TIMER_ON,
		.interval = interval,
		.tick = TICK,
		.event_bytes = 4096,
		.sample_bytes = 4096,
		.fine = 1,
	};
	timer_sandboxed = fine_handlers = false;
	refuse_fine = refuse_set = 0;
	fine_due = fine_sets = 0;
	strcpy(timer_folder, "/tmp/test_timer_fine.XXXXXX");
	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(timer_folder));
	CU_ASSERT_FATAL(rings_begin(TIMER_START));
	cpu = 5 * MS;
	slept = 3;
	rings_begin_first(TIMER_START);
	ring = &timer_rings[0];
}

static void end(void)
{
	DIR *d = opendir(timer_folder);
	struct dirent *e;

	rings_forget(NULL);
	while (d && (e = readdir(d)))
		unlinkat(dirfd(d), e->d_name, 0);
	if (d)
		closedir(d);
	CU_ASSERT_EQUAL(rmdir(timer_folder), 0);
}

static double phase[BINS], step[BINS]; /* samples between ticks: in the interval, in the tick */
static uint64_t booked, by_tick, between, began;

static void note(double bins[BINS], uint64_t at, uint64_t of)
{
	bins[at % of * BINS / of]++;
}

/* It runs for so long and does nothing else; `sleeps`: between two ticks. */
static void run(uint64_t ns, bool sleeps)
{
	uint64_t until = cpu + ns, due = cpu + first_set, tick = cpu - cpu % TICK + TICK;

	memset(phase, 0, sizeof(phase));
	memset(step, 0, sizeof(step));
	booked = by_tick = between = 0;
	began = cpu;
	while (cpu < until) {
		uint32_t n;

		if (fine_due && fine_due < tick) {
			cpu = fine_due;
			fine_due = 0;
			n = fine_second_timer(ring, false);
			between += n;
			if (n == 1) {
				note(phase, cpu - ring->fine.first, interval_set);
				note(step, cpu, TICK);
			}
			booked += n;
			continue;
		}
		cpu = tick;
		tick += TICK;
		slept += sleeps;
		if (due > cpu)
			continue;
		n = (uint32_t)((cpu - due) / interval_set) + 1;
		due += n * interval_set;
		n = fine_tick(ring, n);
		booked += n;
		by_tick += n;
	}
}

/* Are as many in each? Five standard deviations. */
static bool even(const double bins[BINS])
{
	double sum = 0, want;

	for (int i = 0; i < BINS; i++)
		sum += bins[i];
	want = sum / BINS;
	for (int i = 0; i < BINS; i++)
		if ((bins[i] - want) * (bins[i] - want) > 25 * want)
			return false;
	return sum > 1000;
}

static uint64_t over(void)
{
	return (cpu - ring->fine.first) / interval_set + 1;
}

/* ---- tests ----------------------------------------------------------------------------------- */

/* Threads that live shorter than an interval get their share: a tick's part of them at once, the
 * others' first intervals are cut anywhere. */
static void test_first(void)
{
	double bins[BINS] = { 0 }, at_once = 0, sum = 0;

	begin(10 * MS);
	CU_ASSERT_EQUAL(interval_set, 10 * MS);
	for (int i = 0; i < 20000; i++) {
		rings_release(ring);
		CU_ASSERT_PTR_EQUAL(rings_take(), ring);
		CU_ASSERT_FATAL(first_set > 0 && first_set < 10 * MS - TICK);
		CU_ASSERT_EQUAL(ring->fine.first, cpu + first_set);
		if (first_set == 1) {
			at_once++;
			continue;
		}
		note(bins, first_set, 10 * MS - TICK);
		sum += (double)first_set;
	}
	printf("# %.1f %% of first intervals end at once, the others after %.2f ms\n",
	       at_once / 200, sum / (20000 - at_once) / MS);
	CU_ASSERT(at_once > 7600 && at_once < 8400);
	CU_ASSERT(sum / (20000 - at_once) > 2.9 * MS && sum / (20000 - at_once) < 3.1 * MS);
	CU_ASSERT(even(bins));
	CU_ASSERT(deleted & 1u << CPU_TIMER);
	end();
}

static void test_instants(void)
{
	static const uint64_t intervals[] = { 10 * MS, 1 * MS, 4 * MS, 7300000 };

	for (size_t i = 0; i < sizeof(intervals) / sizeof(*intervals); i++) {
		begin(intervals[i]);
		run(40000 * intervals[i], false);
		printf("# of %llu us: %llu by ticks, %llu between\n",
		       (unsigned long long)intervals[i] / 1000, (unsigned long long)by_tick,
		       (unsigned long long)between);
		/* Anywhere in the interval, in no step with the tick. */
		CU_ASSERT(even(phase));
		CU_ASSERT(even(step));
		CU_ASSERT(by_tick < 50);
		/* Each once: the one that runs may be booked, or not yet. */
		CU_ASSERT(booked == over() || booked == over() - 1);
		end();
	}
}

/* Only the tick samples threads that sleep, and threads for which nothing else is requested,
 * allowed or available; all are booked. */
static void test_ticks_alone(void)
{
	for (int why = 0; why < 5; why++) {
		begin(10 * MS);
		control.fine = why != 0;
		timer_sandboxed = why == 1;
		refuse_fine = why == 2;
		if (why == 3)
			fine_pause(ring);
		run(10000 * MS, why == 4);
		CU_ASSERT_EQUAL(between, 0);
		CU_ASSERT_EQUAL(fine_sets, 0);
		CU_ASSERT(booked >= over() - 1 && booked <= over());
		end();
	}
}

/* A thread that rested continues where it was; no timer is left set meanwhile. */
static void test_rest(void)
{
	uint64_t before;

	begin(10 * MS);
	run(1000 * MS, false);
	CU_ASSERT(between > 90);
	CU_ASSERT(fine_due && ring->fine.armed);
	before = booked;
	fine_pause(ring);
	CU_ASSERT(!fine_due && !ring->fine.armed);
	/* A signal that was under way takes none. */
	CU_ASSERT_EQUAL(fine_second_timer(ring, false), 0);
	run(100 * MS, false);
	CU_ASSERT(between == 0 && by_tick >= 9);
	before += booked;
	fine_resume(ring);
	run(1000 * MS, false);
	CU_ASSERT(between > 90);
	CU_ASSERT(before + booked == over() || before + booked == over() - 1);
	/* Its end takes the timer along. */
	rings_release(ring);
	CU_ASSERT(deleted & 1u << FINE_TIMER);
	CU_ASSERT(!ring->fine.has_timer && !ring->fine.armed);
	end();
}

/* The kernel does not set the second timer: nothing is waited for, all is booked at ticks. */
static void test_not_set(void)
{
	begin(10 * MS);
	refuse_set = 1;
	run(1000 * MS, false);
	CU_ASSERT(!fine_due && !ring->fine.armed && !between);
	CU_ASSERT(booked == over() || booked == over() - 1);
	/* Once it does, samples between ticks are taken again. */
	refuse_set = 0;
	run(1000 * MS, false);
	CU_ASSERT(ring->fine.armed && between > 90);
	end();
}

/* Others ran in its place: it waits for as long again as the thread has not run. */
static void test_others_ran(void)
{
	uint64_t at;

	begin(10 * MS);
	run(100 * MS, false);
	at = ring->fine.at;
	CU_ASSERT_FATAL(ring->fine.armed && fine_due == at);
	cpu = at - 1 * MS;
	fine_due = 0;
	CU_ASSERT_EQUAL(fine_second_timer(ring, false), 0);
	CU_ASSERT_EQUAL(fine_due, at);
	/* Too little to wait for once more. */
	cpu = at - 15000;
	fine_due = 0;
	CU_ASSERT_EQUAL(fine_second_timer(ring, false), 1);
	CU_ASSERT(fine_due > at);
	end();
}

/* It slept before its signal came: not again; and never again where that broke off its sleep. */
static void test_slept(void)
{
	begin(10 * MS);
	run(100 * MS, false);
	CU_ASSERT_FATAL(ring->fine.armed);
	cpu = ring->fine.at - 1 * MS;
	slept++;
	fine_due = 0;
	CU_ASSERT_EQUAL(fine_second_timer(ring, false), 0);
	CU_ASSERT(!fine_due && !ring->fine.never);
	run(100 * MS, false);
	CU_ASSERT(between > 5);
	CU_ASSERT_FATAL(ring->fine.armed);
	cpu = ring->fine.at;
	slept++;
	fine_due = 0;
	CU_ASSERT_EQUAL(fine_second_timer(ring, true), 1);
	CU_ASSERT(ring->fine.never);
	run(100 * MS, false);
	CU_ASSERT_EQUAL(between, 0);
	end();
}

static void test_stop_all(void)
{
	begin(10 * MS);
	run(100 * MS, false);
	CU_ASSERT_FATAL(fine_due != 0);
	fine_stop_all();
	CU_ASSERT_EQUAL(fine_due, 0);
	end();
}

int main(void)
{
	static const struct unit_test tests[] = { { "first", test_first },
						  { "instants", test_instants },
						  { "ticks_alone", test_ticks_alone },
						  { "rest", test_rest },
						  { "not_set", test_not_set },
						  { "others_ran", test_others_ran },
						  { "slept", test_slept },
						  { "stop_all", test_stop_all },
						  {} };

	return unit_run("timer_fine", tests);
}
