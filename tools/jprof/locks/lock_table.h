/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The counts of each monitor. This part is independent of the VM. */
#ifndef JPROF_LOCK_TABLE_H
#define JPROF_LOCK_TABLE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define LOCK_STACKS 4   /* pairs of stacks that are kept for a monitor */
#define LOCK_FRAMES 512 /* size of a stack's text */

/* Stacks of the blocked thread and of the holder; "" if unknown. */
struct lock_stack {
	uint64_t times;
	char *waiter, *holder;
};

enum lock_kind {
	LOCK_MONITOR,
	LOCK_PARKS, /* threads park there: gets that do not block are not seen */
};

struct lock_record {
	char *name;
	enum lock_kind kind;
	uint64_t nonrec, rec, held;   /* gets; ns of finished holds: updated without the lock */
	uint64_t slow;                /* finished enters that blocked */
	uint64_t unseen;              /* those of them that are no counted get */
	uint64_t blocked, longest;    /* ns of these */
	uint64_t waits, waited;       /* calls of Object.wait, ns in them */
	uint64_t looked, more_stacks; /* blocks so far; stacks that had no room */
	struct lock_stack stack[LOCK_STACKS];
};

#define LOCK_CHUNK  1024
#define LOCK_CHUNKS 1024

/* Records never move: counting takes no lock. */
struct lock_table {
	struct lock_record *chunk[LOCK_CHUNKS]; /* number 0 is shared by monitors without room */
	uint32_t count, most;
	bool gets; /* gets are counted: JLM */
};

/* Returns 0 or -ENOMEM. */
int lock_table_init(struct lock_table *t, uint32_t most);
void lock_table_free(struct lock_table *t);
/* Clears the counts; the monitors keep their numbers. */
void lock_table_reset(struct lock_table *t);
/* Adds a record and returns its number, 0 if there is no room. One thread at a time. */
uint32_t lock_table_add(struct lock_table *t, const char *name, enum lock_kind kind);
static inline struct lock_record *lock_table_get(const struct lock_table *t, uint32_t number)
{
	return &t->chunk[number / LOCK_CHUNK][number % LOCK_CHUNK];
}
/* Count a get, and the ns of a finished hold. Any thread may call them at any time. */
void lock_got(struct lock_record *r, bool again);
void lock_held(struct lock_record *r, uint64_t ns);
void lock_blocked(struct lock_record *r, uint64_t ns);
/* Counts a finished enter that blocked in code that reports no gets: those of the monitor are not
 * all known then. */
void lock_unseen(struct lock_record *r);
void lock_waited(struct lock_record *r, uint64_t ns);
/* Returns whether to take the stacks of this block: stacks cost more than counts. */
bool lock_wants_stack(struct lock_record *r);
void lock_add_stack(struct lock_record *r, const char *waiter, const char *holder);

/* Writes the monitors that were used, sorted by SLOW, then by blocked time, then by gets. */
void lock_table_write(const struct lock_table *t, FILE *out, uint64_t ns);

#endif
