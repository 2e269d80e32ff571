/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A trace file read while it is being written, by this program or another: what was appended since
 * the last look is merged by time, and nothing that was read before is read again. The end of such
 * a file is no fault; all else is one, as in a finished file (pifile_faults).
 */
#ifndef PITRACE_FILE_FOLLOW_H
#define PITRACE_FILE_FOLLOW_H

#include <pifile.h>

/* As pifile_open; pifile_close frees it. */
struct pifile *follow_open(const char *path, struct pifile_fault *fault);
/* Finds the whole sections that were appended since follow_open or the last call; *first is the
 * index of the first of them, pifile_sections() of the one after the last. 0, or -errno; a file
 * that became shorter is a fault, and gives none. */
int follow_more(struct pifile *f, size_t *first);
/* As pimerge_open, of the sections from that index on. A ring may begin with any segment. */
struct pimerge *follow_merge(struct pifile *f, unsigned int what, size_t first);

#endif
