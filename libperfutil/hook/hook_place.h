/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Where a program's records go without the module: the page that says who listens, mapped for good,
 * and the folder for the program's file. The page is the control file (hookfile.h) of the folder
 * that the environment names; else a file SOCKET.listen beside the socket of this user's session
 * (SOCKET.hooks is its folder), which stays from session to session. A program whose call comes
 * before the first session creates it: the session that begins then is seen in the page, without a
 * system call.
 *
 * A page may be written by anybody with this user's rights: what it says is checked before use. All
 * functions may be called in signal handlers.
 */
#ifndef PITRACE_HOOK_PLACE_H
#define PITRACE_HOOK_PLACE_H

#include <limits.h>
#include "hook/hook_door.h"
#include "hook/hookfile.h"

struct hook_place {
	const struct hookfile_control *page;
	const struct hook_door_page *door; /* NULL: none */
	uid_t owner;                       /* who found it */
	char folder[PATH_MAX];
};

/* Found when the library was loaded (hook_early.c), where that is linked; it is kept then. */
struct hook_place *hook_early(void) __attribute__((weak));

/* NULL: there is none, and none can be made. */
struct hook_place *hook_place_find(void);
/* Of one that nobody else has seen. */
void hook_place_free(struct hook_place *place);
/* … and removes its pages, where there is no session and nobody else has them. */
void hook_place_leave(struct hook_place *place);

/* Writes the path of this user's control socket. False: too long. */
bool hook_place_socket(char *path, size_t room);

#define HOOK_LISTEN ".listen"
#define HOOK_HOOKS  ".hooks"
/* Opens the page of that path, created if missing, for reading or (write) writing. Only a regular
 * file of this user's (or, for reading, root's) that nobody else can write. A descriptor or -errno.
 */
int hook_page_open(const char *path, bool write);
/* … the door's, which nobody else can read. */
int hook_door_page_open(const char *path, bool write);
/* Removes a page that no program has mapped; closes fd. */
void hook_page_remove(const char *path, int fd);

#endif
