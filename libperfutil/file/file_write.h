/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Functions of the writer for the library itself, in addition to pifile.h. */
#ifndef PITRACE_FILE_WRITE_H
#define PITRACE_FILE_WRITE_H

#include <pifile.h>
#include "base/folder.h"

/* As pifile_create, for a name in a folder; the file belongs to the folder's user. */
struct pifile_writer *file_create(const struct folder *folder, const char *leaf,
				  const struct pifile_header *header);

/* Returns the number of records lost at or after the first failure. */
uint64_t file_unwritten(const struct pifile_writer *w);
/* Discards a file made by file_create and moves the old one back. Frees w. */
void file_take_back(struct pifile_writer *w);

/* Skips fsync at the end, because the next file is waiting. */
void file_no_sync(struct pifile_writer *w);

/*
 * Copies the present content of a file that is still being written. file_fork takes a snapshot of
 * its state (quickly: the file may grow immediately), file_settle copies the data to a new file,
 * which is then an ordinary writer. NULL with errno; 0 or -errno, then the copy is freed.
 */
struct pifile_writer *file_fork(const struct pifile_writer *w);
int file_settle(struct pifile_writer *w, const struct folder *folder, const char *leaf);
/* Copies a finished file. 0 or -errno. */
int file_copy(const struct folder *from, const char *leaf, const struct folder *to,
	      const char *to_leaf);

#endif
