/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Single objects in reports: their names, and which retain most. */
#ifndef HDUMP_OBJECTS_H
#define HDUMP_OBJECTS_H

#include "hdump.h"
#include "json.h"

#define OBJECT_ROWS 30 /* the default of -n: a dump has millions */

struct big {
	uint64_t retained, own; /* bytes */
	uint32_t object;
	uint32_t number; /* in the dominator tree; 0: a leaf */
	uint32_t depth;  /* in a tree */
};

/* Write an object as text or JSON. Text: "java.lang.Thread 0x…", "class java.lang.Thread 0x…" */
char *object_name(const struct heap *h, uint32_t object);
void object_json(struct json *j, const struct heap *h, uint32_t object);
/* Returns the `most` objects that retain most, sorted; NULL without memory. */
struct big *objects_biggest(const struct heap *h, uint64_t most, uint64_t *count);

#endif
