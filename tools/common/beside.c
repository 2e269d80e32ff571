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
	/* libexec/pitrace/ is one level deeper than bin/; no other folder is stripped. */
	static const char deeper[] = "/libexec/pitrace";
	const size_t m = sizeof(deeper) - 1;
	char exe[PATH_MAX], near[PATH_MAX + 64];
	ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	char *slash;
	int length;

	exe[n > 0 ? n : 0] = 0;
	slash = strrchr(exe, '/');
	if (!slash)
		return false;
	*slash = 0;
	if (slash >= exe + m && !strcmp(slash - m, deeper))
		slash[-(int)strlen("/pitrace")] = 0;
	length = snprintf(near, sizeof(near), "%s/../lib/%s", exe, name);
	return length < (int)sizeof(near) && realpath(near, path);
}
