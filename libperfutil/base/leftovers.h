/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a killed process leaves behind in folders that many share: folders of its files, and
 * sockets. A folder's maker holds a lock on it (flock) for as long as it lives; whoever finds a
 * folder without one removes it. Only names of the given beginning are looked at, only what
 * belongs to this user or to `also`, nothing is followed, and a folder in a folder stays.
 */
#ifndef PITRACE_LEFTOVERS_H
#define PITRACE_LEFTOVERS_H

#include <stdbool.h>
#include <sys/types.h>

/* Takes the lock on a folder that was just made and opened for reading; it ends with the
 * descriptor. False: the folder was taken for a leftover meanwhile, and another one must be made.
 * Where locks are not to be had the folder stays behind if its maker is killed. */
bool leftovers_claim(int folder);
/* Removes folders below base whose names begin with prefix and that nobody claims any more. also:
 * (uid_t)-1: nobody else. */
void leftovers_remove_folders(const char *base, const char *prefix, uid_t also);
/* Removes sockets PREFIXpid.sock in the folder whose process is gone, and where nobody listens, and
 * files PREFIXpid.sock.* of them. */
void leftovers_remove_sockets(const char *folder, const char *prefix, uid_t also);

#endif
