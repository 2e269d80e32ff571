/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A named event that stays, with its values, until its thread is written. */
#ifndef POST_KEPT_EVENT_H
#define POST_KEPT_EVENT_H

#include "export/timeline.h"
#include "record/named_record.h"

struct kept_event {
	uint64_t time;
	const struct named_event *event;
	struct pifile_user record; /* of bytes from here on */
};

/* From malloc; NULL: no memory. */
struct kept_event *kept_event_of(const struct timeline_moment *m);

#endif
