/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The session of the live view: a tracer that writes files of bounded size into a folder of its own
 * and keeps two of them, and the feed that reads them.
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
	bool rotates; /* else the session ends when its file is full */
	bool full;    /* the file is full */
	/* The interval being read: when it ended, and the deadline for reading it. */
	uint64_t time, until;
};

/* Begins the session. Returns 0, or an exit code after a message. */
int top_session_begin(struct top_session *s, struct tracer_options *o);
void top_session_end(struct top_session *s);
/* Removes the session's files, before the program exits at once; the session may be in any
 * state. */
void top_session_abandon(const struct top_session *s);
/* Writes the path of one of its files: a top_feed_path. */
top_feed_path top_session_path;
/*
 * Ends an interval: what was recorded up to now must be read within `most` ns; the rest is counted
 * as lost. Returns 0; or a negative rc with a message in `why` if the session cannot continue.
 */
int top_session_step(struct top_session *s, uint64_t most, char *why, size_t room);
/* Reads a piece of the interval, for at most 50 ms. Returns 1 if there is more, 0 if all is in the
 * model, or a negative rc with a message in `why`. */
int top_session_read(struct top_session *s, char *why, size_t room);
/* Begins a new interval; reset: also restarts the sum. */
void top_session_next(struct top_session *s, bool reset);

#endif
