/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The drain reads build ids, once per file, of files whose collector did not report one. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/keys.h"
#include "image/drain_ids.h"
#include "image/mapped_file.h"
#include "file/record_walk.h"

#define FILES_MAX 65536

struct note_record {
	struct pitrace_rec rec;
	struct pitrace_mte_buildid id;
};

struct buildids {
	uint64_t *seen; /* files, by what identifies them */
	uint32_t n, room;
	struct keys by_key;
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
	}
	return b;
}

void buildids_free(struct buildids *b)
{
	if (b) {
		free(b->seen);
		keys_free(&b->by_key);
		free(b->found);
		free(b);
	}
}

/* Checks whether the file is new. */
static bool first_time(struct buildids *b, uint32_t major, uint32_t minor, uint64_t inode,
		       uint32_t generation)
{
	uint64_t device = (uint64_t)major << 32 | minor;
	uint64_t key = hash_mix(hash_mix(device, generation), inode);

	if (b->n >= FILES_MAX || keys_find(&b->by_key, key, b->seen, e, *e == key) != NO_KEY ||
	    keys_next(&b->by_key, key, b->seen, b->n, b->room))
		return false;
	b->seen[b->n++] = key;
	return true;
}

/* Checks whether this is a complete mapping of a file whose build id the drain must read. */
static const struct pitrace_mte_map *wanted(const struct buildids *b, const struct record *r)
{
	const struct pitrace_mte_map *m = r->data;

	if (r->major != PITRACE_MTE || r->minor != PITRACE_MTE_MODULE || r->size < sizeof(*m) + 4)
		return NULL;
	if (m->path_len >= r->size - sizeof(*m) || m->path[m->path_len])
		return NULL;
	return (b->all || m->flags & PITRACE_MAP_WALK) && m->inode ? m : NULL;
}

/* The collector recorded the id when the file was mapped. */
static void mark_known(struct buildids *b, const struct record *r)
{
	const struct pitrace_mte_buildid *id = r->data;

	if (r->major == PITRACE_MTE && r->minor == PITRACE_MTE_BUILDID && r->size >= sizeof(*id))
		first_time(b, id->dev_major, id->dev_minor, id->inode, id->generation);
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

		mark_known(b, &r);
		if (!m || !first_time(b, m->dev_major, m->dev_minor, m->inode, m->generation))
			continue;
		if (array_next(b->found, b->nfound, b->found_room))
			return;
		fd = mapped_file_open(m, false, b->user);
		if (fd < 0)
			continue;
		n = &b->found[b->nfound++];
		*n = (struct note_record){
			.rec = { sizeof(*n) | PITRACE_TYPE_STRUCT, PITRACE_MTE, PITRACE_MTE_BUILDID,
				 (uint32_t)r.stamp },
			.id = { .dev_major = m->dev_major,
				.dev_minor = m->dev_minor,
				.inode = m->inode,
				.generation = m->generation },
		};
		if (r.stamp > b->stamp)
			b->stamp = r.stamp;
		mapped_file_id(fd, &n->id);
		close(fd);
	}
}

int buildids_flush(struct buildids *b, struct pifile_writer *w)
{
	int err = 0;

	/* Build ids hold for all times and come from rings of several CPUs: one stamp for all. */
	for (size_t i = 0; i < b->nfound; i++)
		b->found[i].rec.stamp = (uint32_t)b->stamp;
	if (b->nfound)
		err = pifile_write_snapshot(w, b->found, b->nfound * sizeof(*b->found), b->stamp);
	b->nfound = 0;
	return err;
}
