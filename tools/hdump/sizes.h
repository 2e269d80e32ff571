/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The sizes of objects in memory. HPROF has only the bytes of their values: the VM's layout (object
 * headers, references of four or eight bytes) is inferred from distances between objects.
 */
#ifndef HDUMP_SIZES_H
#define HDUMP_SIZES_H

#include "classes.h"

#define LAYOUTS 8

struct object_layout {
	uint8_t head;  /* bytes of an instance's header */
	uint8_t array; /* bytes of an array's header */
	uint8_t ref;
};

struct class_sizes {
	uint64_t fits[LAYOUTS]; /* arrays whose distance agrees with the layout */
	uint64_t asked;
	uint8_t align, id_size;
	struct object_layout layout; /* the chosen one */
};

void sizes_begin(struct class_sizes *s, uint8_t id_size, uint64_t all_ids);
/* Adds the distance from an array to the next object. */
void sizes_array(struct class_sizes *s, uint8_t type, uint32_t count, uint64_t gap);
void sizes_instance(struct heap_class *k, uint64_t gap);
/* Chooses a layout and sets each class's `size`. `low`: all ids are below 32 GiB. */
int sizes_finish(struct class_sizes *s, struct classes *c, bool low);
uint64_t sizes_of_array(const struct class_sizes *s, uint8_t type, uint32_t count);
/* Returns the size of the class object itself, with its statics. */
uint64_t sizes_of_class(const struct class_sizes *s, const struct classes *c,
			const struct heap_class *k, uint64_t gap);

#endif
