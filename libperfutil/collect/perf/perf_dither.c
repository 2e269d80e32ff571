/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sampling clocks with a varying period: pairs of events that alternate. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "base/now.h"
#include "collect/perf/perf_session.h"

#define NS_PER_SEC 1000000000u
#define SHORTEST   12000u /* ns: the kernel does not keep periods below 10 us */
#define TURN_MS    50     /* minimum length of a turn; at most three times that */
/* one millisecond more per this number of events: a change takes 5 us */
#define TURN_EVENTS     1
#define TURN_LONGEST_MS 2000
/* Offset from the mean rate, in billionths per thousandth of dither. An odd value keeps the phases
 * of a program's cycle from recurring after a few ticks. */
#define OFF_MEAN 946193u

/* ---- periods --------------------------------------------------------------------------------- */

static uint64_t mean(const struct trace_config *config, unsigned int number)
{
	uint64_t rate = config->nevents ? config->events[number].period : config->rate;

	return NS_PER_SEC / (rate ? rate : 1);
}

bool perf_dithered(const struct trace_config *config, unsigned int number)
{
	const struct pitrace_event_args *e = &config->events[number];

	if (!config->dither || mean(config, number) < SHORTEST)
		return false;
	/* With attr.freq the kernel adjusts the period of other events, but not of clocks. */
	return !config->nevents ||
	       (e->flags & PITRACE_EVENT_RATE && e->type == PERF_TYPE_SOFTWARE &&
		(e->config == PERF_COUNT_SW_CPU_CLOCK || e->config == PERF_COUNT_SW_TASK_CLOCK));
}

static uint32_t thousandths(const struct trace_config *config)
{
	return config->dither < PERF_DITHER ? config->dither : PERF_DITHER;
}

uint64_t perf_dither_period(const struct trace_config *config, unsigned int number,
			    unsigned int turn)
{
	uint64_t billion = NS_PER_SEC, off = 0;

	/* The offset applies to the rate, not to the period: both events together keep the mean. */
	if (perf_dithered(config, number))
		off = (uint64_t)OFF_MEAN * thousandths(config);
	return mean(config, number) * billion / (turn ? billion - off : billion + off);
}

uint32_t perf_dither_of(const struct trace_config *config)
{
	for (uint32_t i = 0; i < (config->nevents ? config->nevents : 1); i++)
		if (!perf_dithered(config, i))
			return 0;
	return thousandths(config);
}

/* ---- turns ----------------------------------------------------------------------------------- */

static uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state >> 32;
}

/* Switches pair by pair, so that no event's turn is longer than the others'. */
static void change(struct perf_session *s)
{
	s->turn = (s->turn + 1) % PERF_TURNS;
	for (size_t i = 0; i < s->nevents; i++)
		if (s->event[i].in_turns)
			ioctl(s->event[i].fd,
			      s->event[i].turn == s->turn ? PERF_EVENT_IOC_ENABLE :
							    PERF_EVENT_IOC_DISABLE,
			      0);
}

static uint64_t draw_ms(const struct perf_session *s, uint64_t *random)
{
	uint64_t ms = TURN_MS + next_random(random) % (2 * TURN_MS + 1);
	uint64_t least = s->nevents / TURN_EVENTS; /* many threads on many CPUs */

	if (ms < least)
		ms = least;
	return ms < TURN_LONGEST_MS ? ms : TURN_LONGEST_MS;
}

/* The second turn of a pair is as long as the first has been, even if that one ended late: both
 * together keep the mean rate, even on a machine that stalls occasionally. */
static void *take_turns(void *arg)
{
	struct perf_session *s = arg;
	struct pollfd quit = { .fd = s->turns_quit, .events = POLLIN };
	uint64_t random = now_ns() | 1, began = now_ns(), ms = 0;
	bool second = false;

	for (;;) {
		if (!second)
			ms = draw_ms(s, &random);
		if (poll(&quit, 1, (int)ms))
			return NULL;
		pthread_mutex_lock(&s->turns_lock);
		if (s->sampling)
			change(s);
		ms = (now_ns() - began) / 1000000;
		if (ms > TURN_LONGEST_MS)
			ms = TURN_LONGEST_MS;
		began = now_ns();
		pthread_mutex_unlock(&s->turns_lock);
		second = !second;
	}
}

int perf_turns_begin(struct perf_session *s)
{
	bool any = false;
	sigset_t all, old;
	int err;

	for (size_t i = 0; i < s->nevents && !any; i++)
		any = s->event[i].in_turns;
	if (!any || s->turning)
		return 0;
	s->turns_quit = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (s->turns_quit < 0)
		return -errno;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	err = pthread_create(&s->turns, NULL, take_turns, s);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (err)
		close(s->turns_quit);
	s->turning = !err;
	return -err;
}

void perf_turns_end(struct perf_session *s)
{
	uint64_t one = 1;

	if (!s->turning || write(s->turns_quit, &one, sizeof(one)) < 0)
		return;
	pthread_join(s->turns, NULL);
	close(s->turns_quit);
	s->turning = false;
}
