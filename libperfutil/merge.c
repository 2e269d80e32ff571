/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The merge: all records of a file in the order of time. Each ring is a stream that is in order
 * already; a heap holds the head of each. A ring's records never change their order among
 * themselves: what ends something at the same instant waits only for other rings' beginnings.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "file.h"
#include "record.h"

/* At equal times: what begins something, then the rest, then what ends something. */
enum { RANK_BEGIN = -1, RANK_MIDDLE = 0, RANK_END = 1 };

struct stream {
	struct record_walk walk;
	struct record head;
	struct file_piece piece;	/* of time: the one that the last stamp fell into */
	uint64_t time;			/* of head; never falls */
	uint64_t offset;		/* of the open section */
	uint64_t left;			/* records that its header still promises */
	uint32_t cpu, ring, session;
	uint32_t number;		/* place in merge.streams, ordered by CPU and ring */
	size_t next, end;		/* places in merge.order */
	size_t open;			/* the open section, if is_open */
	bool is_open;
	bool any;			/* a section was opened: sequence holds its number */
	bool snapshot;
	uint64_t sequence;
	struct file_buffer buffer;
};

/* The heap compares one number: time, then rank, then the stream's number. */
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
	heap_key limit;			/* the least key but the first: up to it no heap work */
	enum { SNAPSHOTS, RINGS, ENDED } phase;
	size_t *order;			/* sections, stream by stream, each in file order */
	uint64_t done, total;
};

/* ---- keys ------------------------------------------------------------------------------------ */

static const int8_t mte_ranks[256] = {
	[PITRACE_MTE_PROCESS] = RANK_BEGIN,
	[PITRACE_MTE_FORK] = RANK_BEGIN,
	[PITRACE_MTE_CLONE] = RANK_BEGIN,
	[PITRACE_MTE_THREAD] = RANK_BEGIN,
	[PITRACE_MTE_MODULE] = RANK_BEGIN,
	[PITRACE_MTE_NAME] = RANK_BEGIN,
	[PITRACE_MTE_UNMAP] = RANK_END,
	[PITRACE_MTE_UNLOAD] = RANK_END,
	[PITRACE_MTE_THREAD_EXIT] = RANK_END,
	[PITRACE_MTE_PROCESS_EXIT] = RANK_END,
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
	m->done += m->f->sections[s->open].s.stored;
}

/* Why the open section, whose CRC was right, is not what its header says; NULL when it is. */
static const char *contradiction(const struct pifile_section *s, const struct pitrace_segment *h)
{
	if (s->type == PIFILE_SEC_SNAPSHOT)
		return NULL;
	if (h->cpu != s->cpu || h->ring != s->ring || h->session != s->session ||
	    h->sequence != s->sequence)
		return "a segment is not the one that its section's header names";
	return NULL;
}

/* The stream's next section that can be read; false: no more. */
static bool open_section(struct pimerge *m, struct stream *s)
{
	while (s->next < s->end) {
		size_t i = m->order[s->next++], size;
		const struct file_section *section = &m->f->sections[i];
		struct pitrace_segment h;
		const char *why;
		const void *payload;

		if (!s->snapshot && s->any && section->s.sequence <= s->sequence) {
			file_bad(m->f, i, "segment %" PRIu64 " of CPU %" PRIu32 ", ring %" PRIu32
				 " comes twice or late: left out", section->s.sequence, s->cpu,
				 s->ring);
			m->done += section->s.stored;
			continue;
		}
		payload = file_payload(m->f, i, &s->buffer, &size);
		if (!payload) {
			m->done += section->s.stored;
			continue;
		}
		record_walk_begin(&s->walk, payload, size, &h);
		why = s->walk.why ? s->walk.why : contradiction(&section->s, &h);
		if (why) {
			file_bad(m->f, i, "%s", why);
			m->done += section->s.stored;
			continue;
		}
		s->any = true;
		s->sequence = section->s.sequence;
		s->offset = section->offset;
		s->left = section->s.records;
		s->open = i;
		s->is_open = true;
		return true;
	}
	file_buffer_free(&s->buffer);
	return false;
}

/* The open section has ended: was all of it right? */
static void end_section(struct pimerge *m, struct stream *s, int got)
{
	const struct pifile_section *section = &m->f->sections[s->open].s;

	if (got < 0)
		file_doubt(m->f, s->open, "%s, at byte %zu of the section's payload", s->walk.why,
			 s->walk.b.at);
	else if (s->left)
		file_doubt(m->f, s->open, "a section holds %" PRIu64 " records, its header says %"
			 PRIu64, section->records - s->left, section->records);
	else if (s->walk.backwards)
		file_doubt(m->f, s->open, "%" PRIu64 " stamps are less than the one before",
			 s->walk.backwards);
	close_section(m, s);
}

/* The stream's next record into head; false: it has ended. */
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

/* Stream s, which is not in the heap, takes the place of node 0: put it where its key belongs, and
 * know the least of the others. (By value: a key just stored by halves is slow to load.) */
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

struct place {
	size_t section;
	uint32_t cpu, ring, session;
	bool snapshot;
};

static int by_stream(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->snapshot != y->snapshot)
		return x->snapshot ? -1 : 1;
	if (x->cpu != y->cpu)
		return x->cpu < y->cpu ? -1 : 1;
	if (x->ring != y->ring)
		return x->ring < y->ring ? -1 : 1;
	if (x->session != y->session)
		return x->session < y->session ? -1 : 1;
	return x->section < y->section ? -1 : x->section > y->section;
}

static bool same_stream(const struct place *x, const struct place *y)
{
	return x->snapshot == y->snapshot && x->cpu == y->cpu && x->ring == y->ring &&
	       x->session == y->session;
}

static bool is_wanted(struct pifile *f, size_t i, unsigned int what, struct place *p)
{
	const struct pifile_section *s = &f->sections[i].s;

	*p = (struct place){ .section = i };
	if (s->type == PIFILE_SEC_SNAPSHOT) {
		p->snapshot = true;
		return what & PIMERGE_MTE;
	}
	if (s->type != PIFILE_SEC_SEGMENT)
		return false;
	p->cpu = s->cpu;
	p->ring = s->ring;
	p->session = s->session;
	if (s->ring == PITRACE_RING_MTE)
		return what & PIMERGE_MTE;
	if (s->ring == PITRACE_RING_TRACE)
		return what & PIMERGE_TRACE;
	file_bad(f, i, "a segment of an unknown ring, %" PRIu32, s->ring);
	return false;
}

/* Sort the wanted sections into streams. */
static bool make_streams(struct pimerge *m, struct place *places, unsigned int what)
{
	size_t n = 0;

	for (size_t i = 0; i < m->f->nsections; i++)
		if (is_wanted(m->f, i, what, &places[n])) {
			m->total += m->f->sections[i].s.stored;
			n++;
		}
	if (n)
		qsort(places, n, sizeof(*places), by_stream);
	for (size_t i = 0; i < n; i++)
		m->nstreams += !i || !same_stream(&places[i - 1], &places[i]);
	m->order = malloc((n + 1) * sizeof(*m->order));
	m->streams = calloc(m->nstreams + 1, sizeof(*m->streams));
	m->heap = calloc(m->nstreams + 1, sizeof(*m->heap));
	if (!m->order || !m->streams || !m->heap)
		return false;
	for (size_t i = 0, k = 0; i < n; i++) {
		struct stream *s;

		k += i && !same_stream(&places[i - 1], &places[i]);
		s = &m->streams[k];
		if (!s->end) {
			s->next = i;
			s->number = (uint32_t)k;
			s->cpu = places[i].cpu;
			s->ring = places[i].ring;
			s->session = places[i].session;
			s->snapshot = places[i].snapshot;
			s->piece = m->f->time.pieces[0];
		}
		s->end = i + 1;
		m->order[i] = places[i].section;
	}
	return true;
}

struct pimerge *pimerge_open(struct pifile *f, unsigned int what)
{
	struct pimerge *m = calloc(1, sizeof(*m));
	struct place *places = malloc((f->nsections + 1) * sizeof(*places));

	if (!m || !places || !file_time_build(f))
		goto no_memory;
	m->f = f;
	if (!make_streams(m, places, what))
		goto no_memory;
	free(places);
	return m;

no_memory:
	free(places);
	pimerge_close(m);
	errno = ENOMEM;
	return NULL;
}

/* The heads of all streams but the snapshots'. */
static void fill_heap(struct pimerge *m)
{
	for (size_t i = 0; i < m->nstreams; i++)
		if (!m->streams[i].snapshot && advance(m, &m->streams[i]))
			push(m, &m->streams[i]);
	if (m->nheap)
		settle(m, m->heap[0].key, m->heap[0].s);
}

static int give(const struct stream *s, struct pirecord *r)
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
	return 1;
}

/* Before the rings: the snapshots, which are the first stream. */
static int next_snapshot(struct pimerge *m, struct pirecord *r)
{
	if (m->nstreams && m->streams[0].snapshot && advance(m, &m->streams[0]))
		return give(&m->streams[0], r);
	fill_heap(m);
	m->phase = m->nheap ? RINGS : ENDED;
	return m->nheap ? give(m->heap[0].s, r) : 0;
}

int pimerge_next(struct pimerge *m, struct pirecord *r)
{
	struct stream *s;

	if (__builtin_expect(m->phase != RINGS, 0))
		return m->phase == ENDED ? 0 : next_snapshot(m, r);
	/* What was given out was the caller's until now. */
	s = m->heap[0].s;
	if (__builtin_expect(advance(m, s), 1)) {
		heap_key key = key_of(s);

		if (key <= m->limit)	/* its old key in the heap is good enough there */
			return give(s, r);
		settle(m, key, s);
	} else {
		if (!--m->nheap) {
			m->phase = ENDED;
			return 0;
		}
		settle(m, m->heap[m->nheap].key, m->heap[m->nheap].s);
	}
	return give(m->heap[0].s, r);
}

void pimerge_progress(const struct pimerge *m, uint64_t *done, uint64_t *total)
{
	*done = m->done;
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
	free(m->order);
	free(m);
}
