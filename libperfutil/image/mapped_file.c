/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Opens the files of mappings by /proc/PID/map_files (root only), /proc/PID/exe, or a path below
 * /proc/PID/root. */
#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "base/build_note.h"
#include "base/cursor.h"
#include "base/file_same.h"
#include "image/mapped_file.h"
#include "base/regular.h"

#define NOTES_MAX    4096
#define HEADERS_MAX  8192
#define SEGMENTS_MAX 16 /* maximum number of note segments searched; linkers create few */

#define OWN_ORDER (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB)

#define HEADER_AT(wide, field) ((wide) ? offsetof(Elf64_Ehdr, field) : offsetof(Elf32_Ehdr, field))

static void find_id(int fd, struct pitrace_mte_buildid *id)
{
	uint8_t head[HEADERS_MAX], notes[NOTES_MAX];
	ssize_t n = pread(fd, head, sizeof(head), 0);
	struct bytes b = bytes_of(head, n > 0 ? (size_t)n : 0);
	const uint8_t *ident = bytes_take(&b, EI_NIDENT);
	bool wide;
	uint64_t phoff, offset, size;
	unsigned int count, step, left = SEGMENTS_MAX;
	const uint8_t *note;
	uint32_t length;

	if (!ident || memcmp(ident, ELFMAG, SELFMAG))
		return;
	wide = ident[EI_CLASS] == ELFCLASS64;
	b.swap = ident[EI_DATA] != OWN_ORDER;
	bytes_seek(&b, HEADER_AT(wide, e_phoff));
	phoff = wide ? bytes_u64(&b) : bytes_u32(&b);
	bytes_seek(&b, HEADER_AT(wide, e_phentsize));
	step = bytes_u16(&b);
	count = bytes_u16(&b);
	if (step < (wide ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr)))
		return;
	for (unsigned int i = 0; i < count && left && !id->length; i++) {
		if (!bytes_seek(&b, phoff + (uint64_t)i * step))
			return;
		if (bytes_u32(&b) != PT_NOTE)
			continue;
		left--;
		if (wide)
			bytes_skip(&b, 4);
		offset = wide ? bytes_u64(&b) : bytes_u32(&b);
		bytes_skip(&b, wide ? 16 : 8);
		size = wide ? bytes_u64(&b) : bytes_u32(&b);
		if (b.bad || offset > LLONG_MAX)
			return;
		n = pread(fd, notes, size < sizeof(notes) ? size : sizeof(notes), (off_t)offset);
		if (n <= 0)
			continue;
		note = build_note(bytes_of(notes, (size_t)n), 4, PITRACE_BUILDID_MAX, &length);
		if (note) {
			memcpy(id->id, note, length);
			id->length = length;
		}
	}
}

void mapped_file_id(int fd, struct pitrace_mte_buildid *id)
{
	struct file_content content;

	find_id(fd, id);
	if (!id->length && file_content(fd, &content))
		file_content_put(&content, id->id);
}

static int is_mapped(int fd, const struct stat *st, const struct pitrace_mte_map *m)
{
	const struct file_identity recorded = {
		m->inode,
		m->dev_major,
		m->dev_minor,
		m->generation,
	};

	if (fd >= 0 && file_same(&recorded, fd, st) != FILE_SAME) {
		close(fd);
		return -1;
	}
	return fd;
}

static int through(const struct rights *r, const char *name, const struct pitrace_mte_map *m)
{
	struct stat st;

	return is_mapped(rights_reopen(r, open(name, REGULAR_HOLD), &st), &st, m);
}

int mapped_file_open(const struct pitrace_mte_map *m, bool live, const struct rights *user)
{
	struct rights its;
	bool alive = !rights_of_process((pid_t)m->pid, &its);
	char name[128];
	struct stat st;
	int root, fd;

	if (live && !alive)
		return -1;
	if (alive) {
		snprintf(name, sizeof(name), "/proc/%u/map_files/%llx-%llx", m->pid,
			 (unsigned long long)m->start, (unsigned long long)(m->start + m->length));
		fd = through(&its, name, m);
		if (fd >= 0)
			return fd;
		snprintf(name, sizeof(name), "/proc/%u/exe", m->pid);
		fd = through(&its, name, m);
		if (fd >= 0)
			return fd;
	}
	root = alive ? rights_root((pid_t)m->pid) : -1;
	if (root >= 0) {
		fd = is_mapped(rights_open_below(&its, root, m->path, &st), &st, m);
		close(root);
		if (fd >= 0)
			return fd;
	}
	/* The process may have exited, or its paths may be the same as ours. */
	return is_mapped(rights_open_below(alive ? &its : user, -1, m->path, &st), &st, m);
}
