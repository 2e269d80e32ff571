/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A dump by classes: what is left of a heap when it is compared with another one. */
#ifndef HDUMP_ROWS_H
#define HDUMP_ROWS_H

#include "heap.h"

struct class_row {
	char *name;
	int64_t objects, bytes, retained;
	bool own; /* of the program: not of the VM's boot loader */
};

struct rows {
	struct class_row *list; /* by name at first */
	uint32_t count;
};

/* Classes of one name are one row. 0 or -ENOMEM. */
int rows_of(struct rows *r, const struct heap *h);
/* What b has more than a: classes where something differs. */
int rows_differ(struct rows *r, const struct rows *a, const struct rows *b);
/* The one with most retained first, or of the largest difference. */
void rows_sort(struct rows *r, bool differences);
void rows_free(struct rows *r);
const struct class_row *rows_find(const struct rows *r, const char *name);

#endif
