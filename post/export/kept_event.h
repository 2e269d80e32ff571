/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Named events that are kept, with their values, until their thread is written. */
#ifndef POST_KEPT_EVENT_H
#define POST_KEPT_EVENT_H

#include "export/timeline.h"
#include "record/named_record.h"
#include "record/spill.h"

struct kept_event {
	const struct named_event *event;
	struct pifile_user record; /* its values, lengths and text follow this struct */
	size_t bytes, lengths_at, text_at;
};

struct kept_events {
	struct spill spill;
	uint8_t *room; /* the event read last */
	size_t room_bytes;
};

/* *at: the event's offset. Returns 0 or -errno, as spill_add(). */
int kept_events_add(struct kept_events *k, const struct timeline_moment *m, uint64_t *at);
/* The event is valid until the next call. Returns 0 or -errno. */
int kept_events_get(struct kept_events *k, uint64_t at, const struct kept_event **event);
void kept_events_free(struct kept_events *k);

#endif
