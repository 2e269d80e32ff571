/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the library itself asks of a writer, beside pifile.h. */
#ifndef PITRACE_FILE_WRITE_H
#define PITRACE_FILE_WRITE_H

#include <sys/types.h>
#include <pifile.h>

/* Give the file to a user, by its descriptor: in a folder of theirs its name may mean another file
 * by now. 0 or -errno. */
int file_give(struct pifile_writer *w, uid_t owner, gid_t group);

#endif
