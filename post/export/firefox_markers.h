/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What programs wrote, as markers of the Firefox Profiler: each in the thread that wrote it, a span
 * in the one in which it began. */
#ifndef POST_FIREFOX_MARKERS_H
#define POST_FIREFOX_MARKERS_H

#include "export/by_thread.h"
#include "export/kept_event.h"
#include "job.h"
#include "json.h"
#include "model/spans.h"

struct firefox_markers {
	struct by_thread by;       /* struct marker, by group, as samples are (trace_names.h) */
	struct kept_events events; /* named ones */
	struct spill ends;         /* the time at which each span ended, by its number */
	uint64_t spans;
	uint64_t *open; /* spans' numbers by place */
	uint32_t places;
	struct spans names; /* its list of names */
	const struct names *of;
	uint64_t first; /* time; UINT64_MAX: there is none */
};

/* 0 or -errno. */
int firefox_markers_read(struct firefox_markers *m, const struct job *job);
/* What the viewer is told about their kinds: the array of the profile's meta data. */
void firefox_markers_schema(struct json *j, const struct named_events *named);
/* The table of a thread's markers, with times since `first`. number() gives a name's place in the
 * thread's list of strings. 0 or -errno. */
int firefox_markers_write(struct firefox_markers *m, struct json *j, uint32_t thread,
			  uint64_t first, uint64_t (*number)(void *arg, const char *name),
			  void *arg);
void firefox_markers_free(struct firefox_markers *m);

#endif
