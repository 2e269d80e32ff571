/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Copies perf maps of traced programs into the trace while they grow. The files have no times, so
 * an entry is known to be older than the scan that found it and, except at the first scan, newer
 * than the one before. A process with executable memory of its own is scanned once a second, in its
 * own /tmp, under its own pid and with its own rights, and a last time when it has exited. If it
 * exited before the first scan, the map in our /tmp is read with the rights of the tracing user.
 */
#ifndef PITRACE_PERFMAPS_H
#define PITRACE_PERFMAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <pifile.h>
#include "base/rights.h"

struct perfmaps;

/* user: the tracing user; NULL: this process; valid until perfmaps_free. */
struct perfmaps *perfmaps_new(const struct rights *user);
void perfmaps_free(struct perfmaps *m);
/* Scans a segment for such processes and for exits. */
void perfmaps_scan(struct perfmaps *m, const void *segment, size_t size);
/* Writes what the maps have gained since the last scan, if that was a second ago or `now` is set:
 * sections PIFILE_SEC_PERFMAP. 0 or -errno of the file. */
int perfmaps_flush(struct perfmaps *m, struct pifile_writer *w, bool now);

#endif
