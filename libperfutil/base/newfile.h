/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A new file at a path that a user gave: every output of every program begins here. The folder is
 * opened once and all is done in it. What stands at the name is looked at by a descriptor that
 * opens nothing (O_PATH), so that no device is touched, and what is used is what was looked at,
 * whatever becomes of the name. A link is never followed. Nothing is overwritten: a file that
 * is ours, or the owner's of its folder, makes way; anybody else's is refused.
 */
#ifndef PITRACE_NEWFILE_H
#define PITRACE_NEWFILE_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>
#include "base/folder.h"

enum newfile_how {
	NEWFILE_ASIDE	= 0,	/* an older one becomes NAME.old, whose older one goes */
	NEWFILE_REPLACE	= 1,	/* an older one goes */
	NEWFILE_STREAM	= 2,	/* or a FIFO that is read, a terminal, /dev/null, /dev/full */
	NEWFILE_READ	= 4,	/* to be read too */
	NEWFILE_APPEND	= 8,
};

struct newfile {
	int fd;				/* the caller's to close */
	int folder;
	const struct rights *rights;	/* all is done with these; NULL: our own */
	bool moved;			/* an older one is NAME.old now */
	char name[NAME_MAX + 1];
};

/*
 * 0 or -errno: -ELOOP: a link stands there; -EPERM: another user's file or FIFO; -ENXIO: a FIFO
 * that nobody reads; -EISDIR; -EOPNOTSUPP: a device or the like; -EEXIST: NAME.old is no file that
 * could go; -EBUSY: the name changes all the time. The mode is cut by the umask.
 */
int newfile_open(struct newfile *f, const char *path, unsigned int how, mode_t mode);
/* The same of a name in a folder that is open, with the rights of its user. These must live as
 * long. */
int newfile_open_in(struct newfile *f, const struct folder *folder, const char *name,
		    unsigned int how, mode_t mode);
/* Whatever has this name, and be it a link, a FIFO or another user's file, becomes NAME.old: a name
 * is needed and nothing is lost. 0, also when nothing has it, or -errno, as above. */
int newfile_aside(const struct folder *folder, const char *name);
/* It shall not be: the file goes if it still has its name, and what made way is back. fd is
 * closed, and the rest released. */
void newfile_undo(struct newfile *f);
/* It stays. fd is not closed. */
void newfile_keep(struct newfile *f);

/* Likewise an empty folder: its descriptor or -errno (-ENOTDIR: what stands there is none). */
int newfile_folder(const char *path, mode_t mode, bool *moved);

#endif
