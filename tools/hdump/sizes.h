/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How large objects are in memory. HPROF has the bytes of their values alone: how a VM lays them
 * out (heads, references of four or eight bytes) is found by distances between objects.
 */
#ifndef HDUMP_SIZES_H
#define HDUMP_SIZES_H

#include "classes.h"

#define LAYOUTS 8

struct object_layout {
	uint8_t head;  /* of an instance */
	uint8_t array; /* of an array, up to its elements */
	uint8_t ref;
};

struct class_sizes {
	uint64_t fits[LAYOUTS]; /* arrays whose distance is what the layout says */
	uint64_t asked;
	uint8_t align, id_size;
	struct object_layout layout; /* the chosen one */
};

void sizes_begin(struct class_sizes *s, uint8_t id_size, uint64_t all_ids);
/* An array and the distance to the next object. */
void sizes_array(struct class_sizes *s, uint8_t type, uint32_t count, uint64_t gap);
void sizes_instance(struct heap_class *k, uint64_t gap);
/* A layout is chosen, and each class's `size` set. `low`: all ids are below 32 GiB. */
int sizes_finish(struct class_sizes *s, struct classes *c, bool low);
uint64_t sizes_of_array(const struct class_sizes *s, uint8_t type, uint32_t count);
/* Of the object that a class is itself, with its statics. */
uint64_t sizes_of_class(const struct class_sizes *s, const struct classes *c,
			const struct heap_class *k, uint64_t gap);

#endif
