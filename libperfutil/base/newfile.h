/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Creates the output files that users name. The folder is opened once and all operations are
 * relative to it. An existing file is examined through an O_PATH descriptor, which touches no
 * device, and that very file is used, whatever the name means later. Links are never followed.
 * Nothing is overwritten: a file of this user, or of the owner of its folder, is renamed; a file of
 * any other user is refused.
 */
#ifndef PITRACE_NEWFILE_H
#define PITRACE_NEWFILE_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>
#include "base/folder.h"

enum newfile_how {
	/* an existing file becomes NAME.old, an existing NAME.old is removed */
	NEWFILE_ASIDE = 0,
	NEWFILE_REPLACE = 1, /* an existing file is removed */
	NEWFILE_STREAM = 2,  /* also a FIFO with a reader, a terminal, /dev/null, /dev/full */
	NEWFILE_READ = 4,    /* open for reading too */
	NEWFILE_APPEND = 8,
};

struct newfile {
	int fd; /* the caller closes it */
	int folder;
	const struct rights *rights; /* rights for all operations; NULL: this process's own */
	bool moved;                  /* an existing file was renamed to NAME.old */
	char name[NAME_MAX + 1];
};

/*
 * Returns 0 or -errno. -ELOOP: the name is a link; -EPERM: another user's file or FIFO; -ENXIO: a
 * FIFO without a reader; -EISDIR; -EOPNOTSUPP: a device or similar; -EEXIST: NAME.old cannot be
 * removed; -EBUSY: the name keeps changing. The mode is subject to the umask.
 */
int newfile_open(struct newfile *f, const char *path, unsigned int how, mode_t mode);
/* The same for a name in an open folder, with the rights of its user. The caller keeps both valid
 * until newfile_keep or newfile_undo. */
int newfile_open_in(struct newfile *f, const struct folder *folder, const char *name,
		    unsigned int how, mode_t mode);
/* Renames whatever has this name, even a link, a FIFO or another user's file, to NAME.old. Returns
 * 0 (also if the name is free) or -errno as above. */
int newfile_aside(const struct folder *folder, const char *name);
/* Discards the file: removes it if it still has its name, and moves the old one back. Closes fd and
 * releases the rest. */
void newfile_undo(struct newfile *f);
/* Keeps the file and releases the rest. The caller closes fd. */
void newfile_keep(struct newfile *f);

/* Creates an empty folder likewise. Returns its descriptor or -errno (-ENOTDIR: the name is not a
 * folder). */
int newfile_folder(const char *path, mode_t mode, bool *moved);

#endif
