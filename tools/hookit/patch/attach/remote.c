/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Uses /proc/PID/maps, /proc/PID/mem, and the files as that process sees them, opened with its
 * rights. */
#include "remote.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/file_same.h"
#include "base/regular.h"
#include "base/rights.h"
#include "object_file.h"

#define MOST_CODE (UINT64_C(256) << 20) /* of a file; no C library is larger */

static bool add(struct remote *r, const char *line)
{
	struct remote_map m = { 0 };
	char rights[8];
	int path = 0;

	if (sscanf(line,
		   "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64 " %" SCNx32 ":%" SCNx32 " %" SCNu64 " %n",
		   &m.start, &m.end, rights, &m.offset, &m.major, &m.minor, &m.inode, &path) < 7 ||
	    !path)
		return true;
	m.code = rights[2] == 'x';
	m.path = strndup(line + path, strcspn(line + path, "\n"));
	if (!m.path || array_next(r->maps, r->n, r->room)) {
		free(m.path);
		errno = ENOMEM;
		return false;
	}
	r->maps[r->n++] = m;
	return true;
}

bool remote_open(struct remote *r, pid_t pid)
{
	char path[64], *line = NULL;
	size_t size = 0;
	bool good = true;
	FILE *f;

	*r = (struct remote){ .pid = pid };
	snprintf(path, sizeof(path), "/proc/%d/mem", (int)pid);
	r->memory = open(path, O_RDWR | O_CLOEXEC);
	if (r->memory < 0)
		return false;
	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	f = fopen(path, "re");
	while (f && good && getline(&line, &size, f) > 0)
		good = add(r, line);
	free(line);
	if (f)
		fclose(f);
	if (f && good)
		return true;
	remote_close(r);
	return false;
}

void remote_close(struct remote *r)
{
	int error = errno;

	for (size_t i = 0; i < r->n; i++)
		free(r->maps[i].path);
	free(r->maps);
	if (r->memory >= 0)
		close(r->memory);
	*r = (struct remote){ .memory = -1 };
	errno = error;
}

bool remote_ended(const struct remote *r)
{
	char first;

	return !r->n || !remote_read(r, r->maps[0].start, &first, 1);
}

const struct remote_map *remote_file(const struct remote *r, const char *path, const char *name)
{
	for (size_t i = 0; i < r->n; i++) {
		const char *own = strrchr(r->maps[i].path, '/');

		if (own &&
		    (path ? !strcmp(r->maps[i].path, path) : !strncmp(own + 1, name, strlen(name))))
			return &r->maps[i];
	}
	return NULL;
}

const struct remote_map *remote_at(const struct remote *r, uint64_t address)
{
	for (size_t i = 0; i < r->n; i++) {
		if (address >= r->maps[i].start && address < r->maps[i].end)
			return &r->maps[i];
	}
	return NULL;
}

/* The lowest address in a file, that of its first mapping. */
static uint64_t first_address(const struct object_file *o)
{
	for (unsigned int i = 0; i < o->header.e_phnum; i++) {
		if (o->segments[i].p_type == PT_LOAD)
			return o->segments[i].p_vaddr & ~UINT64_C(4095);
	}
	return 0;
}

static bool is_mapped(const struct remote_map *m, int fd, const struct stat *st)
{
	const struct file_identity mapped = { .inode = m->inode,
					      .major = m->major,
					      .minor = m->minor };

	return fd >= 0 && file_same(&mapped, fd, st) != FILE_OTHER;
}

/* Opens the mapped file itself, whatever the process has put in its place, and nothing that the
 * process could not open itself, nor anything but a regular file. */
static int open_mapped(const struct remote *r, const struct remote_map *m)
{
	struct rights its;
	struct stat st;
	char path[96];
	int fd, root;

	if (rights_of_process(r->pid, &its))
		return -1;
	snprintf(path, sizeof(path), "/proc/%d/map_files/%" PRIx64 "-%" PRIx64, (int)r->pid,
		 m->start, m->end);
	fd = rights_reopen(&its, open(path, REGULAR_HOLD), &st);
	if (is_mapped(m, fd, &st))
		return fd;
	if (fd >= 0)
		close(fd);
	root = rights_root(r->pid);
	if (root < 0)
		return -1;
	fd = rights_open_below(&its, root, m->path, &st);
	close(root);
	if (is_mapped(m, fd, &st))
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

uint64_t remote_function(const struct remote *r, const struct remote_map *file, const char *name)
{
	struct patch_fault fault = { 0 };
	struct object_file o;
	uint64_t found = 0;
	int fd = open_mapped(r, file);

	if (fd < 0)
		return 0;
	if (object_file_open(&o, fd, &fault)) {
		object_file_functions(&o, &fault);
		for (size_t i = 0; i < o.n_functions && !found; i++) {
			if (!strcmp(o.functions[i].name, name))
				found = file->start + o.functions[i].address - first_address(&o);
		}
		object_file_close(&o);
	}
	close(fd);
	return found;
}

uint64_t remote_code(const struct remote *r, const struct remote_map *file, const void *bytes,
		     size_t n)
{
	for (size_t i = 0; i < r->n; i++) {
		const struct remote_map *m = &r->maps[i];
		size_t size = m->end - m->start;
		const uint8_t *at;
		uint8_t *copy;
		uint64_t found = 0;

		if (!m->code || size > MOST_CODE || strcmp(m->path, file->path) != 0)
			continue;
		copy = malloc(size);
		if (copy && remote_read(r, m->start, copy, size)) {
			at = memmem(copy, size, bytes, n);
			found = at ? m->start + (uint64_t)(at - copy) : 0;
		}
		free(copy);
		if (found)
			return found;
	}
	return 0;
}

bool remote_read(const struct remote *r, uint64_t at, void *to, size_t n)
{
	return pread(r->memory, to, n, (off_t)at) == (ssize_t)n;
}

bool remote_write(const struct remote *r, uint64_t at, const void *from, size_t n)
{
	return pwrite(r->memory, from, n, (off_t)at) == (ssize_t)n;
}
