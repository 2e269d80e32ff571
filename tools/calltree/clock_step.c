/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "clock_step.h"

#include <stdbool.h>

#define SELDOM 500 /* differences seen in fewer than 1/500 of the reads are noise */
#define BELOW  50

/* Adjacent differences are one peak: a step need not be a whole number of cycles. */
struct peak {
	uint32_t first, last;
	double sum, times;
};

static bool next_peak(const uint32_t *times, uint32_t n, uint32_t reads, uint32_t *at,
		      struct peak *p)
{
	while (*at < n && times[*at] <= reads / SELDOM)
		++*at;
	*p = (struct peak){ .first = *at };
	for (; *at < n && times[*at] > reads / SELDOM; ++*at) {
		p->last = *at;
		p->sum += (double)*at * times[*at];
		p->times += times[*at];
	}
	return p->times > 0;
}

static bool is_multiple(double value, double step)
{
	double rest = value - step * (double)(uint64_t)(value / step + 0.5);

	return rest <= 1 && rest >= -1;
}

uint64_t clock_step_of(const uint32_t *times, uint32_t n, uint32_t reads)
{
	double step = 0, before = -1;
	struct peak p;
	uint32_t at;

	for (at = 0; next_peak(times, n, reads, &at, &p);) {
		double here = p.sum / p.times;

		if (p.last - p.first > 1)
			return 1;
		if (before >= 0 && (!(step > 0) || here - before < step))
			step = here - before;
		before = here;
	}
	if (step < CLOCK_STEP_LEAST)
		return 1;
	for (at = 0; next_peak(times, n, reads, &at, &p);)
		if (!is_multiple(p.sum / p.times, step))
			return 1;
	return (uint64_t)(step + 0.5);
}

static uint64_t all_of(const struct value_spread *s)
{
	uint64_t all = 0;

	for (uint32_t i = 0; i < SPREAD_PLACES; i++)
		all += s->place[i];
	return all;
}

uint64_t clock_step_even(const struct value_spread *s, uint64_t least, uint64_t step)
{
	uint64_t all = all_of(s), below = 0, value = least == 1 ? 0 : least, here, next;
	uint32_t place, after;

	if (step <= 1 || !all)
		return least;
	/* If a place is wider than a step, half a step is the best estimate. */
	for (;; value += step) {
		place = spread_place(value);
		after = spread_place(value + step);
		below += s->place[place];
		if (place == after || below > all / BELOW)
			break;
	}
	if (place == after)
		return value + step / 2;
	here = s->place[place];
	next = s->place[after];
	value += (uint64_t)((double)step * (double)next / (double)(here + next) + 0.5);
	return value ? value : 1;
}
