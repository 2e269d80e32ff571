/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A heap as it was dumped: what is in it, by classes and objects. The file is read three times: for
 * the ids, for who refers to whom, and for classes and sizes. Memory is a small part of the dump's.
 */
#ifndef HDUMP_HEAP_H
#define HDUMP_HEAP_H

#include "classes.h"
#include "dominators.h"
#include "dump_file.h"
#include "hprof.h"
#include "ids.h"
#include "progress.h"
#include "sizes.h"

#define UNIT 8u /* sizes are multiples of it */

struct class_sum {
	uint64_t objects, bytes;
	uint64_t retained; /* bytes of what its objects dominate, none of them twice */
};

struct heap_root {
	uint64_t id;
	uint8_t kind;
};

struct heap {
	struct dump_file file;
	struct hprof h;
	struct classes classes;
	struct ids ids;
	struct class_sizes sizes;
	struct graph graph;
	struct dominators dom;

	struct heap_root *roots;
	uint64_t root_count, root_room;
	uint64_t *root; /* a bit for each object */

	/* By objects' numbers. */
	uint16_t *class_low, *class_high; /* class_high: NULL where there are few classes */
	/* By leaves, from 0 on: the dominator (NO_OBJECT: it is not reached), and the units. */
	uint32_t *leaf_idom, *leaf_units;
	/* By dominators' numbers, units that they retain. */
	uint32_t *retained;
	uint8_t *retained_high; /* NULL: none has so much */
	uint32_t *child, *sibling;

	struct class_sum *sums; /* by class */
	uint64_t objects, bytes, reached, reached_bytes;
	uint64_t twice;          /* objects with an id that was there before */
	uint64_t dangling;       /* references to what is not in the dump */
	struct dump_fault fault; /* the dump was read up to here; what: "": all of it */

	struct progress *progress;
	unsigned int pass, passes;

	/* Of the pass that is under way. */
	uint32_t current, current_number, last_class;
	uint64_t class_edge;
	int error;
};

/* The first pass: ids, classes, roots. 0; -EINVAL: it is no dump at all (h->fault); -errno. */
int heap_open(struct heap *h, const char *path, struct progress *progress, unsigned int passes);
/* The second: the graph, how large objects are. */
int heap_graph(struct heap *h);
/* The third: classes, sizes; after that dominators are known, and what objects retain. */
int heap_dominators(struct heap *h);
/* Children of dominators, and what classes retain. */
int heap_classes(struct heap *h);
void heap_close(struct heap *h);

/* One more pass, by a sink of the caller's; `h->arg` is the heap. */
int heap_pass(struct heap *h, const struct hprof_sink *sink);
bool heap_is_root(const struct heap *h, uint32_t object);
const char *heap_root_name(uint8_t kind);
uint32_t heap_class_of(const struct heap *h, uint32_t object);
uint64_t heap_retained(const struct heap *h, uint32_t number);
/* Size of an object from its sub-record. */
uint64_t heap_size_of(const struct heap *h, const struct hprof_object *o, uint32_t class);
/* The class of an object by its sub-record; NO_CLASS. */
uint32_t heap_class_in(struct heap *h, const struct hprof_object *o);

static inline struct heap *heap_of(struct hprof *h)
{
	return h->arg;
}

#endif
