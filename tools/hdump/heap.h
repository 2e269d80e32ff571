/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A dumped heap, by classes and objects. The file is read three times: for the ids, for the
 * references, and for classes and sizes. This takes much less memory than the dump's size.
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

#define UNIT 8u /* sizes are multiples of this */

struct class_sum {
	uint64_t objects, bytes;
	uint64_t retained; /* bytes that its objects dominate, each counted once */
};

struct heap_root {
	uint64_t id;
	uint8_t kind;
};

/* A reference to be resolved; `from` identifies the referrer, in the way that the pass does. */
struct heap_reference {
	uint64_t id;
	const struct ids_line *step; /* from ids_ask() */
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

	/* Index: dominators' numbers, then leaves. */
	struct shapes shapes;
	/* Index: leaves, from 0 on. The immediate dominator; NO_OBJECT: unreachable. */
	uint32_t *leaf_idom;
	/* Index: dominators' numbers. Units that they retain. */
	uint32_t *retained;
	uint8_t *retained_high; /* bits above 32; NULL: not needed */

	struct class_sum *sums; /* by class */
	uint64_t objects, bytes, reached, reached_bytes;
	struct dump_fault fault; /* where reading ended; `what` is "" if at the end of the dump */

	/* Set after heap_open() if the caller needs only classes: ids and texts are freed as soon
	 * as possible. */
	bool only_classes;
	struct progress *progress;
	unsigned int pass, passes;

	/* State of the current pass. */
	uint32_t current; /* the object; in the third pass its number for dominators */
	uint32_t last_class, recent[64];
	struct heap_reference waiting[HEAP_WAITING];
	unsigned int next_waiting;
	uint32_t adding;  /* the object whose references are being added */
	bool twice_there; /* its references are known from an earlier dump of it */
	int error;
};

/* The first pass: ids, classes, roots. Returns 0; -EINVAL if the file is not a dump (h->fault says
 * why); or -errno. */
int heap_open(struct heap *h, const char *path, struct progress *progress, unsigned int passes);
/* The second pass: the graph, and the sizes of objects. */
int heap_graph(struct heap *h);
/* The third pass: classes and sizes; then computes dominators and what objects retain. */
int heap_dominators(struct heap *h);
/* Computes what classes retain. */
int heap_classes(struct heap *h);
void heap_close(struct heap *h);

/* Runs a further pass with the caller's sink; `h->arg` is the heap. */
int heap_pass(struct heap *h, const struct hprof_sink *sink);
const char *heap_root_name(uint8_t kind);
uint32_t heap_class_of(const struct heap *h, uint32_t object);
uint64_t heap_bytes_of(const struct heap *h, uint32_t object);
/* Whether the dump has the object, not only its id. */
bool heap_is_dumped(const struct heap *h, uint32_t object);
uint64_t heap_retained(const struct heap *h, uint32_t number);
/* Returns the size of an object from its sub-record. */
uint64_t heap_size_of(const struct heap *h, const struct hprof_object *o, uint32_t class);
/* Returns the class of an object from its sub-record, or NO_CLASS. */
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
