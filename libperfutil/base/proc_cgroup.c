/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/proc_cgroup.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <linux/magic.h>

#include "base/proc_lines.h"
#include "base/proc_text.h"

struct found_cgroup {
	char *path;
	size_t room, length;
	int unified;
};

/* Keeps the longest path. */
static bool take_line(void *arg, const char *line, size_t length)
{
	struct found_cgroup *f = arg;
	struct proc_cgroup_line c;
	size_t n;

	if (!proc_cgroup_parse(line, length, &c))
		return true;
	n = c.path_len < f->room ? c.path_len : f->room - 1;
	if (n <= f->length)
		return true;
	memcpy(f->path, c.path, n);
	f->path[n] = '\0';
	f->length = n;
	f->unified = c.unified;
	return true;
}

size_t proc_cgroup(uint32_t pid, char *path, size_t room, int *unified)
{
	struct found_cgroup f = { .path = path, .room = room };
	char name[64];

	*path = '\0';
	snprintf(name, sizeof(name), "/proc/%u/cgroup", pid);
	if (proc_lines(name, take_line, &f))
		f.length = 0;
	*unified = f.unified;
	return f.length;
}

uint64_t proc_cgroup_id(const char *path)
{
	static const char *const roots[] = { "/sys/fs/cgroup", "/sys/fs/cgroup/unified" };
	char name[PROC_CGROUP_ROOM + 32];
	struct statfs fs;
	struct stat st;

	/* Above the root of this process's cgroup namespace. */
	if (!strncmp(path, "/..", 3))
		return 0;
	for (size_t i = 0; i < sizeof(roots) / sizeof(roots[0]); i++) {
		snprintf(name, sizeof(name), "%s%s", roots[i], path);
		if (!statfs(name, &fs) && fs.f_type == CGROUP2_SUPER_MAGIC && !stat(name, &st))
			return st.st_ino;
	}
	return 0;
}
