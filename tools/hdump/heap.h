/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A heap as it was dumped: what is in it, by classes and objects. The file is read three times: for
 * the ids, for who refers to whom, and for classes and sizes. Memory is a small part of the dump's.
 */
#ifndef HDUMP_HEAP_H
#define HDUMP_HEAP_H

#include "bits.h"
#include "classes.h"
#include "dominators.h"
#include "dump_file.h"
#include "hprof.h"
#include "ids.h"
#include "progress.h"
#include "shapes.h"
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

/* Of the object that has it, `from` is what the pass calls it by. */
struct heap_reference {
	uint64_t id;
	const struct ids_line *step; /* of ids_ask() */
	uint32_t from;
};
#define HEAP_WAITING 32u

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

	/* By dominators' numbers, behind them by leaves. */
	struct shapes shapes;
	/* By leaves, from 0 on: the dominator; NO_OBJECT: it is not reached. */
	uint32_t *leaf_idom;
	/* By dominators' numbers, units that they retain. */
	uint32_t *retained;
	uint8_t *retained_high; /* NULL: none has so much */

	struct class_sum *sums; /* by class */
	uint64_t objects, bytes, reached, reached_bytes;
	struct dump_fault fault; /* the dump was read up to here; what: "": all of it */

	/* Set after heap_open(): classes alone are asked for. Ids and texts are given back as soon
	 * as they can be. */
	bool only_classes;
	struct progress *progress;
	unsigned int pass, passes;

	/* Of the pass that is under way. */
	uint32_t current; /* the object; in the third pass its number for dominators */
	uint32_t last_class, recent[64];
	struct heap_reference waiting[HEAP_WAITING];
	unsigned int next_waiting;
	uint32_t adding;  /* the object whose references are added */
	bool twice_there; /* it had its own before */
	int error;
};

/* The first pass: ids, classes, roots. 0; -EINVAL: it is no dump at all (h->fault); -errno. */
int heap_open(struct heap *h, const char *path, struct progress *progress, unsigned int passes);
/* The second: the graph, how large objects are. */
int heap_graph(struct heap *h);
/* The third: classes, sizes; after that dominators are known, and what objects retain. */
int heap_dominators(struct heap *h);
/* What classes retain. */
int heap_classes(struct heap *h);
void heap_close(struct heap *h);

/* One more pass, by a sink of the caller's; `h->arg` is the heap. */
int heap_pass(struct heap *h, const struct hprof_sink *sink);
const char *heap_root_name(uint8_t kind);
uint32_t heap_class_of(const struct heap *h, uint32_t object);
uint64_t heap_bytes_of(const struct heap *h, uint32_t object);
uint64_t heap_retained(const struct heap *h, uint32_t number);
/* Size of an object from its sub-record. */
uint64_t heap_size_of(const struct heap *h, const struct hprof_object *o, uint32_t class);
/* The class of an object by its sub-record; NO_CLASS. */
uint32_t heap_class_in(struct heap *h, const struct hprof_object *o);

static inline bool heap_is_root(const struct heap *h, uint32_t object)
{
	return bit_is_set(h->root, object);
}

static inline struct heap *heap_of(struct hprof *h)
{
	return h->arg;
}

#endif
