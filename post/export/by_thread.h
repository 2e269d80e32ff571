/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Per-thread lists of items, for formats that write one thread after the other: items arrive in
 * time order and are kept here until their thread is written, column by column. Up to 16 MB stay in
 * memory; more are written by thread to an unnamed file (record/spill.h).
 */
#ifndef POST_BY_THREAD_H
#define POST_BY_THREAD_H

#include <stdint.h>

#include "record/spill.h"

struct by_thread {
	size_t size;      /* of an item, a multiple of 8, at most BY_THREAD_ROOM */
	uint32_t threads; /* number of entries */
	struct thread_list {
		uint64_t count;
		uint64_t first, last; /* offsets of its pieces in the file; 0: none */
		uint32_t begin, held; /* its items in memory: a range of `order` */
	} * thread;
	uint64_t *thing; /* items in memory, in time order */
	uint32_t *of;    /* their threads */
	uint32_t *order; /* their indexes, by thread */
	uint32_t held, room_thing, room_of, room_order;
	uint32_t most; /* maximum items in memory */
	struct spill spill;
};

#define BY_THREAD_HELD (16u << 20) /* bytes */
#define BY_THREAD_ROOM 16384u

void by_thread_open(struct by_thread *b, size_t size);
/* The functions return 0, or -errno after printing an error message. */
int by_thread_add(struct by_thread *b, uint32_t thread, const void *thing);
/* Ends adding; from here on the items can be read. */
int by_thread_end(struct by_thread *b);
void by_thread_free(struct by_thread *b);

/* Returns the number of a thread's items. */
static inline uint64_t by_thread_count(const struct by_thread *b, uint32_t thread)
{
	return thread < b->threads ? b->thread[thread].count : 0;
}

/* Reads a thread's items in time order. */
struct by_thread_reader {
	const struct by_thread *b;
	uint64_t left;     /* items of the thread */
	uint64_t in_piece; /* items of the piece that are not in `room` yet */
	uint64_t at, next; /* file offsets: the next item, the next piece */
	uint32_t used, have;
	uint64_t room[BY_THREAD_ROOM / 8];
};

void by_thread_begin(struct by_thread_reader *r, const struct by_thread *b, uint32_t thread);
/* Returns 1, 0 at the end, or -errno. The item is valid until the next call. */
int by_thread_next(struct by_thread_reader *r, const void **thing);

#endif
