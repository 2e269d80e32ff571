/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Whose a hook file is: the kernel's word, not the file's name. A process that has made its file
 * sends the name to a socket in the folder, and the kernel adds who it is: that holds also when it
 * is gone before anybody looks. A file that nobody announced (of a program linked with an older
 * library) counts as its name says while that process lives, is the user's and not younger than the
 * file.
 */
#ifndef PITRACE_HOOKFILE_OWNER_H
#define PITRACE_HOOKFILE_OWNER_H

#include <stdbool.h>
#include <sys/stat.h>
#include <sys/types.h>
#include "hook/hookfile.h"

#define HOOKFILE_NAME	32

/* The socket, made as this user in a folder that nobody else may enter: a descriptor or -errno. */
int hookfile_socket(int folder, uid_t user);
/* What was sent next. False: nothing. The name may be anything, the rest is so. */
bool hookfile_announced(int socket, char name[HOOKFILE_NAME], pid_t *pid, uid_t *uid);
/* Is that a living process of this user's, which was there when the file was? */
bool hookfile_of_process(pid_t pid, uid_t user, const struct stat *file);

#endif
