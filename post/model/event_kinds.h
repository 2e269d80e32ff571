/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The kinds of samples in a trace: the timer's ticks, or those of several events. Counts of
 * different events must not be added, so a report covers one of them: the requested one, else the
 * first one named by a record.
 */
#ifndef POST_EVENT_KINDS_H
#define POST_EVENT_KINDS_H

#include <stdbool.h>

#include "record/detail.h"
#include "record/input.h"

/* Limit on distinct events of all intervals: the timer, named ones, and one for the rest. */
#define EVENT_KINDS   130
#define EVENT_UNNAMED (EVENT_KINDS - 1)

struct event {
	char name[65];
	uint32_t flags; /* PITRACE_EVENT_* */
	uint64_t period;
	uint64_t samples;
	uint64_t counted; /* sum of the samples' counts; timer: nanoseconds */
	bool detailed;
	struct detail_event how; /* how it was opened, if known (detailed) */
};

struct events {
	struct event kind[EVENT_KINDS];
	unsigned int kinds;             /* number of kinds: the timer and named events */
	uint8_t now[EVENT_NUMBERS + 1]; /* current kind of each event number */
	const char *wanted;             /* name or number of the requested event; NULL: the first */
	unsigned int chosen;
	bool has_chosen;
};

void events_begin(struct events *e, const char *wanted);
/* Processes a record that names an event. false: its number is too great, or there are too many. */
bool events_reported(struct events *e, const struct pitrace_event_rec *r);
/* Sets the attributes of the event with that number; a record must have named it before. */
void events_detail(struct events *e, uint32_t number, const struct detail_event *how);
/* Called for the first samples of a kind while no event is chosen. */
void events_choose(struct events *e, unsigned int kind);

/* Counts samples by the event number in their record (up to EVENT_NUMBERS). Returns whether the
 * reports cover them. */
static inline bool events_sample(struct events *e, unsigned int number, uint64_t samples,
				 uint64_t period)
{
	unsigned int kind = e->now[number];

	e->kind[kind].samples += samples;
	e->kind[kind].counted += period;
	if (!e->has_chosen)
		events_choose(e, kind);
	return e->has_chosen && kind == e->chosen;
}

#endif
