/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Single objects in reports: what they are called, which retain most. */
#ifndef HDUMP_OBJECTS_H
#define HDUMP_OBJECTS_H

#include "hdump.h"
#include "json.h"

#define OBJECT_ROWS 30 /* unless -n says more: a dump has millions */

struct big {
	uint64_t retained, own; /* bytes */
	uint32_t object;
	uint32_t number; /* of dominators; 0: a leaf */
	uint32_t depth;  /* in a tree */
};

/* Written as the form wants it: in words "java.lang.Thread 0x…", "class java.lang.Thread 0x…" */
char *object_name(const struct heap *h, uint32_t object);
void object_json(struct json *j, const struct heap *h, uint32_t object);
/* The `most` that retain most, sorted. NULL: no memory. */
struct big *objects_biggest(const struct heap *h, uint64_t most, uint64_t *count);

#endif
