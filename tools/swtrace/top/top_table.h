/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Rows with counts, of a bounded number. A row has what the last interval added and what was added
 * since the last reset. When there is no room the rows with the fewest counts, half of all, become
 * one, the others: sums stay exact.
 */
#ifndef TOP_TABLE_H
#define TOP_TABLE_H

#include <stdbool.h>
#include <stdint.h>
#include "base/keys.h"
#include "ptt.h"

#define TOP_NAME_BYTES 1024 /* of a name are kept; what differs behind them are different rows */

enum top_span { TOP_INTERVAL, TOP_SUM, TOP_SPANS };

struct top_count {
	uint64_t ticks; /* of the thread; of a function: in its own code */
	uint64_t under; /* of a function: ticks that had it on their stacks */
	uint64_t off;   /* ns off its CPU */
	uint64_t metric[PTT_METRICS];
};

struct top_row {
	uint64_t key, second; /* what it is told apart by */
	/* of: of a function its module, of a thread its process's name, of a process its cgroup */
	char *name, *of;
	uint32_t pid, tid;
	uint64_t group;     /* of a process: the key of its cgroup; 0: not looked up */
	uint64_t marked;    /* its user's: what it was looked at last for */
	uint64_t off_since; /* ns, of a thread off its CPU; 0: it is not */
	struct top_count count[TOP_SPANS];
};

struct top_table {
	struct top_row *row;
	uint32_t n, room, most; /* most: rows */
	uint32_t generation;    /* counts when rows change their places */
	struct keys keys;
	struct top_count others[TOP_SPANS];
	uint64_t folded; /* rows that are in others */
};

void top_count_add(struct top_count *to, const struct top_count *c);
void top_table_init(struct top_table *t, uint32_t most);
void top_table_free(struct top_table *t);
/* Finds or makes a row. Another one may lose its place meanwhile: places hold until the next call.
 * NO_KEY: no memory. */
uint32_t top_table_get(struct top_table *t, uint64_t key, uint64_t second);
/* The same; NO_KEY also where there is none. */
uint32_t top_table_find(const struct top_table *t, uint64_t key, uint64_t second);
/* Sets a name, if it is another one. 0 or -ENOMEM. */
int top_name_set(char **name, const char *text);
void top_table_add(struct top_table *t, uint32_t row, const struct top_count *c);
/* A new interval begins; sum: and what was added up before is forgotten. */
void top_table_begin(struct top_table *t, bool sum);
/* 0 or -ENOMEM: then the copy is empty. */
int top_table_copy(struct top_table *to, const struct top_table *from);
/* What all rows and the others have together. */
void top_table_total(const struct top_table *t, enum top_span span, struct top_count *total);
/* A number for a text, of any length. */
uint64_t top_hash(const char *text);

#endif
