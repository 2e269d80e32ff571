/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Under sudo, the traced command runs as the user who called sudo; output files belong to the same
 * user. */
#include "caller.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "complain.h"

static bool keeps_root;

bool caller_keep_root(const struct option_given *given, void *to)
{
	(void)given, (void)to;
	keeps_root = true;
	return true;
}

/* Only digits, as sudo writes them. */
static bool id_of(const char *text, unsigned long *id)
{
	if (!text || !*text || strspn(text, "0123456789") != strlen(text) || strlen(text) > 10)
		return false;
	*id = strtoul(text, NULL, 10);
	return *id < UINT32_MAX;
}

bool caller_get(struct caller *c)
{
	const char *uid_text = getenv("SUDO_UID"), *gid_text = getenv("SUDO_GID");
	const char *name = getenv("SUDO_USER");
	unsigned long uid, gid;

	memset(c, 0, sizeof(*c));
	c->uid = (uid_t)-1;
	c->gid = (gid_t)-1;
	if (geteuid() != 0 || (!uid_text && !gid_text))
		return true;
	/* If one of the two is missing, the command must not run as root instead. */
	if (!id_of(uid_text, &uid) || !id_of(gid_text, &gid)) {
		complain(
			"SUDO_UID and SUDO_GID do not name a user: set both as sudo does, or neither");
		return false;
	}
	c->sudo = true;
	c->uid = (uid_t)uid;
	c->gid = (gid_t)gid;
	snprintf(c->name, sizeof(c->name), "%s", name ? name : "");
	return true;
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

int caller_run_as(const struct caller *c)
{
	return keeps_root ? 0 : caller_become(c);
}
