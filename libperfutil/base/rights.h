/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * With whose rights a path is walked. A tool that root runs opens what belongs to a traced process
 * with that process's rights, below that process's root, and writes for the user who called sudo
 * with that user's: what they could not open themselves is refused by the kernel, whatever links,
 * mounts or exchanged folders they made.
 *
 * It is a matter of the calling thread: ids for files (fsuid, fsgid), groups, and the capabilities
 * that overrule permissions. All else (signals, ptrace, limits) stays root's, so that nobody else
 * reaches the thread meanwhile. Who may not change them has no rights to take off: nothing happens.
 */
#ifndef PITRACE_RIGHTS_H
#define PITRACE_RIGHTS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

#define RIGHTS_GROUPS	256	/* of a user with more the rest count as not there */

struct rights {
	uid_t uid;
	gid_t gid;
	int ngroups;
	gid_t groups[RIGHTS_GROUPS];
	uint64_t capabilities;	/* of those that overrule permissions */
};

/* A process's, while it lives, as the kernel tells them. One that gained others by what it executes
 * (set-user-ID, set-group-ID, file capabilities) counts with those of the user who called it; one
 * in a user namespace of its own has no capabilities here. 0 or -errno. */
int rights_of_process(pid_t pid, struct rights *r);
/* Does it have other or more rights than the user who called it, by what it executes? Also where
 * that user could not read it (then it may be executed alone), or it cannot be told. */
bool rights_gained(pid_t pid);
/* A user's, with the groups that the system's tables give. */
void rights_of_user(uid_t uid, gid_t gid, struct rights *r);

struct rights_saved {
	bool changed, regrouped, lowered;
	uid_t uid;
	gid_t gid;
	int ngroups;
	gid_t *groups;
	uint64_t capabilities;
};

/* From here on the thread opens with these rights (NULL: its own). 0, or -errno: it has its own.
 * What comes between is short. */
int rights_take(const struct rights *r, struct rights_saved *kept);
/* Its own again; errno stays. */
void rights_restore(struct rights_saved *kept);

/* A process's root, to look below: an O_PATH descriptor or -1. */
int rights_root(pid_t pid);
/* With these rights: a regular file below such a root, from which no link leads out; the last part
 * of the path is no link itself. root -1: from our own root on. A descriptor for reading or -1. */
int rights_open_below(const struct rights *r, int root, const char *path, struct stat *st);
/* With these rights: the regular file that O_PATH took hold of, which is closed. */
int rights_reopen(const struct rights *r, int path_fd, struct stat *st);

#endif
