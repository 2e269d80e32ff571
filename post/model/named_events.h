/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which events programs declared: for each process and number a name and fields, from when on. What
 * several processes declare alike is one event. Declarations stand beside the records that need
 * them, so all are read before; one that came too late, because there was no room for it sooner,
 * holds for the records before it too.
 */
#ifndef POST_NAMED_EVENTS_H
#define POST_NAMED_EVENTS_H

#include "base/keys.h"
#include "model/trace_books.h"
#include "record/named_record.h"

struct named_entry {
	uint32_t pid, number, event;
	uint32_t next; /* the one declared after it, or NO_KEY */
	/* Of a first one: the last; that of the newest record, for the next is rarely older. */
	uint32_t last, at;
	uint64_t time;
};

struct named_events {
	struct named_event **event;
	uint32_t nevent, room_event;
	struct keys by_text;
	struct named_entry *entry;
	uint32_t nentry, room_entry;
	struct keys by_number; /* the first entry of a process and number */
};

/* Takes a record of PITRACE_MTE_DECLARE, in the order of time. What is wrong with it is told in the
 * trace's books. 0 or -ENOMEM. */
int named_events_declare(struct named_events *n, struct trace *t, const struct pirecord *r);
/* The event of a record of PITRACE_NAMED; NULL: none that has these fields is declared. */
const struct named_event *named_events_of(struct named_events *n, const struct pirecord *r,
					  const struct pifile_user *x);
void named_events_free(struct named_events *n);

#endif
