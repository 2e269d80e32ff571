/* SPDX-License-Identifier: GPL-3.0-or-later */
/* debuginfod on both sides of the sandbox: the process with network access queries the servers
 * through liba2n. */
#ifndef POST_SERVERS_H
#define POST_SERVERS_H

#include <stddef.h>
#include <stdint.h>

#define SERVERS_ID 64 /* maximum bytes of a build id */

/* Fetches a debug file. Returns a descriptor or -errno, and its name in the cache in `path`. `why`:
 * a message for the user, or "". */
int servers_get(uint32_t seconds, const void *id, size_t n, char *path, size_t size, char *why,
		size_t room);

/* The sandboxed side: liba2n calls this function to fetch a file; *why as above, NULL for "". */
typedef int (*servers_asker)(const void *id, size_t n, char *path, size_t size, const char **why);
void servers_by(servers_asker asker);

#endif
