/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes.h"

#include <string.h>

#define LITTLE 50 /* differences up to a fiftieth, 2 % */

int passes_init(struct passes *p, uint32_t metrics, const uint64_t *step)
{
	int rc;

	*p = (struct passes){ 0 };
	memcpy(p->step, step, metrics * sizeof(*step));
	rc = calibration_init(&p->least, metrics);
	if (!rc)
		rc = calibration_init(&p->second, metrics);
	if (rc)
		passes_free(p);
	return rc;
}

void passes_free(struct passes *p)
{
	calibration_free(&p->least);
	calibration_free(&p->second);
}

static uint64_t counts(const struct passes *p, size_t at)
{
	return p->second.minimum[at] ? p->second.minimum[at] : p->least.minimum[at];
}

/* A step is rounded: the difference of one step may be larger by 1. */
static bool is_near(uint64_t a, uint64_t b, uint64_t step)
{
	uint64_t by = a < b ? b - a : a - b;

	return by <= (step > 1 ? step + 1 : 0) || by <= b / LITTLE;
}

static void take(struct passes *p, size_t at, uint64_t value)
{
	uint64_t *least = &p->least.minimum[at], *second = &p->second.minimum[at];

	if (!*least) {
		*least = value;
	} else if (value < *least) {
		*second = *least;
		*least = value;
	} else if (!*second || value < *second) {
		*second = value;
	}
}

struct pass_changes passes_add(struct passes *p, const struct calibration *one)
{
	struct pass_changes change = { 0 };
	uint32_t metrics = p->least.metrics;

	for (size_t at = 0; at < (size_t)SEQUENCES * metrics; at++) {
		uint64_t value = one->minimum[at], before = counts(p, at), now;

		if (!value)
			continue;
		take(p, at, value);
		now = counts(p, at);
		change.seen++;
		if (!before)
			change.fresh++;
		else if (now != before && is_near(now, before, p->step[at % metrics]))
			change.near++;
		else if (now != before)
			change.moved++;
	}
	for (size_t s = 0; s < SEQUENCES; s++)
		if (__builtin_add_overflow(p->least.times[s], one->times[s], &p->least.times[s]))
			p->least.times[s] = UINT64_MAX;
	p->n++;
	return change;
}

void passes_result(const struct passes *p, struct calibration *c)
{
	for (size_t at = 0; at < (size_t)SEQUENCES * c->metrics; at++)
		c->minimum[at] = counts(p, at);
	memcpy(c->times, p->least.times, SEQUENCES * sizeof(*c->times));
}
