/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The causes of each moment in the past of a thread, or of a CPU that threads waited for, stored as
 * consecutive stretches. The parts of a stretch hold how much of it has which cause, but not when;
 * a stretch may be long if no wait begins inside it. There are at most PAST_PARTS parts: if more
 * are needed, the oldest stretches are merged, and the smallest parts are attributed to "many".
 */
#ifndef POST_PAST_H
#define POST_PAST_H

#include "model/open_waits.h"

#define PAST_PARTS 128

struct past_part {
	uint64_t from, to; /* of the stretch: parts with the same times form one stretch */
	uint64_t ns;       /* size of the part; the parts of a stretch add up to its length */
	uint32_t blame;
};

struct past {
	struct past_part *part; /* in time order */
	uint32_t count, room;
	uint64_t end;
};

/* Appends the time until `to`. Returns 0 or -ENOMEM. */
int past_add(struct past *p, struct open_waits *w, uint64_t from, uint64_t to, uint32_t blame,
	     uint32_t many);

/* Reports each ns between `from` and `to`, once and in order, as parts of stretches within. Time
 * that the past does not cover has the cause `nobody`. Stretches that extend beyond are scaled. */
struct past_reader {
	int (*part)(void *arg, const struct past_part *p); /* returns 0, or -errno to stop */
	void *arg;
};
int past_read(const struct past *p, uint64_t from, uint64_t to, uint32_t nobody,
	      const struct past_reader *reader);
/* Appends one of these parts, from the past of another thread or CPU. */
int past_take(struct past *p, struct open_waits *w, const struct past_part *part, uint32_t many);
/* Copies another past, up to this time, into an empty one. */
int past_copy(struct past *p, struct open_waits *w, const struct past *of, uint64_t to,
	      uint32_t many);
void past_free(struct past *p);

#endif
