// SPDX-License-Identifier: GPL-3.0-or-later
/* InitScs, ScsOn, ScsOff: states; calls on the threads that run, as often as they use CPU time,
 * also on threads that begin later; none on one that sleeps, none when it is off. */
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

#include <perfutil.h>
#include <scs.h>

#include "base/now.h"
#include "scs/cpu_ticks.h"
#include "unit.h"

#define RATE 1000

static atomic_int calls, foreign, without;
static atomic_int seen_tid[2], seen[2];

static void sample(int tid, void *context)
{
	calls++;
	if (tid != gettid())
		foreign++;
	if (!context)
		without++;
	for (int i = 0; i < 2; i++)
		if (seen_tid[i] == tid)
			seen[i]++;
}

/* At least so long; the ms that it was. */
static int burn(uint64_t ns)
{
	uint64_t begin = clock_ns(CLOCK_THREAD_CPUTIME_ID), took;

	do
		took = clock_ns(CLOCK_THREAD_CPUTIME_ID) - begin;
	while (took < ns);
	return (int)(took / 1000000);
}

/* A tick each ms; what had gathered before, and the last one, may be on its way. */
static bool is_about(int ticks, int ms)
{
	return ticks >= ms - 20 && ticks <= ms + 20;
}

static void test_states(void)
{
	CU_ASSERT_EQUAL(ScsOn(), PI_NOT_INITIALIZED);
	CU_ASSERT_EQUAL(ScsOff(), PI_NOT_INITIALIZED);
	CU_ASSERT_EQUAL(InitScs(0, sample), PI_INVALID_ARGUMENT);
	CU_ASSERT_EQUAL(InitScs(20001, sample), PI_INVALID_ARGUMENT);
	CU_ASSERT_EQUAL(InitScs(RATE, NULL), PI_INVALID_ARGUMENT);
	CU_ASSERT_EQUAL(InitScs(RATE, sample), PI_OK);
	CU_ASSERT_EQUAL(ScsOff(), PI_INCORRECT_STATE);
	CU_ASSERT_EQUAL(ScsOn(), PI_OK);
	CU_ASSERT_EQUAL(ScsOn(), PI_INCORRECT_STATE);
	CU_ASSERT_EQUAL(InitScs(RATE, sample), PI_INCORRECT_STATE);
	CU_ASSERT_EQUAL(ScsOff(), PI_OK);
	CU_ASSERT_EQUAL(ScsOff(), PI_INCORRECT_STATE);
}

static int busy_ms;

static void *work(void *unused)
{
	seen_tid[0] = gettid();
	/* Until its ticks are there: it is looked for. */
	while (!seen[0])
		burn(1000000);
	seen[0] = 0;
	busy_ms = burn(300000000);
	return unused;
}

static void *sleep_long(void *unused)
{
	const struct timespec t = { 0, 300000000 };

	seen_tid[1] = gettid();
	nanosleep(&t, NULL);
	return unused;
}

static void test_threads(void)
{
	pthread_t busy, idle;
	int own, at_end, ms;

	CU_ASSERT_EQUAL_FATAL(InitScs(RATE, sample), PI_OK);
	CU_ASSERT_EQUAL_FATAL(ScsOn(), PI_OK);
	calls = 0;
	ms = burn(300000000);
	own = calls;
	CU_ASSERT_TRUE(is_about(own, ms));
	CU_ASSERT_EQUAL_FATAL(pthread_create(&busy, NULL, work, NULL), 0);
	CU_ASSERT_EQUAL_FATAL(pthread_create(&idle, NULL, sleep_long, NULL), 0);
	pthread_join(busy, NULL);
	pthread_join(idle, NULL);
	CU_ASSERT_TRUE(is_about(seen[0], busy_ms));
	CU_ASSERT_TRUE(seen[1] <= 2);
	CU_ASSERT_EQUAL(foreign, 0);
	CU_ASSERT_EQUAL(without, 0);
	CU_ASSERT_EQUAL(ScsOff(), PI_OK);
	at_end = calls;
	burn(50000000);
	CU_ASSERT_EQUAL(calls, at_end);
}

/* By the timer, as where events are not allowed: with what came together in one signal. */
static struct cpu_ticks by_timer;
static atomic_uint timer_ticks;

static void timer_handler(int number, siginfo_t *info, void *context)
{
	uint64_t kernel[CPU_TICKS_KERNEL];
	uint32_t ticks;
	unsigned int n;

	(void)number, (void)context;
	if (cpu_ticks_next(&by_timer, info, true, &ticks, kernel, &n))
		timer_ticks += ticks;
}

static void test_timer(void)
{
	struct sigaction how = { .sa_sigaction = timer_handler,
				 .sa_flags = SA_SIGINFO | SA_RESTART };
	int ms;

	sigaction(SIGRTMIN + 3, &how, NULL);
	CU_ASSERT_EQUAL_FATAL(cpu_ticks_begin_timer(&by_timer, gettid(), 1000000, SIGRTMIN + 3), 0);
	ms = burn(300000000);
	cpu_ticks_end(&by_timer);
	CU_ASSERT_TRUE(is_about((int)timer_ticks, ms));
}

int main(void)
{
	static const struct unit_test tests[] = {
		{ "states", test_states },
		{ "threads", test_threads },
		{ "timer", test_timer },
		{ NULL, NULL },
	};

	return unit_run("scs", tests);
}
