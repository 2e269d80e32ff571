/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The user who called sudo, if any: commands are run as that user. */
#ifndef COMMON_CALLER_H
#define COMMON_CALLER_H

#include <stdbool.h>
#include <sys/types.h>

#include "option_table.h"

struct caller {
	bool sudo;
	uid_t uid;
	gid_t gid;
	char name[64];
};
/* Returns false after a message if the environment has only one of SUDO_UID and SUDO_GID, or if one
 * of them is malformed. */
bool caller_get(struct caller *c);
/* Becomes that user for good (called in a child, before exec). Returns 0 or -errno. */
int caller_become(const struct caller *c);
/* Does the same for the user's command, unless --root was given. */
int caller_run_as(const struct caller *c);

/* The row of --root, for the sub-commands that run a command. */
option_store caller_keep_root;
#define CALLER_ROOT_ROW(which)                                                             \
	{                                                                                  \
		{ "--root" }, NULL,                                                        \
			"under sudo the command runs as root (default: as sudo's caller)", \
			.store = caller_keep_root, .commands = (which)                     \
	}

#endif
