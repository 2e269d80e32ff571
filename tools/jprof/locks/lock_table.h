/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What has been counted of each monitor. Nothing here knows of a VM. */
#ifndef JPROF_LOCK_TABLE_H
#define JPROF_LOCK_TABLE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define LOCK_STACKS 4   /* pairs that are kept of a monitor */
#define LOCK_FRAMES 512 /* characters of a stack */

/* Who blocked where, and who held it where; "": not known. */
struct lock_stack {
	uint64_t times;
	char *waiter, *holder;
};

enum lock_kind {
	LOCK_MONITOR,
	LOCK_PARKS, /* threads park there: nobody sees gets that do not block */
};

struct lock_record {
	char *name;
	enum lock_kind kind;
	uint64_t nonrec, rec, held;   /* gets; ns of holds that are over: changed without a lock */
	uint64_t slow;                /* enters that blocked, and are over */
	uint64_t blocked, longest;    /* ns of them */
	uint64_t waits, waited;       /* Object.wait, ns in it */
	uint64_t looked, more_stacks; /* stacks that were taken; those without room */
	struct lock_stack stack[LOCK_STACKS];
};

#define LOCK_CHUNK  1024
#define LOCK_CHUNKS 1024

/* Records stay where they are: who counts holds no lock. */
struct lock_table {
	struct lock_record *chunk[LOCK_CHUNKS]; /* number 0 is of monitors without room */
	uint32_t count, most;
	bool gets; /* they are counted: JLM */
};

/* 0 or -ENOMEM. */
int lock_table_init(struct lock_table *t, uint32_t most);
void lock_table_free(struct lock_table *t);
/* Forget what was counted; the monitors keep their numbers. */
void lock_table_reset(struct lock_table *t);
/* A new one's number; 0: there is no room. One thread at a time. */
uint32_t lock_table_add(struct lock_table *t, const char *name, enum lock_kind kind);
static inline struct lock_record *lock_table_get(const struct lock_table *t, uint32_t number)
{
	return &t->chunk[number / LOCK_CHUNK][number % LOCK_CHUNK];
}
/* A get; held: of a hold that is over the ns. By any thread at any time. */
void lock_got(struct lock_record *r, bool again);
void lock_held(struct lock_record *r, uint64_t ns);
void lock_blocked(struct lock_record *r, uint64_t ns);
void lock_waited(struct lock_record *r, uint64_t ns);
/* Whether the next one that blocks is to be looked at: stacks cost more than counts. */
bool lock_wants_stack(struct lock_record *r);
void lock_add_stack(struct lock_record *r, const char *waiter, const char *holder);

/* Those that somebody got, blocked or waited at, by SLOW, then by how long, then by gets. */
void lock_table_write(const struct lock_table *t, FILE *out, uint64_t ns);

#endif
