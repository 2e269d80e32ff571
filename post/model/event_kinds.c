/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Chooses the event of the reports: the first record that can decide does. */
#include "model/event_kinds.h"

#include <stdio.h>
#include <string.h>

void events_begin(struct events *e, const char *wanted)
{
	unsigned int i;

	*e = (struct events){ .wanted = wanted, .kinds = 1 };
	strcpy(e->kind[0].name, "timer");
	/* Stands for numbers that no record names. */
	strcpy(e->kind[EVENT_UNNAMED].name, "unnamed");
	for (i = 1; i <= EVENT_NUMBERS; i++)
		e->now[i] = EVENT_UNNAMED;
}

/* Returns whether the user chose this kind: by name, or by its number in reports' lists. */
static bool is_wanted(const struct events *e, unsigned int kind)
{
	char number[16];

	snprintf(number, sizeof(number), "%u", kind);
	return !e->wanted || !strcmp(e->wanted, e->kind[kind].name) || !strcmp(e->wanted, number);
}

void events_choose(struct events *e, unsigned int kind)
{
	e->has_chosen = is_wanted(e, kind);
	e->chosen = kind;
}

bool events_reported(struct events *e, const struct pitrace_event_rec *r)
{
	struct event new = { .flags = r->flags, .period = r->period };
	unsigned int i;

	if (r->event >= EVENT_NUMBERS)
		return false;
	memcpy(new.name, r->name, sizeof(r->name));
	for (i = 1; i < e->kinds && strcmp(e->kind[i].name, new.name); i++)
		;
	if (i == EVENT_UNNAMED)
		return false;
	if (i == e->kinds)
		e->kind[e->kinds++] = new;
	e->now[r->event + 1] = (uint8_t)i;
	if (!e->has_chosen)
		events_choose(e, i);
	return true;
}

void events_detail(struct events *e, uint32_t number, const struct detail_event *how)
{
	unsigned int kind = number && number <= EVENT_NUMBERS ? e->now[number] : EVENT_UNNAMED;

	if (kind == EVENT_UNNAMED || e->kind[kind].detailed)
		return;
	e->kind[kind].how = *how;
	e->kind[kind].detailed = true;
}
