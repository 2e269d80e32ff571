/* SPDX-License-Identifier: GPL-3.0-or-later */
/* User records as markers of the Firefox Profiler: each in the thread that wrote it, a span in the
 * thread in which it began. */
#ifndef POST_FIREFOX_MARKERS_H
#define POST_FIREFOX_MARKERS_H

#include "export/by_thread.h"
#include "export/kept_event.h"
#include "job.h"
#include "json.h"
#include "model/spans.h"

struct firefox_markers {
	struct by_thread by;       /* struct marker, by group, like samples (trace_names.h) */
	struct kept_events events; /* named events */
	struct spill ends;         /* the end time of each span, by its number */
	uint64_t spans;
	uint64_t *open; /* numbers of open spans, by place */
	uint32_t places;
	struct spans names; /* used for its list of names */
	const struct names *of;
	uint64_t first; /* time; UINT64_MAX: no markers */
};

/* Returns 0 or -errno. */
int firefox_markers_read(struct firefox_markers *m, const struct job *job);
/* Writes the marker schemas: an array in the profile's metadata. */
void firefox_markers_schema(struct json *j, const struct named_events *named);
/* Writes a thread's marker table, with times since `first`. number() returns the index of a name in
 * the thread's list of strings. Returns 0 or -errno. */
int firefox_markers_write(struct firefox_markers *m, struct json *j, uint32_t thread,
			  uint64_t first, uint64_t (*number)(void *arg, const char *name),
			  void *arg);
void firefox_markers_free(struct firefox_markers *m);

#endif
