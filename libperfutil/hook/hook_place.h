/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Where a program's records go without the module: the page that shows which majors are recorded,
 * mapped permanently, and the folder for the program's file. The page is the control file
 * (hookfile.h) of the folder that the environment names; else a file SOCKET.listen beside the
 * socket of this user's session (SOCKET.hooks is its folder), which stays from session to session.
 * A program whose call comes before the first session creates it: a session that begins later is
 * then visible in the page, without a system call.
 *
 * Any process with this user's rights can write a page: its content is checked before use. All
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
	uid_t owner;                       /* the user that found it */
	char folder[PATH_MAX];
};

/* Found when the library was loaded (hook_early.c), if that file is linked; kept from then on. */
struct hook_place *hook_early(void) __attribute__((weak));

/* NULL: there is none, and none can be created. */
struct hook_place *hook_place_find(void);
/* Frees a place that no other thread has seen. */
void hook_place_free(struct hook_place *place);
/* … and removes its pages, if no session is on and no other program uses them. */
void hook_place_leave(struct hook_place *place);

/* Writes the path of this user's control socket. False: too long. */
bool hook_place_socket(char *path, size_t room);

#define HOOK_LISTEN ".listen"
#define HOOK_HOOKS  ".hooks"
/* Opens the page at that path, created if missing, for reading or (write) writing. Accepts only a
 * regular file of this user (or, for reading, of root) that nobody else can write. Returns a
 * descriptor or -errno. */
int hook_page_open(const char *path, bool write);
/* … that of the door, which nobody else can read. */
int hook_door_page_open(const char *path, bool write);
/* Removes a page that no program has mapped; closes fd. */
void hook_page_remove(const char *path, int fd);

#endif
