/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the counters of AboveIdle, subtracts two readings, and computes shares. */
#include "ai_span.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int span_read(struct span *s)
{
	int room = AiGetCounters(NULL, 0);

	memset(s, 0, sizeof(*s));
	if (room < 0)
		return room;
	s->cpu = calloc((size_t)room + 1, sizeof(*s->cpu));
	if (!s->cpu)
		return PI_NO_MEMORY;
	s->cpus = AiGetCounters(s->cpu, room);
	/* The next reading includes a CPU that was added meanwhile. */
	if (s->cpus > room)
		s->cpus = room;
	return s->cpus < 0 ? s->cpus : PI_OK;
}

void span_free(struct span *s)
{
	free(s->cpu);
	memset(s, 0, sizeof(*s));
}

static void subtract(struct ai_counters *c, const struct ai_counters *from)
{
	c->current -= from->current;
	c->idle -= from->idle;
	c->busy -= from->busy;
	c->interrupt -= from->interrupt;
	c->steal -= from->steal;
	if (c->dispatches != AI_UNKNOWN)
		c->dispatches -= from->dispatches;
	c->interrupts -= from->interrupts;
}

static void add(struct ai_counters *sum, const struct ai_counters *c)
{
	sum->online += c->online;
	sum->current += c->current;
	sum->idle += c->idle;
	sum->busy += c->busy;
	sum->interrupt += c->interrupt;
	sum->steal += c->steal;
	if (c->dispatches == AI_UNKNOWN)
		sum->dispatches = AI_UNKNOWN;
	if (sum->dispatches != AI_UNKNOWN)
		sum->dispatches += c->dispatches;
	sum->interrupts += c->interrupts;
}

int span_between(struct span *s, const struct span *from, const struct span *to)
{
	memset(s, 0, sizeof(*s));
	s->cpu = calloc((size_t)to->cpus + 1, sizeof(*s->cpu));
	if (!s->cpu)
		return PI_NO_MEMORY;
	for (int i = 0, k = 0; i < to->cpus; i++) {
		struct ai_counters *c = &s->cpu[s->cpus++];

		*c = to->cpu[i];
		while (k < from->cpus && from->cpu[k].cpu < c->cpu)
			k++;
		if (k < from->cpus && from->cpu[k].cpu == c->cpu)
			subtract(c, &from->cpu[k]);
		add(&s->all, c);
	}
	return PI_OK;
}

/* Rounds shares down, then distributes the remainder to those that lost most by rounding. */
bool span_shares(const struct ai_counters *c, unsigned int share[SPAN_SHARES])
{
	const uint64_t part[SPAN_SHARES] = { c->idle, c->busy, c->interrupt };
	uint64_t rest[SPAN_SHARES];
	unsigned int left = 10000;

	memset(share, 0, SPAN_SHARES * sizeof(*share));
	if (!c->current)
		return false;
	for (int i = 0; i < SPAN_SHARES; i++) {
		unsigned __int128 scaled = (unsigned __int128)part[i] * 10000;

		share[i] = (unsigned int)(scaled / c->current);
		rest[i] = (uint64_t)(scaled % c->current);
		left -= share[i];
	}
	for (; left; left--) {
		int most = 0;

		for (int i = 1; i < SPAN_SHARES; i++)
			if (rest[i] > rest[most])
				most = i;
		share[most]++;
		rest[most] = 0;
	}
	return true;
}

const char *span_percent(char room[8], unsigned int hundredths)
{
	snprintf(room, 8, "%u.%02u", hundredths / 100 % 1000, hundredths % 100);
	return room;
}
