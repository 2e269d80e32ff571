/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Copies of programs and libraries that will not be found by their path later: those of containers,
 * chroots and other mounts, and deleted ones. The trace keeps them, within a limit, so that names
 * do not end with the container.
 */
#ifndef PITRACE_FILE_COPIES_H
#define PITRACE_FILE_COPIES_H

#include <stddef.h>
#include <pifile.h>
#include "base/rights.h"

#define FILE_COPY_MOST   (32u << 20) /* bytes of one file: larger ones are left out */
#define FILE_COPIES_MOST (64u << 20) /* bytes of all, in one trace file */

struct file_copies;

/* most: bytes of all copies, FILE_COPIES_MOST or less. user: the tracing user (NULL: this process),
 * who gets the contents of files of that user's own processes only; valid until file_copies_free.
 * NULL: no memory. */
struct file_copies *file_copies_new(uint64_t most, const struct rights *user);
void file_copies_free(struct file_copies *c);
/* Scans a segment for such files and writes each once as a section, compressed with level 1 at
 * least; then the writer's level is `compression` again. 0 or -errno of writing. */
int file_copies_scan(struct file_copies *c, struct pifile_writer *w, int compression,
		     const void *segment, size_t size);

#endif
