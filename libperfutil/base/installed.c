/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds the file from which this code is mapped: its full current path. */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include "base/installed.h"
#include "base/proc_lines.h"
#include "base/proc_text.h"

struct installed_search {
	uint64_t address;
	char folder[PATH_MAX]; /* with a trailing slash; "": not found */
};

/* Programs of make install PAPER_NAMES=no are one folder deeper than those in bin/. This applies to
 * no other folder: above one, files of other users could be found. */
static void leave_libexec(char *folder)
{
	static const char deeper[] = "/libexec/pitrace/";
	size_t n = strlen(folder), m = sizeof(deeper) - 1;

	if (n >= m && !strcmp(folder + n - m, deeper))
		folder[n - strlen("pitrace/")] = 0;
}

static bool look_at(void *arg, const char *text, size_t length)
{
	struct installed_search *s = arg;
	struct proc_map map;
	const char *slash;

	if (!proc_map_parse(text, length, &map) || s->address < map.start || s->address >= map.end)
		return true;
	slash = memrchr(map.path, '/', map.path_len);
	if (slash && *map.path == '/')
		snprintf(s->folder, sizeof(s->folder), "%.*s", (int)(slash + 1 - map.path),
			 map.path);
	return false;
}

bool installed_near(const char *const near[], char path[PATH_MAX])
{
	struct installed_search s = { .address = (uintptr_t)installed_near };
	char name[2 * PATH_MAX];

	int err = getauxval(AT_SECURE) ? -EPERM : proc_lines("/proc/self/maps", look_at, &s);

	if (err || !*s.folder) {
		errno = err ? -err : ENOENT;
		return false;
	}
	leave_libexec(s.folder);
	for (; *near; near++) {
		snprintf(name, sizeof(name), "%s%s", s.folder, *near);
		if (realpath(name, path))
			return true;
	}
	return false;
}
