/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A trace file read while it is being written, by this program or another: data appended since the
 * last call is merged by time, and nothing is read twice. The end of such a file is not a fault;
 * everything else is, as in a finished file (pifile_faults).
 */
#ifndef PITRACE_FILE_FOLLOW_H
#define PITRACE_FILE_FOLLOW_H

#include <pifile.h>

/* As pifile_open; pifile_close frees it. */
struct pifile *follow_open(const char *path, struct pifile_fault *fault);
/* Finds the complete sections that were appended since follow_open or the last call; *first is the
 * index of the first of them, pifile_sections() of the one after the last. 0, or -errno; a file
 * that became shorter is a fault, and yields no sections. */
int follow_more(struct pifile *f, size_t *first);
/* As pimerge_open, for the sections from that index on. A ring may begin with any segment. */
struct pimerge *follow_merge(struct pifile *f, unsigned int what, size_t first);

#endif
