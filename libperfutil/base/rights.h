/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Opens paths with another user's rights. A tool run by root opens what belongs to a traced process
 * with the rights of that process, below its root, and writes for the user who called sudo with
 * that user's rights. The kernel then refuses everything that the process or user could not open
 * itself, regardless of links, mounts or renamed folders.
 *
 * Only the calling thread changes: file system ids, groups, and the capabilities that override
 * permissions. Everything else (signals, ptrace, limits) stays root's, so that other users cannot
 * reach the thread meanwhile. A process that may not change its ids keeps its own rights.
 */
#ifndef PITRACE_RIGHTS_H
#define PITRACE_RIGHTS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

#define RIGHTS_GROUPS 256 /* more groups than this are ignored */

struct rights {
	uid_t uid;
	gid_t gid;
	int ngroups;
	gid_t groups[RIGHTS_GROUPS];
	uint64_t capabilities; /* of those that override permissions */
};

/* The rights of a live process, as the kernel reports them. A process that gained rights by exec
 * (set-user-ID, set-group-ID, file capabilities) is given those of the user who executed it; one in
 * its own user namespace has no capabilities here. 0 or -errno. */
int rights_of_process(pid_t pid, struct rights *r);
/* Checks whether the process gained rights by exec. True also if that user could not read the
 * program (execute permission only), and if it cannot be determined. */
bool rights_gained(pid_t pid);
/* The rights of a user, with the groups of the system's tables. */
void rights_of_user(uid_t uid, gid_t gid, struct rights *r);

struct rights_saved {
	bool changed, regrouped, lowered;
	uid_t uid;
	gid_t gid;
	int ngroups;
	gid_t *groups;
	uint64_t capabilities;
};

/* Switches the thread to these rights (NULL: its own). 0, or -errno: nothing changed. Keep the
 * section up to rights_restore short. */
int rights_take(const struct rights *r, struct rights_saved *kept);
/* Switches back to the thread's own rights; keeps errno. */
void rights_restore(struct rights_saved *kept);

/* Opens a process's root by O_PATH; -1 on failure. */
int rights_root(pid_t pid);
/* Opens a regular file below such a root with these rights. No link may lead out of the root, and
 * the last component may not be a link. root -1: this process's own root. Returns a descriptor for
 * reading or -1. */
int rights_open_below(const struct rights *r, int root, const char *path, struct stat *st);
/* Reopens the regular file of an O_PATH descriptor with these rights; closes path_fd. */
int rights_reopen(const struct rights *r, int path_fd, struct stat *st);

#endif
