/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The names of events that this machine knows, as the programs that count or sample show them. */
#ifndef EVENTS_LIST_H
#define EVENTS_LIST_H

#include <stdbool.h>
#include <stdint.h>
#include "json.h"

enum event_form { EVENTS_WORDS, EVENTS_NAMES, EVENTS_JSON, EVENTS_CSV };

struct event_list {
	enum event_form form;		/* NAMES: these alone, one a line */
	const char *word;		/* those with it in name or description; NULL: all */
	const char *pmu;		/* of this PMU (or source) only; NULL: all */
	uint64_t shown;			/* how many were */
	bool bad;			/* an event file was not understood; that was told */
	struct json json;
	char source[4096];		/* of the last line */
};

/* On stdout: the caller sets what is before `shown`. */
void event_list_print(struct event_list *l);
/* In words, when so: this machine counts no hardware events. True: it was told. */
bool event_list_no_hardware(void);

#endif
