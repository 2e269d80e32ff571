/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The folder of a trace's files. It is opened once, with the rights of the user who traces; later
 * operations create, stat, rename and remove names in it with the same rights. So replacing the
 * folder by a link, or naming one that only root may write, gains nothing.
 */
#ifndef PITRACE_FOLDER_H
#define PITRACE_FOLDER_H

#include <sys/stat.h>
#include "base/rights.h"

struct folder {
	int fd;                      /* O_PATH; -1: none */
	const struct rights *rights; /* NULL: this process's own */
};

/* Returns the file name part of a path. */
const char *folder_leaf(const char *path);
/* Opens the folder that contains path, if files can be created in it. 0 or -errno. The caller keeps
 * rights valid until folder_close. */
int folder_open(struct folder *f, const char *path, const struct rights *rights);
void folder_close(struct folder *f);

/* Each returns 0 or -errno; folder_read returns a descriptor. newfile.h creates files in a folder.
 * */
int folder_stat(const struct folder *f, const char *leaf, struct stat *st); /* as lstat() */
int folder_rename(const struct folder *f, const char *from, const char *to);
int folder_remove(const struct folder *f, const char *leaf);
/* regular files only */
int folder_read(const struct folder *f, const char *leaf, struct stat *st);

#endif
