/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The call trees of a Java VM's threads, as its logs have them, and the records made from them:
 * names, then for each node and each value other than 0 a sample of that many ticks. Each value is
 * an event.
 */
#ifndef POST_JPROF_TREE_H
#define POST_JPROF_TREE_H

#include "input/faults.h"
#include "input/jprof/jprof_methods.h"
#include "record/input.h"
#include "record/stack_record.h"

#define JPROF_COLUMNS 32        /* maximum columns of a log */
#define JPROF_NOBODY  0x400001u /* not a valid pid */

struct jprof_node {
	uint32_t parent; /* NO_KEY: a thread */
	uint32_t method; /* a thread has the method `outside` */
	uint32_t depth;  /* 0: a thread */
	uint32_t thread; /* index of its thread */
	uint64_t calls;
};

struct jprof_thread {
	uint32_t tid;
	uint32_t length;
	size_t name;     /* offset in `names` */
	uint64_t begins; /* time of its first sample */
};

/* A value of a node: a column, or the sum of two. */
struct jprof_value {
	char name[64];
	int32_t column, plus; /* -1: none; both -1: the number of calls */
};

struct jprof_tree {
	struct fault_list faults;
	struct jprof_methods methods;
	uint32_t pid, outside;   /* outside: the method of threads */
	struct jprof_node *node; /* parents before children */
	uint32_t nodes, room_nodes;
	uint64_t *column; /* `columns` values per node */
	size_t room_column;
	uint32_t columns;
	struct jprof_thread *thread;
	uint32_t threads, room_threads;
	char *names;
	size_t used_names, room_names;
	struct jprof_value value[2 * JPROF_COLUMNS + 1];
	uint32_t values;
	uint64_t total[2 * JPROF_COLUMNS + 1];
	bool called[JPROF_MODULES]; /* the modules that have calls */
	struct blob symbols;
	uint64_t file_size;
	uint64_t began; /* time of the records before all samples */
	uint64_t start; /* time of the first sample */
	/* State of a pass: */
	unsigned int what;
	uint32_t given; /* records returned before samples */
	uint32_t at, next_value;
	uint32_t named, step; /* thread being named */
	uint64_t time;
	struct jprof_sample {
		struct pitrace_sample sample;
		struct pitrace_stack stack;
		uint64_t address, place;
	} __attribute__((packed, aligned(4))) sample;
	struct pitrace_interval interval;
	struct pitrace_event_rec event;
	struct pitrace_mte_task task;
	struct {
		struct pitrace_mte_map map;
		char path[16];
	} __attribute__((packed, aligned(8))) map;
	struct {
		struct pitrace_user user;
		uint32_t length;
		char text[1024];
	} __attribute__((packed, aligned(4))) user;
};

/* Functions return 0 or -ENOMEM; a new node is stored in *node. Its columns are 0. */
int jprof_tree_open(struct jprof_tree *t, struct input *in, const char *collector);
int jprof_tree_thread(struct jprof_tree *t, uint32_t tid, const char *name, size_t length,
		      uint32_t *node);
/* Renames a thread from its beginning. */
int jprof_tree_rename(struct jprof_tree *t, uint32_t node, const char *name, size_t length);
int jprof_tree_node(struct jprof_tree *t, uint32_t parent, uint32_t method, uint32_t *node);
/* Returns a node's columns; NULL: a log without values. */
static inline uint64_t *jprof_tree_columns(const struct jprof_tree *t, uint32_t node)
{
	return t->columns ? t->column + (size_t)node * t->columns : NULL;
}
/* Adds a value with its event's name. */
void jprof_tree_value(struct jprof_tree *t, const char *name, int32_t column, int32_t plus);
/* Sets the unit of a metric (from 1): "wall" from "wall (cycles) by …". */
void jprof_tree_unit(struct input *in, uint32_t number, const char *text, size_t length);
/* Adds the values of a metric from BASE and DELTA: base, raw and delta, with its number if it has
 * one. */
void jprof_tree_metric(struct jprof_tree *t, unsigned int number, int32_t base, int32_t delta);
void jprof_tree_calls(struct jprof_tree *t);
/* Call after the last node: adds up, makes the symbols. */
int jprof_tree_finish(struct jprof_tree *t);
void jprof_tree_free(struct jprof_tree *t);

/* The records of a pass: first those before all samples; then, in tree order, the names of threads
 * and their samples, consecutively from `start` on, each as long as its first value. Return 1; 0:
 * no more. */
void jprof_tree_begin(struct jprof_tree *t, unsigned int what);
int jprof_tree_first(struct jprof_tree *t, struct pirecord *r);
int jprof_tree_next(struct jprof_tree *t, struct pirecord *r);
/* Finds the call of a node, for its sample's stack. */
bool jprof_tree_place(const struct jprof_tree *t, uint32_t node, struct stack_place *place);
/* Returns section i. */
int jprof_tree_section(const struct jprof_tree *t, size_t i, struct input_section *section);

/* Stamps are positions in the tree: times are not recorded. */
uint64_t jprof_tree_monotonic(struct input *in, uint64_t stamp);
uint64_t jprof_tree_realtime(struct input *in, uint64_t stamp);

/* Returns the pid in a log's name: NAME.N_PID. */
uint32_t jprof_pid(const struct input *in);

#endif
