/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The session of the live view: a tracer that writes files of bounded size into a folder of its
 * own, of which two are kept, and the feed that reads them.
 */
#ifndef TOP_SESSION_H
#define TOP_SESSION_H

#include <limits.h>
#include <tracer.h>
#include "top_feed.h"

struct top_session {
	struct tracer *tracer;
	struct top_feed *feed;
	struct top_model model;
	char folder[PATH_MAX - 64]; /* "": none */
	int folder_fd;
	bool rotates; /* else it ends when its file is full */
	bool full;    /* it did */
	/* The interval that is being read: where it ended, and until when it is read. */
	uint64_t time, until;
};

/* Begins; 0, or an exit code after a message. */
int top_session_begin(struct top_session *s, struct tracer_options *o);
void top_session_end(struct top_session *s);
/* The program ends at once, with this session in any state: removes its files. */
void top_session_abandon(const struct top_session *s);
/* Where a file of it is: a top_feed_path. */
top_feed_path top_session_path;
/*
 * An interval ends here: what was recorded up to now is to be read, for so long (ns); what is not
 * read by then is counted as lost. 0, or a sentence in why: it cannot go on.
 */
int top_session_step(struct top_session *s, uint64_t most, char *why, size_t room);
/* Reads a piece of it, for a moment. 1: there is more; 0: all is in the model; or a negative rc and
 * a sentence in why. */
int top_session_read(struct top_session *s, char *why, size_t room);
/* A new interval begins; reset: so does the sum. */
void top_session_next(struct top_session *s, bool reset);

#endif
