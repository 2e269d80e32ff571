/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the library itself asks of a writer, beside pifile.h. */
#ifndef PITRACE_FILE_WRITE_H
#define PITRACE_FILE_WRITE_H

#include <sys/types.h>
#include <pifile.h>

/* Give the file to a user, by its descriptor: in a folder of theirs its name may mean another file
 * by now. 0 or -errno. */
int file_give(struct pifile_writer *w, uid_t owner, gid_t group);

/* Records of segments that came after the file had failed, and of the one with which it did. */
uint64_t file_unwritten(const struct pifile_writer *w);
/* It was made by pifile_create(path), and shall not be: what stood there is back. Frees w. */
void file_take_back(struct pifile_writer *w, const char *path);

/* Don't wait for the disk at the end: the next file is waiting. */
void file_no_sync(struct pifile_writer *w);

/*
 * A copy of what stands in a file that is being written, to go on by itself: file_fork notes what
 * there is (quickly: the file may grow on at once), file_settle copies it to path, where the copy
 * is a writer like any other. NULL with errno; 0 or -errno, then the copy is freed.
 */
struct pifile_writer *file_fork(const struct pifile_writer *w);
int file_settle(struct pifile_writer *w, const char *path);
/* A copy of a finished file. 0 or -errno. */
int file_copy(const char *from, const char *path, uid_t owner, gid_t group);

#endif
