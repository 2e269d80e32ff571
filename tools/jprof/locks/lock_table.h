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

struct lock_record {
	char *name;
	uint64_t slow;                /* enters that blocked, and are over */
	uint64_t blocked, longest;    /* ns of them */
	uint64_t waits, waited;       /* Object.wait, ns in it */
	uint64_t looked, more_stacks; /* stacks that were taken; those without room */
	struct lock_stack stack[LOCK_STACKS];
};

struct lock_table {
	struct lock_record *record; /* number 0 is of monitors without room */
	uint32_t count, room, most;
};

/* 0 or -ENOMEM. */
int lock_table_init(struct lock_table *t, uint32_t most);
void lock_table_free(struct lock_table *t);
/* Forget what was counted; the monitors keep their numbers. */
void lock_table_reset(struct lock_table *t);
/* A new one's number; 0: there is no room. */
uint32_t lock_table_add(struct lock_table *t, const char *name);
void lock_blocked(struct lock_record *r, uint64_t ns);
void lock_waited(struct lock_record *r, uint64_t ns);
/* Whether the next one that blocks is to be looked at: stacks cost more than counts. */
bool lock_wants_stack(struct lock_record *r);
void lock_add_stack(struct lock_record *r, const char *waiter, const char *holder);

/* Those that somebody blocked or waited at, by SLOW, then by how long. */
void lock_table_write(const struct lock_table *t, FILE *out, uint64_t ns);

#endif
