/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * perf maps of traced programs, copied into the trace while they grow: the files have no times, so
 * what stands in them is known to be of before the look that found it, and, but for what the first
 * look found, of after the look before. A process with executable memory of its own making is
 * looked at once a second, in its own /tmp, under its own number and with its own rights, and a
 * last time when it is gone. Of one that was gone before the first look the map in our /tmp is
 * taken, with the rights of the user for whom is traced.
 */
#ifndef PITRACE_PERFMAPS_H
#define PITRACE_PERFMAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <pifile.h>
#include "base/rights.h"

struct perfmaps;

/* user: for whom is traced; NULL: ourselves. It must live as long. */
struct perfmaps *perfmaps_new(const struct rights *user);
void perfmaps_free(struct perfmaps *m);
/* Look through a segment for such processes, and for those that are gone. */
void perfmaps_scan(struct perfmaps *m, const void *segment, size_t size);
/* Write what the maps have more than at the look before, if that is a second ago or `now`: sections
 * PIFILE_SEC_PERFMAP. 0 or -errno of the file. */
int perfmaps_flush(struct perfmaps *m, struct pifile_writer *w, bool now);

#endif
