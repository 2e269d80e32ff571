/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The names of events that this machine knows, as the programs that count or sample show them. */
#ifndef EVENTS_LIST_H
#define EVENTS_LIST_H

#include <stdbool.h>
#include <stdint.h>
#include "json.h"

enum event_form { EVENTS_WORDS, EVENTS_NAMES, EVENTS_JSON, EVENTS_CSV };

struct event_list {
	enum event_form form; /* NAMES: only names, one a line */
	const char *word;     /* only events with it in name or description; NULL: all */
	const char *pmu;      /* only events of this PMU (or source); NULL: all */
	uint64_t shown;       /* the number of events printed */
	bool bad;             /* an event file is malformed, after a message */
	struct json json;
	char source[4096]; /* of the last line */
};

/* Prints the list on stdout. The caller sets the members before `shown`. */
void event_list_print(struct event_list *l);
/* Prints a note if this machine counts no hardware events. Returns whether it was printed. */
bool event_list_no_hardware(void);

#endif
