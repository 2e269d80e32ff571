/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "beside.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool program_beside(const char *name, char *path, size_t room)
{
	ssize_t n = readlink("/proc/self/exe", path, room);
	char *slash;

	if (n <= 0 || (size_t)n + strlen(name) + 1 >= room)
		return false;
	path[n] = 0;
	slash = strrchr(path, '/');
	strcpy(slash + 1, name);
	return !access(path, X_OK);
}

bool library_beside(const char *name, char path[PATH_MAX])
{
	/* From bin/; libexec/pitrace/ is a folder deeper. */
	static const char *const lib[] = { "../lib", "../../lib", NULL };
	char exe[PATH_MAX], near[PATH_MAX + 64];
	ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	const char *slash;

	exe[n > 0 ? n : 0] = 0;
	slash = strrchr(exe, '/');
	for (size_t i = 0; slash && lib[i]; i++) {
		int length = snprintf(near, sizeof(near), "%.*s/%s/%s", (int)(slash - exe), exe,
				      lib[i], name);

		if (length < (int)sizeof(near) && realpath(near, path))
			return true;
	}
	return false;
}
