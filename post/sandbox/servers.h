/* SPDX-License-Identifier: GPL-3.0-or-later */
/* debuginfod on both sides of the sandbox: the process with a network asks, by liba2n's own
 * means. */
#ifndef POST_SERVERS_H
#define POST_SERVERS_H

#include <stddef.h>
#include <stdint.h>

#define SERVERS_ID 64 /* bytes of a build id at most */

/* Asks for a debug file. A descriptor, its name in the cache in `path`, or -errno; in `why` a
 * message for the user, or "". */
int servers_get(uint32_t seconds, const void *id, size_t n, char *path, size_t size, char *why,
		size_t room);

/* The other side: liba2n calls this function to ask; *why as above, NULL for "". */
typedef int (*servers_asker)(const void *id, size_t n, char *path, size_t size, const char **why);
void servers_by(servers_asker asker);

#endif
