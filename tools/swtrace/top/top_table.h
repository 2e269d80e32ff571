/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A bounded table of rows with counts. A row has the counts of the last interval and those since
 * the last reset. When the table is full, the half of the rows with the fewest counts is folded
 * into one count, `others`, so that sums stay exact.
 */
#ifndef TOP_TABLE_H
#define TOP_TABLE_H

#include <stdbool.h>
#include <stdint.h>
#include "base/keys.h"
#include "ptt.h"

#define TOP_NAME_BYTES 1024 /* names are truncated here, but still have rows of their own */

enum top_span { TOP_INTERVAL, TOP_SUM, TOP_SPANS };

struct top_count {
	uint64_t ticks; /* of a thread; of a function: in its own code */
	uint64_t under; /* of a function: ticks with the function on their stacks */
	uint64_t off;   /* ns off its CPU */
	uint64_t metric[PTT_METRICS];
};

struct top_row {
	uint64_t key, second; /* the two parts of the key */
	/* of: a function's module, a thread's process name, a process's cgroup */
	char *name, *of;
	uint32_t pid, tid;
	uint64_t group;     /* of a process: the key of its cgroup; 0: not looked up */
	uint64_t marked;    /* the model's: the last sample or interval that counted it */
	uint64_t off_since; /* ns, when the thread left its CPU; 0: it is running */
	struct top_count count[TOP_SPANS];
};

struct top_table {
	struct top_row *row;
	uint32_t n, room, most; /* most: rows */
	uint32_t generation;    /* incremented when rows move */
	struct keys keys;
	struct top_count others[TOP_SPANS];
	uint64_t folded; /* number of rows folded into `others` */
};

void top_count_add(struct top_count *to, const struct top_count *c);
void top_table_init(struct top_table *t, uint32_t most);
void top_table_free(struct top_table *t);
/* Finds or creates a row. Returns its index, valid until the next call, which may move rows; NO_KEY
 * without memory. */
uint32_t top_table_get(struct top_table *t, uint64_t key, uint64_t second);
/* Finds a row. Returns NO_KEY if there is none. */
uint32_t top_table_find(const struct top_table *t, uint64_t key, uint64_t second);
/* Sets a name if it differs. Returns 0 or -ENOMEM. */
int top_name_set(char **name, const char *text);
void top_table_add(struct top_table *t, uint32_t row, const struct top_count *c);
/* Begins a new interval; sum: also clears the sums. */
void top_table_begin(struct top_table *t, bool sum);
/* Returns 0, or -ENOMEM: then the copy is empty. */
int top_table_copy(struct top_table *to, const struct top_table *from);
/* Adds up all rows and `others`. */
void top_table_total(const struct top_table *t, enum top_span span, struct top_count *total);
/* Returns a hash of a text. */
uint64_t top_hash(const char *text);

#endif
