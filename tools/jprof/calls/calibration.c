/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "calibration.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

/* Of a sequence whose floor nobody has measured: at least an instruction runs. */
#define FLOOR 1

int calibration_init(struct calibration *c, uint32_t metrics)
{
	c->metrics = metrics;
	c->minimum = calloc((size_t)SEQUENCES * metrics, sizeof(*c->minimum));
	return c->minimum ? 0 : -ENOMEM;
}

void calibration_free(struct calibration *c)
{
	free(c->minimum);
}

void calibration_add(struct calibration *c, const struct call_thread *t)
{
	for (size_t i = 0; i < (size_t)SEQUENCES * c->metrics; i++)
		if (t->minimum[i] && (!c->minimum[i] || t->minimum[i] < c->minimum[i]))
			c->minimum[i] = t->minimum[i];
}

/* Ends that nobody has announced: several frames at once, or one that was not seen to begin. */
static bool learns(uint16_t s)
{
	uint32_t went = s / TYPES % EVENTS, came = s / (TYPES * EVENTS * TYPES) % EVENTS;

	return went != EVENT_POPPED && came != EVENT_POPPED;
}

static uint64_t over(const struct calibration *c, uint16_t s, uint32_t metric)
{
	uint64_t least = c->minimum[(size_t)s * c->metrics + metric];

	return learns(s) && least > FLOOR ? least - FLOOR : 0;
}

uint64_t calibration_delta(const struct calibration *c, const struct call_thread *t, uint32_t node,
			   uint32_t metric)
{
	const struct call_node *n = &t->nodes[node];
	uint64_t sum = 0;
	uint32_t i;

	for (i = 0; i < NODE_SEQUENCES; i++)
		sum += n->times[i] * over(c, n->sequence[i], metric);
	for (i = n->more; i; i = t->more[i].next)
		sum += t->more[i].times * over(c, t->more[i].sequence, metric);
	return sum;
}
