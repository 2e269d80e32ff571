/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Build ids read by the drain: of files whose mappings the walk of live tasks reported (the driver
 * has the mapping thread read those mapped later), or of all files.
 */
#ifndef PITRACE_BUILDID_H
#define PITRACE_BUILDID_H

#include <stddef.h>
#include <pifile.h>
#include "base/rights.h"

struct buildids;

/* all: not only files that a walk reported. user: the tracing user; NULL: this process; valid until
 * buildids_free. Files are opened with the rights of the process that has them mapped. */
struct buildids *buildids_new(bool all, const struct rights *user);
void buildids_free(struct buildids *b);
/* Scans a segment for new files and reads their ids. */
void buildids_scan(struct buildids *b, const void *segment, size_t size);
/* Writes the ids found since the last call as a snapshot. 0 or -errno. */
int buildids_flush(struct buildids *b, struct pifile_writer *w);

#endif
