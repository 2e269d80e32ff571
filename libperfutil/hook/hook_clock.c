/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Interpolates linearly between two pairs. When there are many, every second one is dropped. */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>
#include "hook/hook_clock.h"
#include "hook/hookfile.h"

#define SOURCE "/sys/devices/system/clocksource/clocksource0/current_clocksource"
#define TRIES  8

/* Can programs read the processor's counter? */
#ifdef __x86_64__
#define READABLE true
#else
#define READABLE false
#endif

/* The kernel uses the TSC, so it considers it reliable. */
static bool is_tsc(void)
{
	char name[8] = "";
	int fd = open(SOURCE, O_RDONLY | O_CLOEXEC);
	bool is = fd >= 0 && read(fd, name, sizeof(name)) > 0 && !strncmp(name, "tsc\n", 4);

	if (fd >= 0)
		close(fd);
	return is;
}

#define CLOSE_NS 50000000u /* pairs closer together than this are merged */

void hook_clock_begin(struct hook_clock *c)
{
	memset(c, 0, sizeof(*c));
	pthread_mutex_init(&c->lock, NULL);
	c->tsc = READABLE && is_tsc();
}

bool hook_clock_be_raw(struct hook_clock *c)
{
	c->tsc = c->raw = READABLE;
	return c->raw;
}

void hook_clock_restart(struct hook_clock *c)
{
	pthread_mutex_lock(&c->lock);
	c->n = 0;
	pthread_mutex_unlock(&c->lock);
}

static struct hook_clock_pair best_pair(void)
{
	struct hook_clock_pair best = { 0 };
	uint64_t width = UINT64_MAX;

	for (int i = 0; i < TRIES; i++) {
		uint64_t before = hookfile_now(true), ns = now_ns(), after = hookfile_now(true);

		if (after - before >= width)
			continue;
		width = after - before;
		best = (struct hook_clock_pair){ before + width / 2, ns };
	}
	return best;
}

static void thin_out(struct hook_clock *c)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < c->n; i += 2)
		c->pair[n++] = c->pair[i];
	c->n = n;
}

uint64_t hook_clock_pair(struct hook_clock *c)
{
	struct hook_clock_pair new;
	uint64_t stamp;

	if (!c->tsc || c->raw)
		return hookfile_now(c->tsc);
	pthread_mutex_lock(&c->lock);
	new = best_pair();
	if (c->n == HOOK_CLOCK_PAIRS)
		thin_out(c);
	/* A pair is new only if both clocks have advanced. */
	if (!c->n || (new.stamp > c->pair[c->n - 1].stamp &&new.ns > c->pair[c->n - 1].ns)) {
		if (c->n > 1 && c->pair[c->n - 1].ns - c->pair[c->n - 2].ns < CLOSE_NS)
			c->n--;
		c->pair[c->n++] = new;
	}
	stamp = c->pair[c->n - 1].stamp;
	pthread_mutex_unlock(&c->lock);
	return stamp;
}

static uint64_t convert(const struct hook_clock_pair *pair, unsigned int n, uint64_t stamp)
{
	unsigned int low = 0, high = n - 1;

	if (stamp <= pair[low].stamp)
		return pair[low].ns;
	if (stamp >= pair[high].stamp)
		return pair[high].ns;
	while (high - low > 1) {
		unsigned int middle = (low + high) / 2;

		if (pair[middle].stamp <= stamp)
			low = middle;
		else
			high = middle;
	}
	return pair[low].ns +
	       (uint64_t)((unsigned __int128)(stamp - pair[low].stamp) *
			  (pair[high].ns - pair[low].ns) / (pair[high].stamp - pair[low].stamp));
}

uint64_t hook_clock_ns(struct hook_clock *c, uint64_t stamp)
{
	uint64_t ns = stamp;

	if (!c->tsc || c->raw)
		return stamp;
	pthread_mutex_lock(&c->lock);
	if (c->n)
		ns = convert(c->pair, c->n, stamp);
	pthread_mutex_unlock(&c->lock);
	return ns;
}
