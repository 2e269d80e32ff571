/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * When memory is full, the items of each thread are written to the file as one piece. The head of a
 * piece holds the offset of the thread's next one.
 */
#include "export/by_thread.h"

#include <errno.h>
#include <stdlib.h>

#include "base/array.h"

struct piece {
	uint64_t next; /* offset; 0: last piece */
	uint64_t count;
};

void by_thread_open(struct by_thread *b, size_t size)
{
	*b = (struct by_thread){ .size = size, .most = (uint32_t)(BY_THREAD_HELD / size) };
}

static const uint64_t *thing_at(const struct by_thread *b, uint32_t i)
{
	return b->thing + i * (b->size / 8);
}

/* Sorts by thread, keeping time order within each. */
static int sort(struct by_thread *b)
{
	uint32_t at = 0, i;

	if (array_room(b->order, b->room_order, b->held))
		return -ENOMEM;
	for (i = 0; i < b->threads; i++) {
		b->thread[i].begin = at;
		at += b->thread[i].held;
		b->thread[i].held = 0;
	}
	for (i = 0; i < b->held; i++) {
		struct thread_list *t = &b->thread[b->of[i]];

		b->order[t->begin + t->held++] = i;
	}
	return 0;
}

static int spill_thread(struct by_thread *b, struct thread_list *t)
{
	/* The file's first piece starts at offset 8, since offset 0 means none. */
	struct piece head = { .count = t->held };
	uint64_t at = b->spill.size;
	int rc = spill_add(&b->spill, &head, sizeof(head));

	for (uint32_t i = 0; i < t->held && !rc; i++)
		rc = spill_add(&b->spill, thing_at(b, b->order[t->begin + i]), b->size);
	if (!rc && t->last)
		rc = spill_put(&b->spill, t->last, &at, sizeof(at));
	if (!t->first)
		t->first = at;
	t->last = at;
	t->held = 0;
	return rc;
}

static int spill_samples(struct by_thread *b)
{
	static const uint64_t none;
	int rc = sort(b);

	if (!rc && !b->spill.size)
		rc = spill_add(&b->spill, &none, sizeof(none));
	for (uint32_t i = 0; i < b->threads && !rc; i++) {
		if (b->thread[i].held)
			rc = spill_thread(b, &b->thread[i]);
	}
	b->held = 0;
	return rc;
}

int by_thread_add(struct by_thread *b, uint32_t thread, const void *thing)
{
	uint64_t need = ((uint64_t)b->held + 1) * (b->size / 8);
	int rc = b->held == b->most ? spill_samples(b) : 0;

	if (rc)
		return rc;
	if (array_next(b->of, b->held, b->room_of) || array_room(b->thing, b->room_thing, need) ||
	    array_reach(b->thread, b->threads, thread))
		return -ENOMEM;
	memcpy(b->thing + b->held * (b->size / 8), thing, b->size);
	b->of[b->held++] = thread;
	b->thread[thread].held++;
	b->thread[thread].count++;
	return 0;
}

static void free_held(struct by_thread *b)
{
	free(b->thing);
	free(b->of);
	free(b->order);
	b->thing = NULL;
	b->of = b->order = NULL;
	b->held = b->room_thing = b->room_of = b->room_order = 0;
}

int by_thread_end(struct by_thread *b)
{
	int rc;

	if (!b->spill.size)
		return sort(b);
	rc = spill_samples(b);
	free_held(b);
	return rc;
}

void by_thread_free(struct by_thread *b)
{
	free_held(b);
	free(b->thread);
	spill_free(&b->spill);
	*b = (struct by_thread){ 0 };
}

void by_thread_begin(struct by_thread_reader *r, const struct by_thread *b, uint32_t thread)
{
	r->b = b;
	r->left = by_thread_count(b, thread);
	r->in_piece = r->used = r->have = 0;
	r->next = r->left ? b->thread[thread].first : 0;
	r->at = r->left ? b->thread[thread].begin : 0;
}

/* Reads the next part from the file. */
static int read_on(struct by_thread_reader *r)
{
	const struct by_thread *b = r->b;
	size_t bytes;
	int rc;

	if (!r->in_piece) {
		struct piece head;

		rc = spill_read(&b->spill, r->next, &head, sizeof(head));
		if (rc)
			return rc;
		r->at = r->next + sizeof(head);
		r->next = head.next;
		r->in_piece = head.count;
	}
	r->used = 0;
	r->have = (uint32_t)(sizeof(r->room) / b->size);
	if (r->have > r->in_piece)
		r->have = (uint32_t)r->in_piece;
	bytes = r->have * b->size;
	rc = spill_read(&b->spill, r->at, r->room, bytes);
	r->at += bytes;
	r->in_piece -= r->have;
	return rc;
}

int by_thread_next(struct by_thread_reader *r, const void **thing)
{
	const struct by_thread *b = r->b;
	int rc;

	if (!r->left)
		return 0;
	r->left--;
	if (!b->spill.size) {
		*thing = thing_at(b, b->order[r->at++]);
		return 1;
	}
	rc = r->used == r->have ? read_on(r) : 0;
	*thing = r->room + r->used++ * (b->size / 8);
	return rc ? rc : 1;
}
