/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Translates a path: by the process's root, if it is a folder visible here; else by mounts: finds a
 * mount of this process that shows the same part of the file system. A result is used only if it is
 * the very same file.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "image/mapped_place.h"
#include "base/proc_lines.h"
#include "base/proc_text.h"
#include "base/rights.h"

#define MOUNTS_MAX 65536

static bool is_there(const struct rights *r, const char *path, const struct stat *st)
{
	struct stat found;
	int fd = rights_open_below(r, -1, path, &found);

	if (fd < 0)
		return false;
	close(fd);
	return found.st_ino == st->st_ino && found.st_dev == st->st_dev;
}

/* Returns the rest of a path below a folder, with its slash; NULL: it is not below. */
static const char *below(const char *path, const char *folder)
{
	size_t n = strlen(folder);

	if (n == 1 && *folder == '/')
		return path;
	return !strncmp(path, folder, n) && (path[n] == '/' || !path[n]) ? path + n : NULL;
}

struct mount {
	uint32_t major, minor;
	char root[PATH_MAX], point[PATH_MAX];
};

static bool take_mount(const char *line, size_t length, struct mount *to)
{
	struct proc_mount m;

	length -= length && line[length - 1] == '\n';
	if (!proc_mount_parse(line, length, &m))
		return false;
	to->major = m.dev_major;
	to->minor = m.dev_minor;
	return proc_unescape(m.root, m.root_len, to->root, sizeof(to->root)) &&
	       proc_unescape(m.point, m.point_len, to->point, sizeof(to->point));
}

static const char *no_slash(const char *folder)
{
	return strcmp(folder, "/") ? folder : "";
}

struct place_search {
	const struct pitrace_mte_map *map;
	const struct rights *rights;
	const struct stat *st;
	struct mount theirs, m;
	bool found;
	int left;                  /* maximum lines */
	char inside[2 * PATH_MAX]; /* the file's path in its file system */
	char *place;
	size_t size;
};

/* Finds the mount that contains the process's path: the longest one, and the last of several. */
static bool match_theirs(void *arg, const char *line, size_t length)
{
	struct place_search *s = arg;

	if (take_mount(line, length, &s->m) && below(s->map->path, s->m.point) &&
	    (!s->found || strlen(s->m.point) >= strlen(s->theirs.point))) {
		s->found = true;
		s->theirs = s->m;
	}
	return --s->left > 0;
}

static bool match_ours(void *arg, const char *line, size_t length)
{
	struct place_search *s = arg;
	const char *rest;

	if (!take_mount(line, length, &s->m) || s->m.major != s->theirs.major ||
	    s->m.minor != s->theirs.minor)
		return --s->left > 0;
	rest = below(s->inside, s->m.root);
	s->found = rest &&
		   snprintf(s->place, s->size, "%s%s", no_slash(s->m.point), rest) < (int)s->size &&
		   is_there(s->rights, s->place, s->st);
	return !s->found && --s->left > 0;
}

static bool by_mounts(const struct rights *r, const struct pitrace_mte_map *map,
		      const struct stat *st, char *place, size_t size)
{
	struct place_search *s = calloc(1, sizeof(*s));
	char name[64];
	bool found;

	if (!s)
		return false;
	*s = (struct place_search){ .map = map,
				    .rights = r,
				    .st = st,
				    .left = MOUNTS_MAX,
				    .place = place,
				    .size = size };
	snprintf(name, sizeof(name), "/proc/%u/mountinfo", map->pid);
	proc_lines(name, match_theirs, s);
	if (s->found) {
		snprintf(s->inside, sizeof(s->inside), "%s%s", no_slash(s->theirs.root),
			 below(map->path, s->theirs.point));
		s->found = false;
		s->left = MOUNTS_MAX;
		proc_lines("/proc/self/mountinfo", match_ours, s);
	}
	found = s->found;
	free(s);
	return found;
}

bool mapped_place(const struct pitrace_mte_map *map, const struct stat *st, char *place,
		  size_t size)
{
	char name[64], root[PATH_MAX];
	struct rights theirs;
	ssize_t n;

	if (rights_of_process((pid_t)map->pid, &theirs) || is_there(&theirs, map->path, st))
		return false;
	snprintf(name, sizeof(name), "/proc/%u/root", map->pid);
	n = readlink(name, root, sizeof(root));
	if (n > 1 && (size_t)n < sizeof(root)) {
		root[n] = '\0';
		if (snprintf(place, size, "%s%s", root, map->path) < (int)size &&
		    is_there(&theirs, place, st))
			return true;
	}
	return by_mounts(&theirs, map, st, place, size);
}
