/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The trees of calls of a Java VM's threads, as its logs have them, and the records that reports
 * read: names, then for each node and each value that is not 0 a sample of that many ticks. Each
 * value is an event.
 */
#ifndef POST_JPROF_TREE_H
#define POST_JPROF_TREE_H

#include "input/faults.h"
#include "input/jprof/jprof_methods.h"
#include "record/input.h"
#include "record/stack_record.h"

#define JPROF_COLUMNS 32        /* of a log, at most */
#define JPROF_NOBODY  0x400001u /* no process has this number */

struct jprof_node {
	uint32_t parent; /* NO_KEY: a thread */
	uint32_t method; /* of a thread the one that stands for none */
	uint32_t depth;  /* 0: a thread */
	uint32_t thread; /* its place */
	uint64_t calls;
};

struct jprof_thread {
	uint32_t tid;
	uint32_t length;
	size_t name;     /* in the names */
	uint64_t begins; /* when its samples do */
};

/* What is shown of a node: a column, or the sum of two. */
struct jprof_value {
	char name[64];
	int32_t column, plus; /* -1: none; both: how often it was called */
};

struct jprof_tree {
	struct fault_list faults;
	struct jprof_methods methods;
	uint32_t pid, outside;   /* the method that stands for none */
	struct jprof_node *node; /* parents before children */
	uint32_t nodes, room_nodes;
	uint64_t *column; /* `columns` for each node */
	size_t room_column;
	uint32_t columns;
	struct jprof_thread *thread;
	uint32_t threads, room_threads;
	char *names;
	size_t used_names, room_names;
	struct jprof_value value[2 * JPROF_COLUMNS + 1];
	uint32_t values;
	uint64_t total[2 * JPROF_COLUMNS + 1];
	struct blob symbols;
	uint64_t file_size;
	uint64_t began; /* of what comes before all samples */
	uint64_t start; /* of the first sample */
	/* A pass: */
	unsigned int what;
	uint32_t given; /* records before those */
	uint32_t at, next_value;
	uint32_t named, step; /* threads */
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

/* Each returns 0 or -ENOMEM; a node goes to *node. Its columns are 0. */
int jprof_tree_open(struct jprof_tree *t, struct input *in, const char *collector);
int jprof_tree_thread(struct jprof_tree *t, uint32_t tid, const char *name, size_t length,
		      uint32_t *node);
/* A thread has another name from its beginning. */
int jprof_tree_rename(struct jprof_tree *t, uint32_t node, const char *name, size_t length);
int jprof_tree_node(struct jprof_tree *t, uint32_t parent, uint32_t method, uint32_t *node);
/* NULL: a log without values has none. */
static inline uint64_t *jprof_tree_columns(const struct jprof_tree *t, uint32_t node)
{
	return t->columns ? t->column + (size_t)node * t->columns : NULL;
}
/* A value by its event's name. */
void jprof_tree_value(struct jprof_tree *t, const char *name, int32_t column, int32_t plus);
/* What the number-th metric (1, …) is called: "wall" of "wall (cycles) by …". */
void jprof_tree_unit(struct input *in, uint32_t number, const char *text, size_t length);
/* The values BASE and DELTA of a metric: base, raw and delta, with its number if it has one. */
void jprof_tree_metric(struct jprof_tree *t, unsigned int number, int32_t base, int32_t delta);
void jprof_tree_calls(struct jprof_tree *t);
/* After the last node: adds up, makes the symbols. */
int jprof_tree_finish(struct jprof_tree *t);
void jprof_tree_free(struct jprof_tree *t);

/* The records of a pass: those before all others; then, in the order of the trees, names of threads
 * and their samples, one after the other from `start` on, each as long as its first value. 1; 0: no
 * more. */
void jprof_tree_begin(struct jprof_tree *t, unsigned int what);
int jprof_tree_first(struct jprof_tree *t, struct pirecord *r);
int jprof_tree_next(struct jprof_tree *t, struct pirecord *r);
/* The call of a node: what its sample's stack is. */
bool jprof_tree_place(const struct jprof_tree *t, uint32_t node, struct stack_place *place);
/* Section i. */
int jprof_tree_section(const struct jprof_tree *t, size_t i, struct input_section *section);

/* Stamps are places in the tree: when it was is not recorded. */
uint64_t jprof_tree_monotonic(struct input *in, uint64_t stamp);
uint64_t jprof_tree_realtime(struct input *in, uint64_t stamp);

/* The process that a log's name tells: NAME.N_PID. */
uint32_t jprof_pid(const struct input *in);

#endif
