/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a page shows, in numbers: the tree of calls, its functions, processes and threads, and what
 * each call had itself, by thread, CPU and slice of time. Each thing is there once.
 */
#ifndef POST_HTML_TREE_H
#define POST_HTML_TREE_H

#include "export/html/html_events.h"

enum html_frame_kind { /* bits */
		       HTML_KERNEL = 1,
		       HTML_INLINED = 2,
		       HTML_JIT = 4,
		       HTML_UNKNOWN = 8, /* of no known function */
		       HTML_IDLE = 16,
};

struct html_frame {
	uint32_t symbol;
	bool kernel;
};

struct html_node {
	uint32_t up;   /* its number less its caller's; 0: a root */
	uint32_t what; /* a frame; of a root a process */
	uint64_t times;
};

/* Something of the model that has a number in the page once it is used. */
struct html_used {
	uint32_t *number; /* of each in the model, + 1; 0: not used */
	uint32_t *list;   /* in the model, of each here */
	uint32_t count, room, all;
};

/* The page's slices of time, all equally long, as many as needed for samples and events. */
struct html_grid {
	uint64_t from;
	unsigned int shift; /* a slice has 2^shift ns */
	uint32_t count;
	uint64_t before; /* slices of the model's length in front of its first */
};

struct html_tree {
	const struct job *job;
	struct texts texts;
	struct calls calls; /* of functions, in place of places */
	struct html_used processes, threads;
	struct html_frame *frame;
	uint32_t frames, room_frame;
	struct keys by_frame;
	struct html_node *node; /* of each of the calls */
	struct sums sums;       /* their stacks are nodes; thread NO_KEY: not known */
	struct html_events events;
	uint64_t total;
	bool timed; /* job's slices are of these sums; else there is one slice */
	struct html_grid grid;
};

/* 0, -ENOMEM, or REPORT_WRONG, which was told. */
int html_tree_make(struct html_tree *t, const struct job *job);
void html_tree_free(struct html_tree *t);
/* Where slices of samples and of events are in the grid. */
static inline uint32_t html_tree_slice(const struct html_tree *t, uint32_t slice)
{
	return (uint32_t)((t->grid.before + slice) >>
			  (t->grid.shift - t->job->model->slices.shift));
}
static inline uint32_t html_tree_event_slice(const struct html_tree *t, uint32_t slice)
{
	return slice >> (t->grid.shift - t->events.slices.shift);
}
/* What stands for the frame: bits of html_frame_kind. */
unsigned int html_tree_kind(const struct html_tree *t, const struct html_frame *f);

#endif
