/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Events in a page's timeline beside samples: the thread that a CPU ran, interrupts, system calls,
 * user records, wake-ups. A track holds one kind of event of one thread or CPU; its time in each
 * slice is kept in cells (slices.h) for a trace of any length. Only as many single stretches and
 * moments are kept as the page can draw: the longest stretches, and one moment of every `step`.
 */
#ifndef POST_HTML_EVENTS_H
#define POST_HTML_EVENTS_H

#include "export/texts.h"
#include "job.h"
#include "model/slices.h"

enum html_track_kind {
	HTML_RUNS,      /* a thread on a CPU */
	HTML_READY,     /* a runnable thread without a CPU */
	HTML_INTERRUPT, /* of a CPU, including nested ones */
	HTML_CALL,      /* a system call, from entry to exit */
	HTML_PAIR,
	HTML_SPAN,
	HTML_BLAME, /* a thread waited, and what is to blame for it */
	HTML_MARK,  /* moments from here on, which are counted */
	HTML_FAULT,
	HTML_NAMED,
	HTML_WAKES, /* a thread wakes another one */
};

struct html_track {
	enum html_track_kind kind;
	uint32_t thread; /* of names; NO_KEY: a CPU's track */
	uint32_t other;  /* WAKES: the waker; BLAME: the blamed thread; NO_KEY: no thread */
	uint32_t cpu;    /* RUNS, INTERRUPT; else NO_KEY */
	uint32_t name;   /* index in texts */
	uint64_t count, ns;
};

struct html_stretch {
	uint64_t from, ns;
	uint32_t track;
};

struct html_moment {
	uint64_t time;
	uint32_t track;
};

struct html_events {
	uint64_t from; /* time of slice 0, also of samples */
	struct html_track *track;
	uint32_t tracks, room_track;
	struct keys by_track;
	struct slices slices; /* summed by track */
	struct html_stretch *stretch;
	uint32_t stretches, room_stretch;
	uint64_t least; /* ns: shorter stretches are only in cells */
	struct html_moment *moment;
	uint32_t moments, room_moment;
	uint32_t step; /* keeps one moment of this many */
};

/* Reads the trace once more if it contains any of these events. Returns 0 or -errno. Call
 * html_events_free() in either case. */
int html_events_read(struct html_events *e, const struct job *job, struct texts *texts);
void html_events_free(struct html_events *e);

#endif
