/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Finds a module's file: the one that ran, by its build id if known, and its separate debug file.
 * Opens it for callers that need more than names.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/file_same.h"
#include "a2n/module/kept_files.h"
#include "a2n/module/module_file.h"

#define SLACK_NS 20000000u /* clocks are read one after the other */

static bool after(const struct module *m, uint64_t at)
{
	return m->mapped && at > m->mapped && at - m->mapped > SLACK_NS;
}

/* Returns why it is another file, or NULL. A file without a build id is identified by its recorded
 * content; otherwise by its inode and, because a file written in place keeps its inode, by the time
 * of its last change. A change may only affect its mode or its names: then the time of the last
 * write has not moved, unless that was set back, which cannot be detected. */
static const char *replaced(struct module_file *f, enum file_same same, const struct stat *st)
{
	const struct module *m = f->module;
	bool touched = m->key.inode && after(m, file_touched(st));
	struct file_content now;
	bool known;

	f->other_inode = f->by_time = false;
	if (same == FILE_SAME && !touched && !m->gone)
		return NULL;
	/* Content that the drain read after a change proves nothing. */
	known = f->content && !after(m, f->content->touched) && file_content(f->elf.fd, &now);
	if (known && now.size == f->content->size && now.sum == f->content->sum)
		return NULL;
	if (m->gone)
		return "the file was deleted and its build id is unknown";
	if (same == FILE_OTHER)
		return "the file was replaced since it ran (another inode)";
	if (known || (same == FILE_SAME && after(m, file_written(st))))
		return "the file was replaced since it ran (changed after it was mapped)";
	f->other_inode = same == FILE_UNSURE;
	f->by_time = same == FILE_SAME;
	return NULL;
}

static bool take_candidate(void *arg, const char *file, int fd, const struct stat *st, bool live)
{
	struct module_file *f = arg;
	const struct file_key *key = &f->module->key;
	const struct file_identity recorded = {
		key->inode,
		key->major,
		key->minor,
		key->generation,
	};
	enum file_same same;
	struct build_id id;
	const char *why;

	why = elf_file_open(&f->elf, fd);
	if (why) {
		f->why = why;
		return false;
	}
	same = live ? file_same(&recorded, fd, st) : FILE_SAME;
	if (f->build_id) {
		elf_file_build_id(&f->elf, &id);
		if (!same_build_id(&id, f->build_id))
			why = "the file was replaced since it ran (another build id)";
	}
	/* Two files without build ids need not be the same. */
	if (!why && !(f->build_id && f->build_id->size) && live)
		why = replaced(f, same, st);
	if (why) {
		f->why = why;
		elf_file_close(&f->elf);
		return false;
	}
	snprintf(f->path, sizeof(f->path), "%s", file);
	return true;
}

/* Finds the file that ran in a cache of copies. */
static bool find_kept(struct module_file *f)
{
	const char *before = f->why, *why;
	char path[PATH_MAX];
	struct stat st;

	for (unsigned int i = 0; kept_path(KEPT_CODE, f->build_id, i, path, sizeof(path)); i++) {
		int fd = file_open_regular(path, &st, &why);

		if (fd >= 0 && take_candidate(f, path, fd, &st, false))
			return true;
	}
	f->why = before;
	return false;
}

/* The file was in a container, and is in the trace. */
static bool find_copied(struct modules *ms, struct module_file *f)
{
	const char *before = f->why;
	char name[PATH_MAX];
	struct stat st;
	int fd;

	snprintf(name, sizeof(name), "%.4000s (its copy in the trace)", f->module->path);
	for (unsigned int i = 0; f->module->key.inode; i++) {
		fd = copied_open(&ms->copies, &f->module->key, i);
		if (fd < 0)
			break;
		if (!fstat(fd, &st) && take_candidate(f, name, fd, &st, false))
			return true;
	}
	f->why = before;
	return false;
}

bool module_file_find(struct modules *ms, const struct module *m, struct module_file *f)
{
	const char *none = NULL;

	f->module = m;
	f->build_id = module_known_build_id(ms, m);
	f->why = NULL;
	f->content = module_declared_content(ms, m);
	f->other_inode = f->by_time = false;
	if (files_candidates(&ms->roots, m->path, take_candidate, f, &none))
		return true;
	if (!f->why)
		f->why = none;
	return find_copied(ms, f) || (f->build_id && find_kept(f));
}

/* Closes the ELF but keeps its descriptor. */
static int keep_descriptor(struct elf_file *elf)
{
	int fd = elf->fd;

	elf->fd = -1;
	elf_file_close(elf);
	return fd;
}

static int open_image(const struct image *image)
{
	int fd;

	if (!image->bytes)
		return -ENOENT;
	fd = memfd_create("vdso", MFD_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (write(fd, image->bytes, image->size) == (ssize_t)image->size)
		return fd;
	close(fd);
	return -EIO;
}

static int open_debug(struct modules *ms, const struct module *m, struct module_file *f,
		      bool have_code)
{
	struct build_id id = { .size = 0 };
	struct elf_file debug;
	bool found;

	if (f->build_id)
		id = *f->build_id;
	else if (have_code)
		elf_file_build_id(&f->elf, &id);
	found = files_debug(&ms->roots, m->path, &id, have_code ? &f->elf : NULL, &debug, f->path,
			    sizeof(f->path));
	return found ? keep_descriptor(&debug) : -ENOENT;
}

int module_file_open(struct modules *ms, const struct module *m, enum a2n_file which, char *path,
		     size_t size)
{
	const struct image *image = module_image(ms, m);
	struct module_file *f;
	bool found;
	int fd = -ENOENT;

	if (image && which == A2N_FILE_CODE) {
		snprintf(path, size, "%s", m->pub.name);
		return open_image(image);
	}
	if (m->kind != MODULE_FILE)
		return -ENOENT;
	f = calloc(1, sizeof(*f));
	if (!f)
		return -ENOMEM;
	found = module_file_find(ms, m, f);
	if (which == A2N_FILE_DEBUG) {
		fd = open_debug(ms, m, f, found);
		if (found)
			elf_file_close(&f->elf);
	} else if (found) {
		fd = keep_descriptor(&f->elf);
	}
	if (fd >= 0)
		snprintf(path, size, "%s", f->path);
	free(f);
	return fd;
}

bool module_dwarf_open(struct modules *ms, const struct module *m, struct elf_file *elf, char *path,
		       size_t size)
{
	const struct image *image = module_image(ms, m);
	struct module_file *f = calloc(1, sizeof(*f));
	struct build_id id = { .size = 0 };
	bool found, is_code = false;

	if (!f)
		return false;
	if (image) {
		snprintf(f->path, sizeof(f->path), "%s", m->pub.name);
		f->elf.fd = -1;
		found = image->bytes && !elf_file_open_memory(&f->elf, image->bytes, image->size);
	} else {
		found = m->kind == MODULE_FILE && module_file_find(ms, m, f);
	}
	if (f->build_id)
		id = *f->build_id;
	if (found) {
		elf_file_build_id(&f->elf, &id);
		is_code = dwarf_elf_has_lines(&f->elf);
	}
	if (is_code) {
		*elf = f->elf;
		snprintf(path, size, "%s", f->path);
		free(f);
		return true;
	}
	if (m->kind != MODULE_KERNEL && m->kind != MODULE_ANON)
		is_code = files_debug(&ms->roots, m->path, &id, found ? &f->elf : NULL, elf, path,
				      size);
	if (found)
		elf_file_close(&f->elf);
	free(f);
	return is_code;
}
