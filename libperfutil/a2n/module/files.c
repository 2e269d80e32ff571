/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Searches for files. Names come from untrusted traces: only regular files of a reasonable size are
 * opened, without blocking, and no name leads out of a folder of sympath.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "a2n/module/files.h"
#include "a2n/module/kept_files.h"
#include "base/regular.h"

#define MAX_FILE (4ull << 30)

int roots_open(struct roots *roots, const char *sympath)
{
	const char *p = sympath ? sympath : "";
	uint32_t n = 2;

	for (; *p; p++)
		n += *p == ':';
	roots->root = calloc(n, sizeof(*roots->root));
	if (!roots->root)
		return -ENOMEM;
	for (p = sympath ? sympath : ""; *p;) {
		size_t length = strcspn(p, ":"), keep = length;

		while (keep && p[keep - 1] == '/')
			keep--;
		/* "/" itself is always the last. */
		if (keep) {
			roots->root[roots->n] = strndup(p, keep);
			if (!roots->root[roots->n++])
				return -ENOMEM;
		}
		p += length + (p[length] == ':');
	}
	roots->root[roots->n] = strdup("");
	return roots->root[roots->n++] ? 0 : -ENOMEM;
}

void roots_close(struct roots *roots)
{
	uint32_t i;

	for (i = 0; roots->root && i < roots->n; i++)
		free(roots->root[i]);
	free(roots->root);
	debuginfod_close(roots->servers);
	*roots = (struct roots){ 0 };
}

int file_open_regular(const char *path, struct stat *st, const char **why)
{
	int fd = regular_open(path, 0, st);

	if (fd < 0) {
		*why = errno == ENOENT || errno == ENOTDIR ? "no such file" :
		       errno == EINVAL                     ? "not a regular file" :
							     "cannot be read";
		return -1;
	}
	*why = "larger than 4 GB";
	if ((uint64_t)st->st_size <= MAX_FILE)
		return fd;
	close(fd);
	return -1;
}

static bool climbs(const char *path)
{
	const char *p = path;

	while ((p = strstr(p, "..")) != NULL) {
		if ((p == path || p[-1] == '/') && (!p[2] || p[2] == '/'))
			return true;
		p += 2;
	}
	return false;
}

bool files_candidates(const struct roots *roots, const char *path, file_taker take, void *arg,
		      const char **why)
{
	const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
	char file[PATH_MAX];
	uint32_t i, bare;

	*why = "not a file";
	if (path[0] != '/')
		return false;
	*why = "no such file";
	for (i = 0; i < roots->n; i++) {
		bool live = i + 1 == roots->n;

		if (!live && climbs(path))
			continue;
		for (bare = 0; bare < (live ? 1 : 2); bare++) {
			const char *reason;
			struct stat st;
			int fd;

			if (snprintf(file, sizeof(file), "%s%s%s", roots->root[i], bare ? "/" : "",
				     bare ? name : path) >= (int)sizeof(file))
				continue;
			fd = file_open_regular(file, &st, &reason);
			if (fd < 0) {
				if (live)
					*why = reason;
				continue;
			}
			if (take(arg, file, fd, &st, live))
				return true;
		}
	}
	return false;
}

/* CRC-32 as in zlib and .gnu_debuglink. */
static uint32_t table[256];
static pthread_once_t table_once = PTHREAD_ONCE_INIT;

static void table_fill(void)
{
	for (uint32_t i = 0; i < 256; i++) {
		uint32_t v = i;

		for (int k = 0; k < 8; k++)
			v = v & 1 ? v >> 1 ^ 0xedb88320u : v >> 1;
		table[i] = v;
	}
}

static bool file_crc(int fd, uint32_t *crc)
{
	uint8_t buffer[65536];
	uint32_t c = ~0u;
	off_t at = 0;
	ssize_t n;
	int i;

	pthread_once(&table_once, table_fill);
	while ((n = pread(fd, buffer, sizeof(buffer), at)) > 0) {
		for (i = 0; i < n; i++)
			c = table[(c ^ buffer[i]) & 0xff] ^ c >> 8;
		at += n;
	}
	*crc = ~c;
	return n == 0;
}

struct wanted_file {
	const struct build_id *id; /* NULL: by CRC */
	uint32_t crc;
	bool any; /* any ELF type, not only programs and libraries */
	struct elf_file *debug;
};

static bool try_debug(const struct wanted_file *w, const char *file)
{
	struct build_id id;
	const char *why;
	struct stat st;
	uint32_t crc;
	int fd = file_open_regular(file, &st, &why);

	if (fd < 0)
		return false;
	if (!w->id && (!file_crc(fd, &crc) || crc != w->crc)) {
		close(fd);
		return false;
	}
	if (w->any ? elf_file_open_any(w->debug, fd) : elf_file_open(w->debug, fd))
		return false;
	if (w->id) {
		elf_file_build_id(w->debug, &id);
		if (!same_build_id(&id, w->id)) {
			elf_file_close(w->debug);
			return false;
		}
	}
	return true;
}

static bool by_build_id(const struct roots *roots, struct wanted_file *w, char *found, size_t size)
{
	static const char *const folders[] = { "/usr/lib/debug/.build-id", "/.build-id" };
	char hex[2 * BUILD_ID_MAX + 1];
	uint32_t i, k;

	for (i = 0; i < w->id->size; i++)
		snprintf(hex + 2 * i, 3, "%02x", w->id->id[i]);
	for (i = 0; i < roots->n; i++)
		for (k = 0; k < 2; k++) {
			if (k && i + 1 == roots->n)
				continue;
			if (snprintf(found, size, "%s%s/%.2s/%s.debug", roots->root[i], folders[k],
				     hex, hex + 2) < (int)size &&
			    try_debug(w, found))
				return true;
		}
	for (i = 0; kept_path(KEPT_DEBUG, w->id, i, found, size); i++) {
		if (try_debug(w, found))
			return true;
	}
	return false;
}

static bool by_link(const struct roots *roots, const char *path, const char *name,
		    const struct wanted_file *w, char *found, size_t size)
{
	int folder = (int)(strrchr(path, '/') ? strrchr(path, '/') - path : 0);
	uint32_t i;

	for (i = 0; i < roots->n; i++) {
		const char *root = roots->root[i];

		if (root[0] && climbs(path))
			continue;
		if (snprintf(found, size, "%s%.*s/%s", root, folder, path, name) < (int)size &&
		    try_debug(w, found))
			return true;
		if (snprintf(found, size, "%s%.*s/.debug/%s", root, folder, path, name) <
			    (int)size &&
		    try_debug(w, found))
			return true;
		if (snprintf(found, size, "%s/usr/lib/debug%.*s/%s", root, folder, path, name) <
			    (int)size &&
		    try_debug(w, found))
			return true;
		if (root[0] && snprintf(found, size, "%s/%s", root, name) < (int)size &&
		    try_debug(w, found))
			return true;
	}
	return false;
}

/* Servers are not trusted: the build id decides here too. */
static bool from_server(const struct roots *roots, const struct build_id *id,
			struct elf_file *debug, char *found, size_t size)
{
	int fd = debuginfod_get(roots->servers, id, found, size);
	struct build_id have;

	if (fd < 0 || elf_file_open(debug, fd))
		return false;
	elf_file_build_id(debug, &have);
	if (same_build_id(&have, id))
		return true;
	elf_file_close(debug);
	return false;
}

bool files_debug(const struct roots *roots, const char *path, const struct build_id *id,
		 struct elf_file *f, struct elf_file *debug, char *found, size_t size)
{
	struct wanted_file w = { .id = id, .debug = debug };
	char name[NAME_MAX + 1];

	if (roots->no_debug_files)
		return false;
	if (id->size >= 2 && by_build_id(roots, &w, found, size))
		return true;
	if (f) {
		w.id = NULL;
		elf_file_debuglink(f, name, sizeof(name), &w.crc);
		/* "." and ".." are folders, so opening them as files fails. */
		if (name[0] && by_link(roots, path, name, &w, found, size))
			return true;
	}
	return roots->servers && from_server(roots, id, debug, found, size);
}

/* Returns the folder of a file, with the slash; "" if its name has none. */
static int folder_of(const char *file)
{
	return (int)(strrchr(file, '/') ? strrchr(file, '/') + 1 - file : 0);
}

bool files_shared(const struct roots *roots, const char *near, const char *name,
		  const struct build_id *id, struct elf_file *f, char *found, size_t size)
{
	struct wanted_file w = { .id = id, .any = true, .debug = f };
	bool whole = name[0] == '/';
	uint32_t i;

	if (id->size >= 2 && by_build_id(roots, &w, found, size))
		return true;
	if (!whole)
		return snprintf(found, size, "%.*s%s", folder_of(near), near, name) < (int)size &&
		       try_debug(&w, found);
	for (i = 0; i < roots->n; i++)
		if ((i + 1 == roots->n || !climbs(name)) &&
		    snprintf(found, size, "%s%s", roots->root[i], name) < (int)size &&
		    try_debug(&w, found))
			return true;
	return false;
}

bool files_split(const struct roots *roots, const char *near, const char *folder, const char *name,
		 file_taker take, void *arg)
{
	const char *bare = strrchr(name, '/') ? strrchr(name, '/') + 1 : name, *why;
	bool whole = name[0] == '/' || folder[0] == '/';
	char path[PATH_MAX];
	struct stat st;
	int fd;

	if (name[0] == '/')
		folder = "";
	/* Relative names are relative to the compilation folder. */
	if (snprintf(path, sizeof(path), "%.*s%s%s%s", whole ? 0 : folder_of(near), near, folder,
		     *folder ? "/" : "", name) < (int)sizeof(path) &&
	    files_candidates(roots, path, take, arg, &why))
		return true;
	if (snprintf(path, sizeof(path), "%.*s%s", folder_of(near), near, bare) >=
	    (int)sizeof(path))
		return false;
	fd = file_open_regular(path, &st, &why);
	return fd >= 0 && take(arg, path, fd, &st, true);
}
