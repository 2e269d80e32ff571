/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Determines the owner of a hook file, by the kernel and not by the file's name. A process that
 * creates its file sends the name to a socket in the folder, and the kernel adds the sender's
 * credentials, which hold even if it exits first. A file without an announcement (of a program
 * linked with an older library) belongs to the process in its name while that process lives,
 * belongs to the user and is not younger than the file.
 */
#ifndef PITRACE_HOOKFILE_OWNER_H
#define PITRACE_HOOKFILE_OWNER_H

#include <stdbool.h>
#include <sys/stat.h>
#include <sys/types.h>
#include "hook/hookfile.h"

#define HOOKFILE_NAME 32

/* Creates the socket as this user in a private folder. Returns a descriptor or -errno. */
int hookfile_socket(int folder, uid_t user);
/* Receives the next announcement. False: none. The name is not trusted, pid and uid are the
 * kernel's. */
bool hookfile_announced(int socket, char name[HOOKFILE_NAME], pid_t *pid, uid_t *uid);
/* Checks that this is a live process of this user that started before the file was created. */
bool hookfile_of_process(pid_t pid, uid_t user, const struct stat *file);

#endif
