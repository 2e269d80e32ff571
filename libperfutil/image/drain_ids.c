/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The drain reads, once per file, the proof that a file is the one that was mapped: its build id if
 * the collector did not report one, a checksum of its content if it has none. A collector reports a
 * build id a moment after the mapping, or that there is none; on several CPUs that report may be
 * drained first.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/array.h"
#include "base/file_same.h"
#include "base/keys.h"
#include "image/drain_ids.h"
#include "image/mapped_file.h"
#include "file/record_walk.h"

#define FILES_MAX 65536

struct note_record {
	struct pitrace_rec rec;
	struct pitrace_mte_buildid id;
};

struct drained_file {
	struct pitrace_mte_buildid key;  /* without an id */
	struct pitrace_mte_map *mapping; /* waits for the collector's report; NULL: does not */
	bool has_no_id;                  /* according to the collector's report */
	bool done;
};

struct buildids {
	struct drained_file *file;
	uint32_t n, room;
	struct keys by_key;
	struct note_record *found;
	size_t nfound, found_room;
	uint64_t stamp;
	bool all, no_memory;
	const struct rights *user;
};

struct buildids *buildids_new(bool all, const struct rights *user)
{
	struct buildids *b = calloc(1, sizeof(*b));

	if (b) {
		b->all = all;
		b->user = user;
	}
	return b;
}

void buildids_free(struct buildids *b)
{
	if (!b)
		return;
	for (uint32_t i = 0; i < b->n; i++)
		free(b->file[i].mapping);
	free(b->file);
	keys_free(&b->by_key);
	free(b->found);
	free(b);
}

static bool is(const struct pitrace_mte_buildid *a, const struct pitrace_mte_buildid *b)
{
	return a->inode == b->inode && a->dev_major == b->dev_major &&
	       a->dev_minor == b->dev_minor && a->generation == b->generation;
}

/* Returns the file with this key; NULL: too many files, or no memory. */
static struct drained_file *get(struct buildids *b, const struct pitrace_mte_buildid *key)
{
	uint64_t hash = hash_mix(key->inode,
				 hash_mix((uint64_t)key->dev_major << 32 | key->dev_minor,
					  key->generation));
	uint32_t i = keys_find(&b->by_key, hash, b->file, f, is(&f->key, key));

	if (i != NO_KEY)
		return &b->file[i];
	if (b->n >= FILES_MAX)
		return NULL;
	if (keys_next(&b->by_key, hash, b->file, b->n, b->room)) {
		b->no_memory = true;
		return NULL;
	}
	b->file[b->n] = (struct drained_file){
		.key = {
			.dev_major = key->dev_major,
			.dev_minor = key->dev_minor,
			.inode = key->inode,
			.generation = key->generation,
		},
	};
	return &b->file[b->n++];
}

static void done(struct drained_file *f)
{
	f->done = true;
	free(f->mapping);
	f->mapping = NULL;
}

/* Reads the file of a mapping. */
static void read_file(struct buildids *b, const struct pitrace_mte_map *m, struct drained_file *f,
		      uint64_t stamp)
{
	struct note_record *n;
	int fd;

	if (array_next(b->found, b->nfound, b->found_room)) {
		b->no_memory = true;
		return;
	}
	fd = mapped_file_open(m, false, b->user);
	if (fd >= 0) {
		n = &b->found[b->nfound++];
		*n = (struct note_record){
			.rec = { sizeof(*n) | PITRACE_TYPE_STRUCT, PITRACE_MTE, PITRACE_MTE_BUILDID,
				 (uint32_t)stamp },
			.id = f->key,
		};
		if (stamp > b->stamp)
			b->stamp = stamp;
		mapped_file_id(fd, &n->id);
		close(fd);
	}
	done(f);
}

static void mapped(struct buildids *b, const struct record *r)
{
	const struct pitrace_mte_map *m = r->data;
	struct drained_file *f;

	if (r->size < sizeof(*m) + 4 || m->path_len >= r->size - sizeof(*m) ||
	    m->path[m->path_len] || !m->inode)
		return;
	f = get(b, &(struct pitrace_mte_buildid){ .dev_major = m->dev_major,
						  .dev_minor = m->dev_minor,
						  .inode = m->inode,
						  .generation = m->generation });
	if (!f || f->done)
		return;
	if (b->all || m->flags & PITRACE_MAP_WALK || f->has_no_id) {
		read_file(b, m, f, r->stamp);
	} else if (!f->mapping) {
		f->mapping = malloc(r->size);
		if (f->mapping)
			memcpy(f->mapping, m, r->size);
		else
			b->no_memory = true;
	}
}

/* Handles the collector's report on a file. */
static void reported(struct buildids *b, const struct record *r)
{
	const struct pitrace_mte_buildid *id = r->data;
	struct file_content content;
	struct drained_file *f;

	f = r->size >= sizeof(*id) ? get(b, id) : NULL;
	if (!f || f->done)
		return;
	f->has_no_id = !id->length && !file_content_get(id->id, &content);
	if (!f->has_no_id)
		done(f);
	else if (f->mapping)
		read_file(b, f->mapping, f, r->stamp);
}

void buildids_scan(struct buildids *b, const void *segment, size_t size)
{
	struct pitrace_segment s;
	struct record_walk w;
	struct record r;

	if (record_walk_begin(&w, segment, size, &s) || s.ring != PITRACE_RING_MTE)
		return;
	while (record_next(&w, &r) == 1) {
		if (r.major == PITRACE_MTE && r.minor == PITRACE_MTE_MODULE)
			mapped(b, &r);
		else if (r.major == PITRACE_MTE && r.minor == PITRACE_MTE_BUILDID)
			reported(b, &r);
	}
}

int buildids_flush(struct buildids *b, struct pifile_writer *w)
{
	int err = b->no_memory ? -ENOMEM : 0;

	b->no_memory = false;
	/* Build ids are valid for all times and come from rings of several CPUs: one stamp for
	 * all. */
	for (size_t i = 0; i < b->nfound; i++)
		b->found[i].rec.stamp = (uint32_t)b->stamp;
	if (!err && b->nfound)
		err = pifile_write_snapshot(w, b->found, b->nfound * sizeof(*b->found), b->stamp);
	b->nfound = 0;
	return err;
}
