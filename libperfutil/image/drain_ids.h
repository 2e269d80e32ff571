/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Build ids that the drain reads: of files whose mappings the walk of live tasks described (the
 * driver asks the mapping thread itself for those mapped later), or of all.
 */
#ifndef PITRACE_BUILDID_H
#define PITRACE_BUILDID_H

#include <stddef.h>
#include <pifile.h>
#include "base/rights.h"

struct buildids;

/* all: not only what a walk described. user: for whom is traced; NULL: ourselves. It must live as
 * long. Files are opened with the rights of the process that has them mapped. */
struct buildids *buildids_new(bool all, const struct rights *user);
void buildids_free(struct buildids *b);
/* Look through a segment for files not seen yet, and read theirs. */
void buildids_scan(struct buildids *b, const void *segment, size_t size);
/* Write what was found since as a snapshot. 0 or -errno. */
int buildids_flush(struct buildids *b, struct pifile_writer *w);

#endif
