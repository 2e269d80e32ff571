/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Copies a trace from a pipe to an unnamed file, since it is read more than once. */
#ifndef POST_SPOOL_H
#define POST_SPOOL_H

#include <stdbool.h>

struct pifile_fault;

/* Returns whether this is a pipe passed by the user: "-", or the path of a descriptor (a shell's
 * <(COMMAND)). Any other pipe in the file system might never end. */
bool is_pipe(const char *path);
/* Returns the file's descriptor, or -errno with a message in `fault`. */
int spool_open(const char *path, struct pifile_fault *fault);

#endif
