/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Removes what a killed process left behind in shared folders: folders of its files, and sockets. A
 * folder's creator holds a lock on it (flock) while it lives; a folder without a lock can be
 * removed. Only names with the given prefix are considered, and only files of this user or of
 * `also`; links are not followed, and a folder inside a folder stays.
 */
#ifndef PITRACE_LEFTOVERS_H
#define PITRACE_LEFTOVERS_H

#include <stdbool.h>
#include <sys/types.h>

/* Creates a folder, as mkdtemp does with `path`, and takes the lock on it; closing the descriptor
 * releases it. Another program may take the folder for a leftover before it is locked: then another
 * one is created. Where locks are unavailable the folder stays behind if its creator is killed.
 * Returns a descriptor for reading, or -errno. */
int leftovers_make_folder(char *path);
/* Takes the lock on an open folder. False: it was removed meanwhile. */
bool leftovers_claim(int folder);
/* Removes folders below base whose names begin with prefix and that are not locked. also:
 * (uid_t)-1: nobody else. */
void leftovers_remove_folders(const char *base, const char *prefix, uid_t also);
/* Removes sockets PREFIXpid.sock in the folder whose process has ended and on which nobody listens,
 * and their files PREFIXpid.sock.*. */
void leftovers_remove_sockets(const char *folder, const char *prefix, uid_t also);

#endif
