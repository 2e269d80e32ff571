/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A hash table of files; if identifying one fails it is tried again at its next mapping. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "image/known_files.h"
#include "image/mapped_file.h"
#include "image/mapped_place.h"

#define FILES_MAX 65536

struct known_file {
	struct pitrace_mte_buildid id; /* inode 0: free slot */
	uint32_t reported;             /* round in which its id was reported */
	struct stat st;
	char *path;  /* the path of the last mapping … */
	char *place; /* … and its path for this process; NULL: the same */
};

struct known_files {
	struct known_file *file; /* open addressing */
	size_t used, room;       /* room is a power of two */
	uint32_t round;
};

struct known_files *known_files_new(void)
{
	struct known_files *k = calloc(1, sizeof(*k));

	if (k) {
		k->round = 1;
		k->file = calloc(k->room = 256, sizeof(*k->file));
	}
	if (k && !k->file) {
		free(k);
		return NULL;
	}
	return k;
}

static void forget_path(struct known_file *f)
{
	free(f->path);
	free(f->place);
	f->path = f->place = NULL;
}

void known_files_free(struct known_files *k)
{
	if (!k)
		return;
	for (size_t i = 0; i < k->room; i++)
		forget_path(&k->file[i]);
	free(k->file);
	free(k);
}

void known_files_reset(struct known_files *k)
{
	if (k)
		k->round++;
}

static bool is(const struct pitrace_mte_buildid *id, const struct pitrace_mte_buildid *key)
{
	return id->inode == key->inode && id->dev_major == key->dev_major &&
	       id->dev_minor == key->dev_minor && id->generation == key->generation;
}

/* Returns its slot, or the free slot for it. */
static struct known_file *place(struct known_file *file, size_t room,
				const struct pitrace_mte_buildid *key)
{
	uint64_t h = key->inode ^ (uint64_t)key->dev_major << 40 ^ (uint64_t)key->dev_minor << 20 ^
		     (uint64_t)key->generation << 8;
	size_t i;

	h = (h ^ h >> 31) * 0x9E3779B97F4A7C15ull;
	for (i = (h ^ h >> 29) & (room - 1); file[i].id.inode && !is(&file[i].id, key);)
		i = (i + 1) & (room - 1);
	return &file[i];
}

static bool grow(struct known_files *k)
{
	struct known_file *more;

	if (k->used >= FILES_MAX)
		return false;
	if (2 * k->used < k->room)
		return true;
	more = calloc(2 * k->room, sizeof(*more));
	if (!more)
		return false;
	for (size_t i = 0; i < k->room; i++)
		if (k->file[i].id.inode)
			*place(more, 2 * k->room, &k->file[i].id) = k->file[i];
	free(k->file);
	k->file = more;
	k->room *= 2;
	return true;
}

static struct pitrace_mte_buildid key_of(const struct pitrace_mte_map *m)
{
	return (struct pitrace_mte_buildid){
		.inode = m->inode,
		.dev_major = m->dev_major,
		.dev_minor = m->dev_minor,
		.generation = m->generation,
	};
}

/* NULL: not a file, or unknown. */
static struct known_file *get(struct known_files *k, const struct pitrace_mte_map *m)
{
	struct pitrace_mte_buildid key = key_of(m);
	struct known_file *f;
	int fd;

	if (!k || !m->inode || m->flags & (PITRACE_MAP_ANON | PITRACE_MAP_KERNEL) ||
	    m->path[0] != '/')
		return NULL;
	f = place(k->file, k->room, &key);
	if (f->id.inode)
		return f;
	if (!grow(k))
		return NULL;
	fd = mapped_file_open(m, true, NULL);
	if (fd < 0)
		return NULL;
	f = place(k->file, k->room, &key);
	*f = (struct known_file){ .id = key };
	mapped_file_id(fd, &f->id);
	if (fstat(fd, &f->st))
		f->st = (struct stat){ 0 };
	close(fd);
	k->used++;
	return f;
}

void known_files_identify(struct known_files *k, const struct pitrace_mte_map *map)
{
	known_files_path(k, map);
}

const struct pitrace_mte_buildid *known_files_take_id(struct known_files *k,
						      const struct pitrace_mte_map *map)
{
	struct known_file *f = get(k, map);

	if (!f || f->reported == k->round)
		return NULL;
	f->reported = k->round;
	return &f->id;
}

const struct pitrace_mte_buildid *known_files_add_id(struct known_files *k,
						     const struct pitrace_mte_map *map,
						     const void *id, size_t size)
{
	struct pitrace_mte_buildid key = key_of(map);
	struct known_file *f;

	if (!k || !map->inode || !size || size > PITRACE_BUILDID_MAX || !grow(k))
		return NULL;
	f = place(k->file, k->room, &key);
	if (f->id.inode && f->id.length == size && !memcmp(f->id.id, id, size))
		return known_files_take_id(k, map);
	/* An id read from the file itself is not replaced. */
	if (f->id.inode && f->st.st_ino)
		return NULL;
	k->used += !f->id.inode;
	f->id = key;
	f->id.length = (uint32_t)size;
	memcpy(f->id.id, id, size);
	f->reported = k->round;
	return &f->id;
}

const char *known_files_path(struct known_files *k, const struct pitrace_mte_map *map)
{
	struct known_file *f = get(k, map);
	char place_here[PATH_MAX];

	if (!f || (f->path && !strcmp(f->path, map->path)))
		return f ? f->place : NULL;
	forget_path(f);
	f->path = strdup(map->path);
	if (f->path && mapped_place(map, &f->st, place_here, sizeof(place_here)))
		f->place = strdup(place_here);
	return f->place;
}
