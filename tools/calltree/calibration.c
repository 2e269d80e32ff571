/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "calibration.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "clock_step.h"

int calibration_init(struct calibration *c, uint32_t metrics)
{
	*c = (struct calibration){ .metrics = metrics };
	c->minimum = calloc((size_t)SEQUENCES * metrics, sizeof(*c->minimum));
	c->times = calloc(SEQUENCES, sizeof(*c->times));
	c->floor = calloc((size_t)FLOORS * metrics, sizeof(*c->floor));
	if (c->minimum && c->times && c->floor)
		return 0;
	calibration_free(c);
	return -ENOMEM;
}

void calibration_free(struct calibration *c)
{
	free(c->minimum);
	free(c->times);
	free(c->floor);
	free(c->most);
	*c = (struct calibration){ 0 };
}

static size_t floor_of(const struct calibration *c, size_t i)
{
	return (size_t)sequence_floor((uint16_t)(i / c->metrics)) * c->metrics + i % c->metrics;
}

/* Merges minima. A minimum is only comparable to a floor of the same code: if only one side has
 * measured the floor, that side's minimum is used, even if it is larger. floor: theirs, or NULL. */
static uint32_t add_minima(struct calibration *c, const uint64_t *minimum, const uint64_t *floor)
{
	uint32_t changed = 0;

	for (size_t i = 0; i < (size_t)SEQUENCES * c->metrics; i++) {
		bool ours = c->minimum[i] && c->floor[floor_of(c, i)],
		     theirs = floor && floor[floor_of(c, i)];
		bool better = ours == theirs ? !c->minimum[i] || minimum[i] < c->minimum[i] :
					       theirs;

		if (minimum[i] && better && minimum[i] != c->minimum[i]) {
			c->minimum[i] = minimum[i];
			changed += sequence_learns((uint16_t)(i / c->metrics));
		}
	}
	return changed;
}

void calibration_add(struct calibration *c, const struct call_thread *t)
{
	add_minima(c, t->minimum, NULL);
}

uint32_t calibration_merge(struct calibration *c, const struct calibration *other)
{
	uint32_t changed = add_minima(c, other->minimum, other->floor);
	size_t i;

	for (i = 0; i < SEQUENCES; i++)
		if (__builtin_add_overflow(c->times[i], other->times[i], &c->times[i]))
			c->times[i] = UINT64_MAX;
	for (i = 0; i < (size_t)FLOORS * c->metrics; i++)
		if (!c->floor[i] || (other->floor[i] && other->floor[i] < c->floor[i]))
			c->floor[i] = other->floor[i];
	return changed;
}

void calibration_even(struct calibration *c, const struct value_spread *seen, const uint64_t *step)
{
	for (size_t at = 0; at < (size_t)SEQUENCES * c->metrics; at++)
		if (c->minimum[at])
			c->minimum[at] = clock_step_even(&seen[at], c->minimum[at],
							 step[at % c->metrics]);
}

void calibration_take_few(struct calibration *c, struct calibration *few,
			  const struct value_spread *seen, const uint64_t *step)
{
	for (size_t at = 0; at < (size_t)SEQUENCES * c->metrics; at++) {
		if (step[at % c->metrics] <= 1 || seen[at].times >= CALIBRATION_TRAINED)
			continue;
		few->minimum[at] = c->minimum[at];
		c->minimum[at] = 0;
		c->times[at / c->metrics] = 0;
	}
}

void calibration_fill(struct calibration *c, const struct calibration *other)
{
	for (size_t at = 0; at < (size_t)SEQUENCES * c->metrics; at++)
		if (!c->minimum[at])
			c->minimum[at] = other->minimum[at];
}

uint64_t calibration_over(const struct calibration *c, uint16_t s, uint32_t metric)
{
	size_t at = (size_t)s * c->metrics + metric;
	uint64_t least = c->minimum[at], over,
		 floor = c->floor[(size_t)sequence_floor(s) * c->metrics + metric];

	/* A measured 0 is stored as 1. */
	over = sequence_learns(s) && least > 1 && least > floor ? least - floor : 0;
	return c->most && over > c->most[at] ? c->most[at] : over;
}

/* The least overhead of the trained sequences, by similarity: each group is larger than the
 * previous. */
struct alike {
	uint64_t hooks[SEQUENCES], floor[FLOORS], events[64], any;
};

static uint32_t events_of(uint16_t s)
{
	struct sequence_parts p = sequence_parts(s);

	return p.came << 3 | p.went;
}

static void least_of(uint64_t *to, uint64_t over)
{
	if (over < *to)
		*to = over;
}

static uint64_t most_like(const struct alike *a, uint16_t s)
{
	uint64_t most = a->hooks[sequence_hooks(s)];

	if (most == UINT64_MAX)
		most = a->floor[sequence_floor(s)];
	if (most == UINT64_MAX)
		most = a->events[events_of(s)];
	if (most == UINT64_MAX)
		most = a->any;
	return most == UINT64_MAX ? 0 : most;
}

static bool is_trained(const struct calibration *c, const struct value_spread *seen, uint32_t s)
{
	return sequence_learns((uint16_t)s) &&
	       c->times[s] + seen[(size_t)s * c->metrics].times >= CALIBRATION_TRAINED;
}

/* Then the minimum and the floor are of different code, and cannot limit other sequences. */
static bool floor_is_more(const struct calibration *c, uint32_t s, uint32_t metric)
{
	uint32_t floor = sequence_floor((uint16_t)s);

	return c->minimum[(size_t)s * c->metrics + metric] <
	       c->floor[(size_t)floor * c->metrics + metric];
}

int calibration_settle(struct calibration *c, const struct value_spread *seen)
{
	uint64_t *most = malloc((size_t)SEQUENCES * c->metrics * sizeof(*most));
	struct alike *a = malloc(sizeof(*a));
	uint32_t s, i;

	for (i = 0; a && most && i < c->metrics; i++) {
		memset(a, 0xff, sizeof(*a));
		for (s = 0; s < SEQUENCES; s++) {
			uint64_t over = calibration_over(c, (uint16_t)s, i);

			if (!is_trained(c, seen, s) || floor_is_more(c, s, i))
				continue;
			least_of(&a->hooks[sequence_hooks((uint16_t)s)], over);
			least_of(&a->floor[sequence_floor((uint16_t)s)], over);
			least_of(&a->events[events_of((uint16_t)s)], over);
			least_of(&a->any, over);
		}
		for (s = 0; s < SEQUENCES; s++) {
			size_t at = (size_t)s * c->metrics + i;
			bool measured = is_trained(c, seen, s) && c->floor[floor_of(c, at)];

			most[at] = measured ? UINT64_MAX : most_like(a, (uint16_t)s);
		}
	}
	if (!a || !most) {
		free(a);
		free(most);
		return -ENOMEM;
	}
	free(a);
	c->most = most;
	return 0;
}

uint64_t calibration_delta(const struct calibration *c, const struct call_thread *t, uint32_t node,
			   uint32_t metric, bool *clamped)
{
	const struct call_node *n = &t->nodes[node];
	uint64_t sum = 0, raw = t->raw[(size_t)node * t->metrics + metric];
	uint32_t i;

	for (i = 0; i < NODE_SEQUENCES; i++)
		sum += n->times[i] * calibration_over(c, n->sequence[i], metric);
	for (i = n->more; i; i = t->more[i].next)
		sum += t->more[i].times * calibration_over(c, t->more[i].sequence, metric);
	*clamped = sum > raw;
	return *clamped ? raw : sum;
}

struct calibration_quality calibration_judge(const struct calibration *c,
					     const struct value_spread *seen, uint32_t metric)
{
	struct calibration_quality q = { 0 };

	for (uint32_t s = 0; s < SEQUENCES; s++) {
		size_t at = (size_t)s * c->metrics + metric;
		uint64_t over = calibration_over(c, (uint16_t)s, metric), base, tenth;

		if (!seen[at].times)
			continue;
		base = seen[at].sum - over * seen[at].times;
		if (over && seen[at].sum / over < seen[at].times)
			base = 0;
		q.base += base;
		if (!sequence_learns((uint16_t)s))
			continue;
		if (c->times[s] >= CALIBRATION_TRAINED) {
			q.trained++;
		} else {
			q.untrained++;
			q.untrained_base += base;
		}
		tenth = spread_tenth(&seen[at], c->minimum[at]);
		q.uncertain += (tenth - c->minimum[at]) * seen[at].times;
	}
	return q;
}
