/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a page's timeline shows beside samples: which thread a CPU ran, interrupts, system calls,
 * programs' records, who woke whom. A track is one such thing of one thread or CPU; what it had in
 * each slice of time is kept in cells (slices.h), for any length of the trace. Of single stretches
 * and moments as many are kept as the page can draw: the longest, and every so many-th.
 */
#ifndef POST_HTML_EVENTS_H
#define POST_HTML_EVENTS_H

#include "export/texts.h"
#include "job.h"
#include "model/slices.h"

enum html_track_kind {
	HTML_RUNS,      /* a thread on a CPU */
	HTML_READY,     /* a thread that could run, and had no CPU */
	HTML_INTERRUPT, /* of a CPU, with those that came in between */
	HTML_CALL,      /* a system call, from entry to exit */
	HTML_PAIR,
	HTML_SPAN,
	HTML_MARK, /* from here on moments, which are counted */
	HTML_FAULT,
	HTML_NAMED,
	HTML_WAKES, /* a thread is woken by another one */
};

struct html_track {
	enum html_track_kind kind;
	uint32_t thread; /* of names; NO_KEY: a CPU's */
	uint32_t other;  /* WAKES: who woke it; NO_KEY: no thread */
	uint32_t cpu;    /* RUNS, INTERRUPT; else NO_KEY */
	uint32_t name;   /* of texts */
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
	uint64_t from; /* where slice 0 is, of samples, too */
	struct html_track *track;
	uint32_t tracks, room_track;
	struct keys by_track;
	struct slices slices; /* their sums are tracks */
	struct html_stretch *stretch;
	uint32_t stretches, room_stretch;
	uint64_t least; /* ns: shorter stretches are in cells alone */
	struct html_moment *moment;
	uint32_t moments, room_moment;
	uint32_t step; /* one moment of so many is kept */
};

/* Reads the trace once more, if it has any of that. 0, or -errno. Call html_events_free() in either
 * case. */
int html_events_read(struct html_events *e, const struct job *job, struct texts *texts);
void html_events_free(struct html_events *e);

#endif
