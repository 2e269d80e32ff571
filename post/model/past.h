/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Who is to blame for each moment of somebody's past: of a thread, or of a CPU that threads waited
 * for. It is kept as stretches, one after the other. A stretch has parts that say how much of it
 * goes to whom, not when; so it may be long where nobody waits since a moment inside it. There are
 * at most PAST_PARTS parts: where more would be needed the oldest stretches become longer, and the
 * smallest parts go to "many".
 */
#ifndef POST_PAST_H
#define POST_PAST_H

#include "model/open_waits.h"

#define PAST_PARTS 128

struct past_part {
	uint64_t from, to; /* of the stretch: parts with the same times are one */
	uint64_t ns;       /* the part; all of a stretch are its length */
	uint32_t blame;
};

struct past {
	struct past_part *part; /* in order of time */
	uint32_t count, room;
	uint64_t end;
};

/* What follows until `to`. 0 or -ENOMEM. */
int past_add(struct past *p, struct open_waits *w, uint64_t from, uint64_t to, uint32_t blame,
	     uint32_t many);

/* Each ns between `from` and `to`, once and in order, as parts of stretches that lie inside. Where
 * the past has nothing, `nobody` is to blame. Stretches that reach out are divided evenly. */
struct past_reader {
	int (*part)(void *arg, const struct past_part *p); /* 0, or -errno to stop */
	void *arg;
};
int past_read(const struct past *p, uint64_t from, uint64_t to, uint32_t nobody,
	      const struct past_reader *reader);
/* One of these parts, of somebody else's past, follows here. */
int past_take(struct past *p, struct open_waits *w, const struct past_part *part, uint32_t many);
/* What is empty becomes the same up to this time. */
int past_copy(struct past *p, struct open_waits *w, const struct past *of, uint64_t to,
	      uint32_t many);
void past_free(struct past *p);

#endif
