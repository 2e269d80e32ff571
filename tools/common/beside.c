/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "beside.h"

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
