/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A hash table of files; a file that could not be identified is tried again at its next mapping. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/keys.h"
#include "image/known_files.h"
#include "image/mapped_file.h"
#include "image/mapped_place.h"

#define FILES_MAX 65536

struct known_file {
	struct pitrace_mte_buildid id;
	uint32_t reported; /* round in which its id was reported */
	struct stat st;
	char *path;  /* the path of the last mapping … */
	char *place; /* … and its path for this process; NULL: the same */
};

struct known_files {
	struct known_file *file;
	uint32_t n, room;
	struct keys by_id;
	uint32_t round;
};

struct known_files *known_files_new(void)
{
	struct known_files *k = calloc(1, sizeof(*k));

	if (k)
		k->round = 1;
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
	for (uint32_t i = 0; i < k->n; i++)
		forget_path(&k->file[i]);
	free(k->file);
	keys_free(&k->by_id);
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

static uint64_t hash_of(const struct pitrace_mte_buildid *key)
{
	return hash_mix(key->inode,
			hash_mix((uint64_t)key->dev_major << 32 | key->dev_minor, key->generation));
}

static struct known_file *find(struct known_files *k, const struct pitrace_mte_buildid *key)
{
	uint32_t i = keys_find(&k->by_id, hash_of(key), k->file, f, is(&f->id, key));

	return i == NO_KEY ? NULL : &k->file[i];
}

/* NULL: no memory, or there are too many. */
static struct known_file *add(struct known_files *k, const struct pitrace_mte_buildid *key)
{
	struct known_file *f;

	if (k->n >= FILES_MAX || keys_next(&k->by_id, hash_of(key), k->file, k->n, k->room))
		return NULL;
	f = &k->file[k->n++];
	*f = (struct known_file){ .id = *key };
	return f;
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
	f = find(k, &key);
	if (f || k->n >= FILES_MAX)
		return f;
	fd = mapped_file_open(m, true, NULL);
	if (fd < 0)
		return NULL;
	f = add(k, &key);
	if (f) {
		mapped_file_id(fd, &f->id);
		if (fstat(fd, &f->st))
			f->st = (struct stat){ 0 };
	}
	close(fd);
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

	if (!k || !map->inode || !size || size > PITRACE_BUILDID_MAX)
		return NULL;
	f = find(k, &key);
	if (f && f->id.length == size && !memcmp(f->id.id, id, size))
		return known_files_take_id(k, map);
	/* An id read from the file itself is not replaced. */
	if (f && f->st.st_ino)
		return NULL;
	f = f ? f : add(k, &key);
	if (!f)
		return NULL;
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
