/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The events that programs declared: name and fields by process and number, each valid from a
 * certain time on. Equal declarations of several processes are one event. Declarations are not
 * always before the records that need them, so all are read first; one that was late, because there
 * was no room for it earlier, also applies to the records before it.
 */
#ifndef POST_NAMED_EVENTS_H
#define POST_NAMED_EVENTS_H

#include "base/keys.h"
#include "model/trace_books.h"
#include "record/named_record.h"

struct named_entry {
	uint32_t pid, number, event;
	uint32_t next; /* the entry declared next, or NO_KEY */
	/* Only in a first entry: the last entry; that of the newest record, as the next is rarely
	 * older. */
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

/* Processes a PITRACE_MTE_DECLARE record, in time order. Counts malformed ones in the trace.
 * Returns 0 or -ENOMEM. */
int named_events_declare(struct named_events *n, struct trace *t, const struct pirecord *r);
/* Returns the event of a PITRACE_NAMED record; NULL: no declaration with these fields. */
const struct named_event *named_events_of(struct named_events *n, const struct pirecord *r,
					  const struct pifile_user *x);
void named_events_free(struct named_events *n);

#endif
