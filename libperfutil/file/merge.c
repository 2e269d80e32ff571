/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Merges all records of a file by time. Each ring is an ordered stream; a heap holds the head of
 * each. Records of one ring never change their order: a record that ends something waits at equal
 * times only for beginnings in other rings.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "base/keys.h"
#include "file/file_follow.h"
#include "file/trace_file.h"
#include "file/record_walk.h"

/* Order at equal times: beginnings, then the rest, then ends. */
enum { RANK_BEGIN = -1, RANK_MIDDLE = 0, RANK_END = 1 };

struct stream {
	struct record_walk walk;
	struct record head;
	struct file_piece piece; /* the time piece of the last stamp */
	uint64_t time;           /* key of head; never decreases */
	uint64_t offset;         /* of the open section */
	uint64_t left;           /* records left, according to its header */
	uint32_t cpu, ring, session;
	uint32_t number; /* index in merge.streams, ordered by CPU and ring */
	size_t next;     /* section; NO_SECTION: no more */
	size_t last;     /* … the last section, while sections are being linked */
	size_t open;     /* the open section, if is_open; from its header: */
	uint64_t records, stored;
	bool is_open;
	bool any; /* a section was opened: sequence is valid */
	bool snapshot;
	uint64_t sequence;
	struct file_buffer buffer;
};

#define NO_SECTION SIZE_MAX

/* The heap key: time, then rank, then the stream's number. */
typedef unsigned __int128 heap_key;
struct node {
	heap_key key;
	struct stream *s;
};

struct pimerge {
	struct pifile *f;
	struct stream *streams;
	size_t nstreams;
	struct node *heap;
	size_t nheap;
	/* the second smallest key: up to it the heap need not change */
	heap_key limit;
	enum { SNAPSHOTS, RINGS, ENDED } phase;
	uint64_t done, total;
	uint32_t gaps; /* gaps of trace rings: see struct pirecord */
};

/* ---- keys ------------------------------------------------------------------------------------ */

static const int8_t mte_ranks[256] = {
	[PITRACE_MTE_PROCESS] = RANK_BEGIN,   [PITRACE_MTE_FORK] = RANK_BEGIN,
	[PITRACE_MTE_CLONE] = RANK_BEGIN,     [PITRACE_MTE_THREAD] = RANK_BEGIN,
	[PITRACE_MTE_MODULE] = RANK_BEGIN,    [PITRACE_MTE_NAME] = RANK_BEGIN,
	[PITRACE_MTE_UNMAP] = RANK_END,       [PITRACE_MTE_UNLOAD] = RANK_END,
	[PITRACE_MTE_THREAD_EXIT] = RANK_END, [PITRACE_MTE_PROCESS_EXIT] = RANK_END,
};

static int rank_of(const struct record *r)
{
	if (r->major == PITRACE_TPROF)
		return RANK_MIDDLE;
	if (r->major == PITRACE_MTE)
		return r->minor < 256 ? mte_ranks[r->minor] : RANK_MIDDLE;
	if (r->major == PITRACE_SYNC ||
	    (r->major == PITRACE_SYSINFO && r->minor == PITRACE_SYSINFO_INTERVAL))
		return RANK_BEGIN;
	return RANK_MIDDLE;
}

static heap_key key_of(const struct stream *s)
{
	uint64_t rank = (uint64_t)(rank_of(&s->head) - RANK_BEGIN);

	return (heap_key)s->time << 64 | rank << 32 | s->number;
}

/* ---- streams --------------------------------------------------------------------------------- */

static void close_section(struct pimerge *m, struct stream *s)
{
	s->is_open = false;
	m->done += s->stored;
}

/* Returns how the open section, whose CRC is right, contradicts its header; NULL: it does not. */
static const char *contradiction(const struct pifile_section *s, const struct pitrace_segment *h)
{
	if (s->type == PIFILE_SEC_SNAPSHOT)
		return NULL;
	if (h->cpu != s->cpu || h->ring != s->ring || h->session != s->session ||
	    h->sequence != s->sequence)
		return "a segment is not the one that its section's header names";
	return NULL;
}

static size_t next_section(const struct pimerge *m, struct stream *s)
{
	size_t i = s->next;

	s->next = m->f->sections[i].next ? m->f->sections[i].next : NO_SECTION;
	return i;
}

/* Opens the stream's next readable section; false: none. */
static bool open_section(struct pimerge *m, struct stream *s)
{
	while (s->next != NO_SECTION) {
		size_t i = next_section(m, s), size;
		struct pifile_section section;
		struct pitrace_segment h;
		const char *why;
		const void *payload;

		if (!file_section_header(m->f, i, &section))
			continue;
		if (!s->snapshot && s->any && section.sequence <= s->sequence) {
			file_bad(m->f, i,
				 "segment %" PRIu64 " of CPU %" PRIu32 ", ring %" PRIu32
				 " is duplicate or out of order: left out",
				 section.sequence, s->cpu, s->ring);
			m->done += section.stored;
			continue;
		}
		payload = file_payload_of(m->f, i, &section, &s->buffer, &size);
		if (!payload) {
			m->done += section.stored;
			continue;
		}
		record_walk_begin(&s->walk, payload, size, &h);
		why = s->walk.why ? s->walk.why : contradiction(&section, &h);
		if (why) {
			file_bad(m->f, i, "%s", why);
			m->done += section.stored;
			continue;
		}
		/* Empty segments are not written, but the sequence has no gaps in a file without
		 * faults. */
		if (section.sequence != (s->any ? s->sequence + 1 : 0) && m->f->nfaults)
			m->gaps += s->ring == PITRACE_RING_TRACE && !s->snapshot;
		s->any = true;
		s->sequence = section.sequence;
		s->offset = file_offset(m->f, i);
		s->left = s->records = section.records;
		s->stored = section.stored;
		s->open = i;
		s->is_open = true;
		return true;
	}
	file_buffer_free(&s->buffer);
	return false;
}

/* The open section has ended: checks it against its header. */
static void end_section(struct pimerge *m, struct stream *s, int got)
{
	if (got < 0 || s->left || s->walk.backwards)
		m->gaps += s->ring == PITRACE_RING_TRACE && !s->snapshot;
	if (got < 0)
		file_doubt(m->f, s->open, "%s, at byte %zu of the section's payload", s->walk.why,
			   s->walk.b.at);
	else if (s->left)
		file_doubt(m->f, s->open,
			   "a section holds %" PRIu64 " records, its header says %" PRIu64,
			   s->records - s->left, s->records);
	else if (s->walk.backwards)
		file_doubt(m->f, s->open, "%" PRIu64 " stamps are less than the one before",
			   s->walk.backwards);
	close_section(m, s);
}

/* Reads the stream's next record into head; false: the stream has ended. */
static inline bool advance(struct pimerge *m, struct stream *s)
{
	uint64_t time;
	int got;

	for (;;) {
		if (__builtin_expect(!s->is_open, 0) && !open_section(m, s))
			return false;
		got = record_next(&s->walk, &s->head);
		if (__builtin_expect(got > 0, 1))
			break;
		end_section(m, s, got);
	}
	s->left--;
	if (__builtin_expect(!file_piece_holds(&s->piece, s->head.stamp), 0))
		s->piece = *file_time_piece(&m->f->time, s->head.stamp);
	time = file_piece_time(&s->piece, s->head.stamp);
	if (time > s->time)
		s->time = time;
	return true;
}

/* ---- heap ------------------------------------------------------------------------------------ */

/* Stream s, which is not in the heap, replaces node 0; sift it down, and find the second smallest.
 * (By value: loading a key that was just stored in halves is slow.) */
static inline void settle(struct pimerge *m, heap_key key, struct stream *s)
{
	struct node *h = m->heap;
	size_t at = 0, child, n = m->nheap;

	while ((child = 2 * at + 1) < n) {
		child += child + 1 < n && h[child + 1].key < h[child].key;
		if (key <= h[child].key)
			break;
		h[at].key = h[child].key;
		h[at].s = h[child].s;
		at = child;
	}
	h[at].key = key;
	h[at].s = s;
	m->limit = n < 2 ? ~(heap_key)0 : h[1].key;
	if (n > 2 && h[2].key < m->limit)
		m->limit = h[2].key;
}

static void push(struct pimerge *m, struct stream *s)
{
	struct node *h = m->heap, moving = { key_of(s), s };
	size_t at = m->nheap++;

	for (; at && moving.key < h[(at - 1) / 2].key; at = (at - 1) / 2)
		h[at] = h[(at - 1) / 2];
	h[at] = moving;
}

/* ---- the merge ------------------------------------------------------------------------------- */

static int by_place(const void *a, const void *b)
{
	const struct stream *x = a, *y = b;

	if (x->snapshot != y->snapshot)
		return x->snapshot ? -1 : 1;
	if (x->cpu != y->cpu)
		return x->cpu < y->cpu ? -1 : 1;
	if (x->ring != y->ring)
		return x->ring < y->ring ? -1 : 1;
	if (x->session != y->session)
		return x->session < y->session ? -1 : 1;
	return 0;
}

/* Checks whether the section belongs to a requested stream; *s is the stream. */
static bool is_wanted(struct pifile *f, size_t i, unsigned int what, struct pifile_section *section,
		      struct stream *s)
{
	*s = (struct stream){ 0 };
	if (f->sections[i].type != PIFILE_SEC_SNAPSHOT && f->sections[i].type != PIFILE_SEC_SEGMENT)
		return false;
	if (!file_section_header(f, i, section))
		return false;
	if (section->type == PIFILE_SEC_SNAPSHOT) {
		s->snapshot = true;
		return what & PIMERGE_MTE;
	}
	s->cpu = section->cpu;
	s->ring = section->ring;
	s->session = section->session;
	if (s->ring == PITRACE_RING_MTE)
		return what & PIMERGE_MTE;
	if (s->ring == PITRACE_RING_TRACE)
		return what & PIMERGE_TRACE;
	file_bad(f, i, "a segment of an unknown ring, %" PRIu32, s->ring);
	return false;
}

/* Links each stream's sections in file order. */
static bool sort_sections(struct pimerge *m, struct keys *t, unsigned int what, size_t first)
{
	struct pifile_section section;
	struct stream key;
	size_t room = 0;
	uint64_t hash;
	uint32_t at;

	for (size_t i = first; i < m->f->nsections; i++) {
		if (!is_wanted(m->f, i, what, &section, &key))
			continue;
		/* Another merge of the same file creates the same links. */
		m->f->sections[i].next = 0;
		m->total += section.stored;
		hash = hash_mix((uint64_t)key.cpu << 32 | key.session,
				key.ring << 1 | key.snapshot);
		at = keys_find(t, hash, m->streams, e, !by_place(e, &key));
		if (at != NO_KEY) {
			struct stream *s = &m->streams[at];

			m->f->sections[s->last].next = (uint32_t)i;
			s->last = i;
			continue;
		}
		if (keys_next(t, hash, m->streams, m->nstreams, room))
			return false;
		key.next = key.last = i;
		key.piece = m->f->time.pieces[0];
		m->streams[m->nstreams++] = key;
	}
	return true;
}

static bool make_streams(struct pimerge *m, unsigned int what, size_t first)
{
	struct keys t = { 0 };
	bool done = sort_sections(m, &t, what, first);

	keys_free(&t);
	if (done && m->nstreams)
		qsort(m->streams, m->nstreams, sizeof(*m->streams), by_place);
	for (size_t i = 0; i < m->nstreams; i++)
		m->streams[i].number = (uint32_t)i;
	m->heap = calloc(m->nstreams + 1, sizeof(*m->heap));
	return done && m->heap;
}

struct pimerge *follow_merge(struct pifile *f, unsigned int what, size_t first)
{
	struct pimerge *m = calloc(1, sizeof(*m));

	if (m && file_time_build(f)) {
		m->f = f;
		if (make_streams(m, what, first))
			return m;
	}
	pimerge_close(m);
	errno = ENOMEM;
	return NULL;
}

struct pimerge *pimerge_open(struct pifile *f, unsigned int what)
{
	return follow_merge(f, what, 0);
}

/* Fills the heap with all streams except the snapshots. */
static void fill_heap(struct pimerge *m)
{
	for (size_t i = 0; i < m->nstreams; i++)
		if (!m->streams[i].snapshot && advance(m, &m->streams[i]))
			push(m, &m->streams[i]);
	if (m->nheap)
		settle(m, m->heap[0].key, m->heap[0].s);
}

static int give(const struct pimerge *m, const struct stream *s, struct pirecord *r)
{
	r->stamp = s->head.stamp;
	r->time = s->time;
	r->cpu = s->cpu;
	r->ring = s->ring;
	r->major = s->head.major;
	r->type = s->head.type;
	r->minor = s->head.minor;
	r->data = s->head.data;
	r->size = s->head.size;
	r->snapshot = s->snapshot;
	r->offset = s->offset;
	r->gaps = m->gaps;
	r->origin = 0;
	r->repeats = 0;
	return 1;
}

/* Snapshots come before the rings: they are the first stream. */
static int next_snapshot(struct pimerge *m, struct pirecord *r)
{
	struct stream *s = m->streams;

	/* A snapshot may be older than the one before it: each keeps its own time. */
	if (m->nstreams && s->snapshot) {
		s->time = 0;
		if (advance(m, s))
			return give(m, s, r);
	}
	fill_heap(m);
	m->phase = m->nheap ? RINGS : ENDED;
	return m->nheap ? give(m, m->heap[0].s, r) : 0;
}

int pimerge_next(struct pimerge *m, struct pirecord *r)
{
	struct stream *s;

	if (__builtin_expect(m->phase != RINGS, 0))
		return m->phase == ENDED ? 0 : next_snapshot(m, r);
	/* The caller used the last record until now. */
	s = m->heap[0].s;
	if (__builtin_expect(advance(m, s), 1)) {
		heap_key key = key_of(s);

		if (key <= m->limit) /* its old key in the heap is sufficient there */
			return give(m, s, r);
		settle(m, key, s);
	} else {
		if (!--m->nheap) {
			m->phase = ENDED;
			return 0;
		}
		settle(m, m->heap[m->nheap].key, m->heap[m->nheap].s);
	}
	return give(m, m->heap[0].s, r);
}

void pimerge_progress(const struct pimerge *m, uint64_t *done, uint64_t *total)
{
	if (done)
		*done = m->done;
	if (total)
		*total = m->total;
}

void pimerge_close(struct pimerge *m)
{
	if (!m)
		return;
	for (size_t i = 0; m->streams && i < m->nstreams; i++)
		file_buffer_free(&m->streams[i].buffer);
	free(m->streams);
	free(m->heap);
	free(m);
}
