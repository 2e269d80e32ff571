/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Under sudo the traced command runs as who called it, and the files are theirs. */
#include "caller.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool id_of(const char *name, unsigned long *id)
{
	const char *text = getenv(name);
	char *end;

	if (!text || !*text)
		return false;
	errno = 0;
	*id = strtoul(text, &end, 10);
	return !*end && !errno && *id < UINT32_MAX;
}

void caller_get(struct caller *c)
{
	unsigned long uid, gid;
	const char *name = getenv("SUDO_USER");

	memset(c, 0, sizeof(*c));
	c->uid = (uid_t)-1;
	c->gid = (gid_t)-1;
	if (geteuid() != 0 || !id_of("SUDO_UID", &uid) || !id_of("SUDO_GID", &gid))
		return;
	c->sudo = true;
	c->uid = (uid_t)uid;
	c->gid = (gid_t)gid;
	snprintf(c->name, sizeof(c->name), "%s", name ? name : "");
}

int caller_become(const struct caller *c)
{
	struct passwd *pw;

	if (!c->sudo)
		return 0;
	pw = getpwuid(c->uid);
	if (pw ? initgroups(pw->pw_name, c->gid) : setgroups(1, &c->gid))
		return -errno;
	if (setgid(c->gid) || setuid(c->uid))
		return -errno;
	if (pw) {
		setenv("HOME", pw->pw_dir, 1);
		setenv("USER", pw->pw_name, 1);
		setenv("LOGNAME", pw->pw_name, 1);
	}
	return 0;
}
