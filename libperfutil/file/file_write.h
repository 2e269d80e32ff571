/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the library itself asks of a writer, beside pifile.h. */
#ifndef PITRACE_FILE_WRITE_H
#define PITRACE_FILE_WRITE_H

#include <pifile.h>
#include "base/folder.h"

/* As pifile_create, of this name in a folder, whose user's the file is. */
struct pifile_writer *file_create(const struct folder *folder, const char *leaf,
				  const struct pifile_header *header);

/* Records of segments that came after the file had failed, and of the one with which it did. */
uint64_t file_unwritten(const struct pifile_writer *w);
/* It was made by file_create, and shall not be: what stood there is back. Frees w. */
void file_take_back(struct pifile_writer *w);

/* Don't wait for the disk at the end: the next file is waiting. */
void file_no_sync(struct pifile_writer *w);

/*
 * A copy of what stands in a file that is being written, to go on by itself: file_fork notes what
 * there is (quickly: the file may grow on at once), file_settle copies it to a new file, where the
 * copy is a writer like any other. NULL with errno; 0 or -errno, then the copy is freed.
 */
struct pifile_writer *file_fork(const struct pifile_writer *w);
int file_settle(struct pifile_writer *w, const struct folder *folder, const char *leaf);
/* A copy of a finished file. 0 or -errno. */
int file_copy(const struct folder *from, const char *leaf, const struct folder *to,
	      const char *to_leaf);

#endif
