/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A file will not be found by its path if its process has another root, as in a container, or if
 * another file or none has this path now. Services with mounts of their own mostly use the system's
 * files, which are not copied.
 */
#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/keys.h"
#include "file/record_walk.h"
#include "image/file_copies.h"
#include "image/mapped_file.h"

#define FILES_MAX 65536

struct seen_file {
	uint64_t inode;
	uint32_t major, minor, generation;
};

struct file_copies {
	struct seen_file *file;
	uint32_t n, room;
	struct keys by_file;
	struct stat root; /* this process's */
	bool has_root;
	uint64_t bytes, most; /* written so far, and the limit */
	const struct rights *user;

	/* The process of the last mapping: */
	uint32_t pid;
	bool other_root;
};

struct file_copies *file_copies_new(uint64_t most, const struct rights *user)
{
	struct file_copies *c = calloc(1, sizeof(*c));

	if (c) {
		c->has_root = !stat("/", &c->root);
		c->most = most;
		c->user = user;
	}
	return c;
}

void file_copies_free(struct file_copies *c)
{
	if (!c)
		return;
	free(c->file);
	keys_free(&c->by_file);
	free(c);
}

/* Returns whether a process has another root; false if it has exited, or may not be looked at. */
static bool has_other_root(struct file_copies *c, uint32_t pid)
{
	char name[64];
	struct stat st;

	if (c->pid == pid)
		return c->other_root;
	snprintf(name, sizeof(name), "/proc/%u/root", pid);
	c->pid = pid;
	c->other_root = c->has_root && !stat(name, &st) &&
			(st.st_dev != c->root.st_dev || st.st_ino != c->root.st_ino);
	return c->other_root;
}

/* Returns whether the opened file has this path. */
static bool is_here(const char *path, const struct stat *opened)
{
	struct stat st;

	return !fstatat(-1, path, &st, AT_NO_AUTOMOUNT | AT_SYMLINK_NOFOLLOW) &&
	       st.st_dev == opened->st_dev && st.st_ino == opened->st_ino;
}

/* Returns whether the tracing user may have the contents of files of a process. */
static bool is_own(const struct file_copies *c, uint32_t pid)
{
	struct rights its;

	return !c->user || (!rights_of_process((pid_t)pid, &its) && its.uid == c->user->uid);
}

static bool is_elf(int fd)
{
	char magic[SELFMAG];

	return pread(fd, magic, sizeof(magic), 0) == SELFMAG && !memcmp(magic, ELFMAG, SELFMAG);
}

static uint64_t hash_of(const struct pitrace_mte_map *m)
{
	return hash_mix(m->inode,
			hash_mix((uint64_t)m->dev_major << 32 | m->dev_minor, m->generation));
}

static bool is_known(const struct file_copies *c, const struct pitrace_mte_map *m)
{
	return keys_find(&c->by_file, hash_of(m), c->file, f,
			 f->inode == m->inode && f->major == m->dev_major &&
				 f->minor == m->dev_minor && f->generation == m->generation) !=
	       NO_KEY;
}

static bool note(struct file_copies *c, const struct pitrace_mte_map *m)
{
	if (keys_next(&c->by_file, hash_of(m), c->file, c->n, c->room))
		return false;
	c->file[c->n++] = (struct seen_file){ m->inode, m->dev_major, m->dev_minor, m->generation };
	return true;
}

/* Reads up to `size` bytes; a file that becomes shorter meanwhile ends there. */
static size_t read_up_to(int fd, uint8_t *to, size_t size)
{
	size_t n = 0;
	ssize_t got;

	while (n < size && (got = pread(fd, to + n, size - n, (off_t)n)) > 0)
		n += (size_t)got;
	return n;
}

static int write_copy(struct file_copies *c, struct pifile_writer *w, int compression, int fd,
		      const struct pitrace_mte_map *m, size_t size)
{
	struct pitrace_mte_buildid id = {
		.dev_major = m->dev_major,
		.dev_minor = m->dev_minor,
		.inode = m->inode,
		.generation = m->generation,
	};
	uint8_t *copy = malloc(sizeof(id) + size);
	int err;

	if (!copy)
		return 0; /* without this file's names */
	mapped_file_id(fd, &id);
	memcpy(copy, &id, sizeof(id));
	size = read_up_to(fd, copy + sizeof(id), size);
	if (!compression)
		pifile_set_compression(w, 1);
	err = pifile_write_section(w, PIFILE_SEC_FILE, copy, sizeof(id) + size);
	pifile_set_compression(w, compression);
	c->bytes += size;
	free(copy);
	return err;
}

static int mapped(struct file_copies *c, struct pifile_writer *w, int compression,
		  const struct record *r)
{
	const struct pitrace_mte_map *m = r->data;
	struct stat st;
	int fd, err = 0;

	if (r->size < sizeof(*m) + 4 || m->path_len >= r->size - sizeof(*m) ||
	    m->path[m->path_len] || !m->inode || m->path[0] != '/' ||
	    !(m->flags & PITRACE_MAP_EXEC) || m->flags & (PITRACE_MAP_ANON | PITRACE_MAP_KERNEL))
		return 0;
	if (c->n >= FILES_MAX || is_known(c, m) || !is_own(c, m->pid))
		return 0;
	fd = mapped_file_open(m, true, NULL);
	if (fd < 0)
		return 0;
	if (note(c, m) && !fstat(fd, &st) && st.st_size > 0 && st.st_size <= FILE_COPY_MOST &&
	    c->bytes + (uint64_t)st.st_size <= c->most && is_elf(fd) &&
	    (has_other_root(c, m->pid) || !is_here(m->path, &st)))
		err = write_copy(c, w, compression, fd, m, (size_t)st.st_size);
	close(fd);
	return err;
}

int file_copies_scan(struct file_copies *c, struct pifile_writer *w, int compression,
		     const void *segment, size_t size)
{
	struct pitrace_segment s;
	struct record_walk walk;
	struct record r;
	int err = 0;

	if (record_walk_begin(&walk, segment, size, &s) || s.ring != PITRACE_RING_MTE)
		return 0;
	c->pid = 0;
	while (!err && record_next(&walk, &r) == 1) {
		if (r.major == PITRACE_MTE && r.minor == PITRACE_MTE_MODULE)
			err = mapped(c, w, compression, &r);
	}
	return err;
}
