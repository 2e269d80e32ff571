/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A dump by classes: all that is kept of a heap to compare it with another one. */
#ifndef HDUMP_ROWS_H
#define HDUMP_ROWS_H

#include "heap.h"

struct class_row {
	char *name;
	int64_t objects, bytes, retained;
	bool own; /* a class of the program, not of the VM's boot loader */
};

struct rows {
	struct class_row *list; /* initially sorted by name */
	uint32_t count;
};

/* Makes one row for all classes of the same name. Returns 0 or -ENOMEM. */
int rows_of(struct rows *r, const struct heap *h);
/* Subtracts a from b and keeps classes where something differs. */
int rows_differ(struct rows *r, const struct rows *a, const struct rows *b);
/* Sorts by retained bytes or by the difference, largest first. */
void rows_sort(struct rows *r, bool differences);
void rows_free(struct rows *r);
const struct class_row *rows_find(const struct rows *r, const char *name);

#endif
