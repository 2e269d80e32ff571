/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Build ids by the drain: once a file, through /proc/PID/map_files, else through its path. */
#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "buildid.h"
#include "record.h"
#include "regular.h"

#define NOTES_MAX	4096
#define HEADERS_MAX	8192
#define FILES_MAX	65536
#define SEGMENTS_MAX	16		/* of notes that are looked through; linkers make few */
#define OWN_ORDER	(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB)
#define HEADER_AT(wide, field)	\
	((wide) ? offsetof(Elf64_Ehdr, field) : offsetof(Elf32_Ehdr, field))

struct note_record {
	struct pitrace_rec rec;
	struct pitrace_mte_buildid id;
};

struct buildids {
	uint64_t *seen;			/* open addressing; 0 is free */
	size_t used, room;		/* room is a power of two */
	struct note_record *found;
	size_t nfound, found_room;
	uint64_t stamp;
	bool all;
	const struct rights *user;
};

struct buildids *buildids_new(bool all, const struct rights *user)
{
	struct buildids *b = calloc(1, sizeof(*b));

	if (b) {
		b->all = all;
		b->user = user;
		b->seen = calloc(b->room = 1024, sizeof(*b->seen));
	}
	if (b && !b->seen) {
		free(b);
		return NULL;
	}
	return b;
}

void buildids_free(struct buildids *b)
{
	if (b) {
		free(b->seen);
		free(b->found);
		free(b);
	}
}

static uint64_t mix(uint64_t x)
{
	x ^= x >> 31;
	x *= 0x9E3779B97F4A7C15ull;
	return x ^ x >> 29;
}

static bool insert(uint64_t *seen, size_t room, uint64_t key)
{
	size_t i = mix(key) & (room - 1);

	while (seen[i]) {
		if (seen[i] == key)
			return false;
		i = (i + 1) & (room - 1);
	}
	seen[i] = key;
	return true;
}

/* Is this file new? */
static bool first_time(struct buildids *b, const struct pitrace_mte_map *m)
{
	uint64_t device = (uint64_t)m->dev_major << 40 ^ (uint64_t)m->dev_minor << 20;
	uint64_t key = mix(m->inode) ^ mix(device ^ m->generation) << 1;

	key += !key;
	if (b->used >= FILES_MAX)
		return false;
	if (2 * b->used >= b->room) {
		uint64_t *more = calloc(2 * b->room, sizeof(*more));

		if (!more)
			return false;
		for (size_t i = 0; i < b->room; i++)
			if (b->seen[i])
				insert(more, 2 * b->room, b->seen[i]);
		free(b->seen);
		b->seen = more;
		b->room *= 2;
	}
	if (!insert(b->seen, b->room, key))
		return false;
	b->used++;
	return true;
}

static bool find_note(const void *data, size_t size, struct pitrace_mte_buildid *id)
{
	struct bytes b = bytes_of(data, size);

	for (;;) {
		uint32_t name_size = bytes_u32(&b), desc_size = bytes_u32(&b), type = bytes_u32(&b);
		const char *name = bytes_take(&b, ((size_t)name_size + 3) & ~(size_t)3);
		const void *desc = bytes_take(&b, desc_size);

		if (b.bad)
			return false;
		if (type == NT_GNU_BUILD_ID && name_size == 4 && !memcmp(name, "GNU", 4) &&
		    desc_size && desc_size <= PITRACE_BUILDID_MAX) {
			id->length = desc_size;
			memcpy(id->id, desc, desc_size);
			return true;
		}
		bytes_skip(&b, -desc_size & 3);
	}
}

static void read_id(int fd, struct pitrace_mte_buildid *id)
{
	uint8_t head[HEADERS_MAX], notes[NOTES_MAX];
	ssize_t n = pread(fd, head, sizeof(head), 0);
	struct bytes b = bytes_of(head, n > 0 ? (size_t)n : 0);
	const uint8_t *ident = bytes_take(&b, EI_NIDENT);
	bool wide;
	uint64_t phoff, offset, size;
	unsigned int count, step, left = SEGMENTS_MAX;

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
		if (n > 0)
			find_note(notes, (size_t)n, id);
	}
}

static int is_mapped(int fd, const struct stat *st, const struct pitrace_mte_map *m)
{
	if (fd >= 0 && st->st_ino != m->inode) {
		close(fd);
		return -1;
	}
	return fd;
}

/* The very file that is mapped, or nothing. */
static int open_mapped(const struct buildids *b, const struct pitrace_mte_map *m)
{
	struct rights its;
	const struct rights *rights = rights_of_process((pid_t)m->pid, &its) ? b->user : &its;
	char name[128];
	struct stat st;
	int root, fd;

	snprintf(name, sizeof(name), "/proc/%u/map_files/%llx-%llx", m->pid,
		 (unsigned long long)m->start, (unsigned long long)(m->start + m->length));
	fd = is_mapped(rights_reopen(rights, open(name, REGULAR_LOOK), &st), &st, m);
	if (fd >= 0)
		return fd;
	root = rights_root((pid_t)m->pid);
	if (root >= 0) {
		fd = is_mapped(rights_open_below(rights, root, m->path, &st), &st, m);
		close(root);
	}
	/* The process may be gone. */
	return fd >= 0 ? fd : is_mapped(rights_open_below(rights, -1, m->path, &st), &st, m);
}

/* A file's mapping whose build id is ours to read, and whole? */
static const struct pitrace_mte_map *wanted(const struct buildids *b, const struct record *r)
{
	const struct pitrace_mte_map *m = r->data;

	if (r->major != PITRACE_MTE || r->minor != PITRACE_MTE_MODULE || r->size < sizeof(*m) + 4)
		return NULL;
	if (m->path_len >= r->size - sizeof(*m) || m->path[m->path_len])
		return NULL;
	return (b->all || m->flags & PITRACE_MAP_WALK) && m->inode ? m : NULL;
}

void buildids_scan(struct buildids *b, const void *segment, size_t size)
{
	struct pitrace_segment s;
	struct record_walk w;
	struct record r;

	if (record_walk_begin(&w, segment, size, &s) || s.ring != PITRACE_RING_MTE)
		return;
	while (record_next(&w, &r) == 1) {
		const struct pitrace_mte_map *m = wanted(b, &r);
		struct note_record *n;
		int fd;

		if (!m || !first_time(b, m))
			continue;
		if (b->nfound == b->found_room) {
			size_t room = b->found_room ? 2 * b->found_room : 64;
			void *more = realloc(b->found, room * sizeof(*b->found));

			if (!more)
				return;
			b->found = more;
			b->found_room = room;
		}
		fd = open_mapped(b, m);
		if (fd < 0)
			continue;
		n = &b->found[b->nfound++];
		*n = (struct note_record){
			.rec = { sizeof(*n) | PITRACE_TYPE_STRUCT, PITRACE_MTE, PITRACE_MTE_BUILDID,
				 (uint32_t)r.stamp },
			.id = { .dev_major = m->dev_major, .dev_minor = m->dev_minor,
				.inode = m->inode, .generation = m->generation },
		};
		if (r.stamp > b->stamp)
			b->stamp = r.stamp;
		read_id(fd, &n->id);
		close(fd);
	}
}

int buildids_flush(struct buildids *b, struct pifile_writer *w)
{
	int err = 0;

	/* They hold for all times, and come from rings of several CPUs: one stamp for all. */
	for (size_t i = 0; i < b->nfound; i++)
		b->found[i].rec.stamp = (uint32_t)b->stamp;
	if (b->nfound)
		err = pifile_write_snapshot(w, b->found, b->nfound * sizeof(*b->found), b->stamp);
	b->nfound = 0;
	return err;
}
