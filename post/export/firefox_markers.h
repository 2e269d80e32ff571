/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What programs wrote, as markers of the Firefox Profiler: each in the thread that wrote it, a span
 * in the one in which it began. */
#ifndef POST_FIREFOX_MARKERS_H
#define POST_FIREFOX_MARKERS_H

#include "export/kept_event.h"
#include "job.h"
#include "json.h"
#include "model/spans.h"

struct marker {
	uint32_t thread; /* by group, as samples are (trace_names.h) */
	uint32_t name;   /* of the list */
	uint64_t begins, ends;
	enum marker_phase { MARKER_INSTANT, MARKER_INTERVAL, MARKER_BEGINS, MARKER_ENDS } phase;
	bool has_id;
	uint64_t id;
	struct kept_event *event; /* a named one; the list's */
};

struct firefox_markers {
	struct marker *marker; /* by thread, in the order of time */
	uint32_t count, room;
	uint32_t *open; /* markers by place of their spans */
	uint32_t places;
	struct spans names; /* its list of names */
	const struct names *of;
	uint64_t first; /* time; UINT64_MAX: there is none */
};

/* 0 or -errno. */
int firefox_markers_read(struct firefox_markers *m, const struct job *job);
/* The first one of a thread; those after it are its too, up to another's. */
uint32_t firefox_markers_of(const struct firefox_markers *m, uint32_t thread);
/* What the viewer is told about their kinds: the array of the profile's meta data. */
void firefox_markers_schema(struct json *j, const struct named_events *named);
/* The table of a thread's markers, with times since `first`. number() gives a name's place in the
 * thread's list of strings. */
void firefox_markers_write(const struct firefox_markers *m, struct json *j, uint32_t thread,
			   uint64_t first, uint64_t (*number)(void *arg, const char *name),
			   void *arg);
void firefox_markers_free(struct firefox_markers *m);

#endif
