/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Things of threads, for formats in which each thread has a list of its own: they come in the order
 * of time and are kept here until their thread is written, column by column. 16 MB of them are held
 * in memory; more are put away by thread in an unnamed file (record/spill.h).
 */
#ifndef POST_BY_THREAD_H
#define POST_BY_THREAD_H

#include <stdint.h>

#include "record/spill.h"

struct by_thread {
	size_t size;      /* of a thing, a multiple of 8, not above BY_THREAD_ROOM */
	uint32_t threads; /* that have an entry */
	struct thread_list {
		uint64_t count;
		uint64_t first, last; /* of its pieces in the file; 0: none */
		uint32_t begin, held; /* those in memory: of the order */
	} * thread;
	uint64_t *thing; /* held, in the order of time */
	uint32_t *of;    /* their threads */
	uint32_t *order; /* by thread */
	uint32_t held, room_thing, room_of, room_order;
	uint32_t most; /* that are held */
	struct spill spill;
};

#define BY_THREAD_HELD (16u << 20) /* bytes */
#define BY_THREAD_ROOM 16384u

void by_thread_open(struct by_thread *b, size_t size);
/* The functions return 0 or -errno; what is wrong with the file has been told. */
int by_thread_add(struct by_thread *b, uint32_t thread, const void *thing);
/* There are no more: from here on they can be read. */
int by_thread_end(struct by_thread *b);
void by_thread_free(struct by_thread *b);

/* How many a thread has. */
static inline uint64_t by_thread_count(const struct by_thread *b, uint32_t thread)
{
	return thread < b->threads ? b->thread[thread].count : 0;
}

/* A thread's things, in the order of time. */
struct by_thread_reader {
	const struct by_thread *b;
	uint64_t left;     /* of the thread */
	uint64_t in_piece; /* left in the file's piece, behind the room */
	uint64_t at, next; /* in the file: what comes next, the next piece */
	uint32_t used, have;
	uint64_t room[BY_THREAD_ROOM / 8];
};

void by_thread_begin(struct by_thread_reader *r, const struct by_thread *b, uint32_t thread);
/* 1; 0: there are no more; -errno. It stays until the next call. */
int by_thread_next(struct by_thread_reader *r, const void **thing);

#endif
