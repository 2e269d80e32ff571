/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The folder that a trace is written into: opened once, with the rights of the user for whom is
 * traced, so that who exchanges it for a link later, or says a name below a folder of root's,
 * changes nothing. All that follows are names in it, made, looked at, renamed and removed with the
 * same rights.
 */
#ifndef PITRACE_FOLDER_H
#define PITRACE_FOLDER_H

#include <sys/stat.h>
#include "base/rights.h"

struct folder {
	int fd;				/* O_PATH; -1: none */
	const struct rights *rights;	/* NULL: our own */
};

/* What of a path names the file in its folder. */
const char *folder_leaf(const char *path);
/* Open the folder of this path's file, in which files can be made: 0 or -errno. rights must live as
 * long. */
int folder_open(struct folder *f, const char *path, const struct rights *rights);
void folder_close(struct folder *f);

/* Each: 0 or -errno. The last gives a descriptor. New files in it: newfile.h. */
int folder_stat(const struct folder *f, const char *leaf, struct stat *st);	/* as lstat() */
int folder_rename(const struct folder *f, const char *from, const char *to);
int folder_remove(const struct folder *f, const char *leaf);
int folder_read(const struct folder *f, const char *leaf, struct stat *st);	/* a regular file */

#endif
