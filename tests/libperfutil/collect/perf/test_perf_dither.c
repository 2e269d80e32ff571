// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * The dither of perf's clocks: two periods with the requested mean rate, turns of random lengths
 * with the same time for both, and no cycle length of a program at which ticks accumulate in a part
 * of the cycle. (Linked with --wrap=poll,ioctl,clock_gettime: time advances as the turns wait for
 * it, and events are numbers.)
 */
#include <poll.h>
#include <stdarg.h>
#include <sys/ioctl.h>
#include <time.h>
#include "collect/perf/perf_session.h"
#include "unit.h"

#define NS_PER_MS   1000000u
#define TURNS_MAX   4000
#define PAIRS       2       /* of events that take turns */
#define FIRST_FD    1000000 /* of events: no descriptor of ours */
#define SHORTEST_MS 50
#define LONGEST_MS  150

/* ---- time and events ------------------------------------------------------------------------- */

static uint64_t now;
static bool fake;
static unsigned int turns_left, turns;
static unsigned int late_each, late_ms; /* each nth wait ends so much later */
static double lengths[TURNS_MAX];       /* ms */
static bool enabled[2 * PAIRS + 1];
static unsigned int wrong; /* turns with other events on than one of a pair */

int __real_clock_gettime(clockid_t clock, struct timespec *t);
int __wrap_clock_gettime(clockid_t clock, struct timespec *t);
int __real_poll(struct pollfd *fds, nfds_t n, int ms);
int __wrap_poll(struct pollfd *fds, nfds_t n, int ms);
int __real_ioctl(int fd, unsigned long request, unsigned long arg);
int __wrap_ioctl(int fd, unsigned long request, ...);

int __wrap_clock_gettime(clockid_t clock, struct timespec *t)
{
	if (!fake)
		return __real_clock_gettime(clock, t);
	*t = (struct timespec){ (time_t)(now / 1000000000), (long)(now % 1000000000) };
	return 0;
}

/* A turn: the events that are on now stay so for as long as this waits. */
int __wrap_poll(struct pollfd *fds, nfds_t n, int ms)
{
	uint64_t ns = (uint64_t)ms * NS_PER_MS;

	if (!fake)
		return __real_poll(fds, n, ms);
	if (!turns_left)
		return 1;
	for (unsigned int i = 0; i < PAIRS; i++)
		wrong += enabled[2 * i] != !(turns % 2) || enabled[2 * i + 1] != turns % 2;
	wrong += !enabled[2 * PAIRS];
	if (late_each && turns % late_each == late_each - 1)
		ns += (uint64_t)late_ms * NS_PER_MS;
	now += ns;
	lengths[turns++] = (double)ns / NS_PER_MS;
	turns_left--;
	return 0;
}

int __wrap_ioctl(int fd, unsigned long request, ...)
{
	unsigned long arg;
	va_list ap;

	va_start(ap, request);
	arg = va_arg(ap, unsigned long);
	va_end(ap);
	if (fd < FIRST_FD || fd > FIRST_FD + 2 * PAIRS)
		return __real_ioctl(fd, request, arg);
	enabled[fd - FIRST_FD] = request == PERF_EVENT_IOC_ENABLE;
	return 0;
}

static struct perf_event events[2 * PAIRS + 1];
static struct perf_session session;

/* Two pairs and one that takes no turns. */
static void run(unsigned int n, unsigned int seed)
{
	session = (struct perf_session){
		.event = events,
		.nevents = 2 * PAIRS + 1,
		.turns_lock = PTHREAD_MUTEX_INITIALIZER,
	};
	memset(enabled, 0, sizeof(enabled));
	for (unsigned int i = 0; i < 2 * PAIRS + 1; i++)
		events[i] = (struct perf_event){
			.fd = FIRST_FD + (int)i,
			.use = PERF_SAMPLES,
			.in_turns = i < 2 * PAIRS,
			.turn = i % 2,
		};
	now = 10000000000000u + seed * 7919u;
	turns_left = n;
	turns = wrong = 0;
	fake = true;
	perf_session_enable(&session, PERF_SAMPLES, true);
	CU_ASSERT_EQUAL_FATAL(perf_turns_begin(&session), 0);
	CU_ASSERT(session.turning);
	perf_turns_end(&session);
	fake = false;
	CU_ASSERT_EQUAL(turns, n);
	CU_ASSERT_EQUAL(wrong, 0);
}

/* ---- turns ----------------------------------------------------------------------------------- */

static void test_lengths(void)
{
	double least = 1e9, most = 0, sum = 0;
	unsigned int same = 0;

	run(TURNS_MAX, 1);
	for (unsigned int i = 0; i < turns; i += 2) {
		least = lengths[i] < least ? lengths[i] : least;
		most = lengths[i] > most ? lengths[i] : most;
		sum += lengths[i];
		same += i && lengths[i] == lengths[i - 2];
	}
	CU_ASSERT(least >= SHORTEST_MS && least < SHORTEST_MS + 5);
	CU_ASSERT(most <= LONGEST_MS && most > LONGEST_MS - 5);
	CU_ASSERT(sum / (turns / 2) > 97 && sum / (turns / 2) < 103);
	CU_ASSERT(same < turns / 20);
}

/* Both events have the same time, turn by turn, also where a wait takes longer than it should. */
static void test_halves(void)
{
	for (late_each = 0; late_each < 5; late_each++) {
		late_ms = 37;
		run(1000, 2);
		for (unsigned int i = 1; i < turns && late_each % 2; i += 2)
			CU_ASSERT(lengths[i] >= lengths[i - 1]);
		/* A late end of a first turn is made up for by its second. */
		for (unsigned int i = 1; i < turns; i += 2)
			if (!late_each || i % late_each != late_each - 1)
				CU_ASSERT_EQUAL(lengths[i], lengths[i - 1]);
	}
	late_each = 0;
	/* A machine that stood still is not made up for by minutes with one of the events. */
	late_each = 999;
	late_ms = 60000;
	run(1000, 3);
	CU_ASSERT_EQUAL(lengths[999], 2000);
	late_each = 0;
}

/* Paused, nothing is turned on. */
static void test_paused(void)
{
	run(10, 4);
	fake = true;
	perf_session_enable(&session, PERF_SAMPLES, false);
	for (unsigned int i = 0; i < 2 * PAIRS + 1; i++)
		CU_ASSERT(!enabled[i]);
	turns_left = 10;
	CU_ASSERT_EQUAL(perf_turns_begin(&session), 0);
	perf_turns_end(&session);
	fake = false;
	for (unsigned int i = 0; i < 2 * PAIRS + 1; i++)
		CU_ASSERT(!enabled[i]);
}

/* No thread where nothing takes turns. */
static void test_none(void)
{
	run(1, 5);
	for (unsigned int i = 0; i < 2 * PAIRS; i++)
		events[i].in_turns = false;
	CU_ASSERT_EQUAL(perf_turns_begin(&session), 0);
	CU_ASSERT(!session.turning);
}

/* ---- periods --------------------------------------------------------------------------------- */

static double distance(double a, double b)
{
	return a < b ? b - a : a - b;
}

static void test_periods(void)
{
	static const uint32_t rates[] = { 100, 997, 1000, 4000, 10000, 50000 };
	static const uint32_t dithers[] = { 1, 10, 50, 100, 1000 };

	for (size_t r = 0; r < sizeof(rates) / sizeof(*rates); r++)
		for (size_t d = 0; d < sizeof(dithers) / sizeof(*dithers); d++) {
			struct trace_config c = { .rate = rates[r], .dither = dithers[d] };
			double mean = 1e9 / rates[r], least = 0.9e-3 * dithers[d], off[2];

			if (dithers[d] > PERF_DITHER)
				least = 0.9e-3 * PERF_DITHER;
			CU_ASSERT(perf_dithered(&c, 0));
			for (unsigned int t = 0; t < 2; t++)
				off[t] = 1e9 / (double)perf_dither_period(&c, 0, t) / rates[r] - 1;
			/* One is faster by as much as the other is slower: the mean rate stays. */
			CU_ASSERT(distance(off[0], -off[1]) < 2 * (double)rates[r] / 1e9 + 1e-6);
			CU_ASSERT(off[0] > least && off[0] < least / 0.9);
			CU_ASSERT_EQUAL(perf_dither_of(&c),
					dithers[d] < PERF_DITHER ? dithers[d] : PERF_DITHER);
			c.dither = 0;
			CU_ASSERT(!perf_dithered(&c, 0));
			CU_ASSERT_EQUAL(perf_dither_of(&c), 0);
			for (unsigned int t = 0; t < 2; t++)
				CU_ASSERT(distance((double)perf_dither_period(&c, 0, t), mean) < 1);
		}
}

/* Clocks by a rate are dithered, nothing else is. */
static void test_which(void)
{
	struct trace_config c = { .rate = 90000, .dither = 50 };
	struct pitrace_event_args *e = c.events;

	CU_ASSERT(!perf_dithered(&c, 0)); /* too short a period */
	CU_ASSERT_EQUAL(perf_dither_period(&c, 0, 0), perf_dither_period(&c, 0, 1));
	c.rate = 83334; /* 11,999 ns */
	CU_ASSERT(!perf_dithered(&c, 0));
	c.rate = 83333; /* 12,000 ns */
	CU_ASSERT(perf_dithered(&c, 0));
	c.nevents = 2;
	e[0] = (struct pitrace_event_args){
		.flags = PITRACE_EVENT_RATE,
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.period = 1000,
	};
	e[1] = e[0];
	e[1].config = PERF_COUNT_SW_TASK_CLOCK;
	CU_ASSERT(perf_dithered(&c, 0) && perf_dithered(&c, 1));
	CU_ASSERT_EQUAL(perf_dither_of(&c), 50);
	/* The rate is the event's. */
	CU_ASSERT(perf_dither_period(&c, 0, 0) > 950000 && perf_dither_period(&c, 0, 1) < 1050000);
	e[1].config = PERF_COUNT_SW_PAGE_FAULTS;
	CU_ASSERT(perf_dithered(&c, 0) && !perf_dithered(&c, 1));
	CU_ASSERT_EQUAL(perf_dither_of(&c), 0);
	e[1] = e[0];
	e[1].type = PERF_TYPE_HARDWARE;
	CU_ASSERT(!perf_dithered(&c, 1));
	e[1] = e[0];
	e[1].flags = 0;
	CU_ASSERT(!perf_dithered(&c, 1));
}

/* ---- a program in step ----------------------------------------------------------------------- */

/* The largest error of the shares of a program that works 16:8:4:2:1 in cycles of that length (in
 * mean periods). An event that pauses keeps the rest of its interval. */
static double worst_share(double cycle, const struct trace_config *c)
{
	static const double ends[] = { 16, 24, 28, 30, 31 };
	double period[2], rest[2], at = 0, worst = 0;
	unsigned int hit[5] = { 0 }, ticks = 0;

	for (unsigned int t = 0; t < 2; t++)
		rest[t] = period[t] = (double)perf_dither_period(c, 0, t) / NS_PER_MS;
	cycle *= 1e3 / c->rate;
	for (unsigned int i = 0; i < turns; i++) {
		double left = lengths[i], *r = &rest[i % 2];

		for (; *r <= left; *r = period[i % 2]) {
			double phase;
			unsigned int k = 0;

			left -= *r;
			at += *r;
			phase = (at / cycle - (double)(uint64_t)(at / cycle)) * 31;
			while (k < 4 && phase >= ends[k])
				k++;
			hit[k]++;
			ticks++;
		}
		*r -= left;
		at += left;
	}
	for (unsigned int k = 0; k < 5; k++) {
		double want = (ends[k] - (k ? ends[k - 1] : 0)) / 31;
		double off = distance((double)hit[k] / ticks, want);

		worst = off > worst ? off : worst;
	}
	return worst;
}

static void test_phases(void)
{
	static const double cycles[] = { 1, 5, 1.37, 0.5, 0.1, 20, 40 };
	struct trace_config c = { .rate = 1000, .dither = 50 }, none = { .rate = 1000 };
	double most[sizeof(cycles) / sizeof(*cycles)] = { 0 };

	for (unsigned int seed = 0; seed < 40; seed++) {
		run(600, seed);
		for (size_t i = 0; i < sizeof(cycles) / sizeof(*cycles); i++) {
			double worst = worst_share(cycles[i], &c);

			most[i] = worst > most[i] ? worst : most[i];
		}
	}
	for (size_t i = 0; i < sizeof(cycles) / sizeof(*cycles); i++) {
		printf("# cycle of %g periods: shares off by at most %.2f points\n", cycles[i],
		       100 * most[i]);
		CU_ASSERT(most[i] < 0.005);
	}
	/* Without the dither it is seen. */
	CU_ASSERT(worst_share(1, &none) > 0.4);
	CU_ASSERT(worst_share(5, &none) > 0.02);
}

int main(void)
{
	static const struct unit_test tests[] = {
		{ "lengths", test_lengths }, { "halves", test_halves },
		{ "paused", test_paused },   { "none", test_none },
		{ "periods", test_periods }, { "which", test_which },
		{ "phases", test_phases },   {}
	};

	return unit_run("perf_dither", tests);
}
