/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The data of a page as numbers: the tree of calls, its functions, processes and threads, and the
 * own values of each call, by thread, CPU and time slice. Each item is listed once.
 */
#ifndef POST_HTML_TREE_H
#define POST_HTML_TREE_H

#include "export/html/html_events.h"
#include "export/html/html_flow.h"

enum html_frame_kind { /* bits */
		       HTML_KERNEL = 1,
		       HTML_INLINED = 2,
		       HTML_JIT = 4,
		       HTML_UNKNOWN = 8, /* no function is known */
		       HTML_IDLE = 16,
};

struct html_frame {
	uint32_t symbol;
	bool kernel;
};

struct html_node {
	uint32_t up;   /* its number minus its caller's; 0: a root */
	uint32_t what; /* a frame; for a root, a process */
	uint64_t times;
};

/* Items of the model that have a number in the page once they are used. */
struct html_used {
	uint32_t *number; /* by index in the model, number + 1; 0: unused */
	uint32_t *list;   /* by number, the index in the model */
	uint32_t count, room, all;
};

/* The page's time slices, all of the same length, as many as samples and events need. */
struct html_grid {
	uint64_t from;
	unsigned int shift; /* a slice is 2^shift ns */
	uint32_t count;
	uint64_t before; /* slices of the model's length before its first one */
};

#define HTML_MORE 16 /* events beside the chosen one that a page has at most */

struct html_tree {
	const struct job *job;
	struct texts texts;
	struct calls calls; /* of functions instead of places */
	struct html_used processes, threads;
	struct html_frame *frame;
	uint32_t frames, room_frame;
	struct keys by_frame;
	struct html_node *node; /* by call */
	struct sums sums;       /* by node; thread NO_KEY: unknown */
	struct html_events events;
	struct html_flow flow; /* of instruction traces; its threads and frames are the page's */
	unsigned int kind[1 + HTML_MORE]; /* of events, by sums' numbers; 0: the chosen one */
	uint64_t totals[1 + HTML_MORE];
	uint32_t kinds;
	uint32_t counted;   /* the event that stands for what the chosen one counted; 0: none */
	bool counted_first; /* … is the page's first, where the samples are mere allocations */
	uint64_t total;     /* of the chosen event */
	bool timed;         /* the job's slices belong to these sums; else there is one slice */
	struct html_grid grid;
};

/* Returns 0, -ENOMEM, or REPORT_WRONG after a message. */
int html_tree_make(struct html_tree *t, const struct job *job);
void html_tree_free(struct html_tree *t);
/* Returns the page's number of an event that has this one in the model's sums. */
static inline uint32_t html_tree_event(const struct html_tree *t, uint32_t event)
{
	return !t->counted_first   ? event :
	       event == t->counted ? 0 :
	       event == 0          ? t->counted :
				     event;
}
/* Return the grid's slice for a slice of samples, or of events. */
static inline uint32_t html_tree_slice(const struct html_tree *t, uint32_t slice)
{
	return (uint32_t)((t->grid.before + slice) >>
			  (t->grid.shift - t->job->model->slices.shift));
}
static inline uint32_t html_tree_event_slice(const struct html_tree *t, uint32_t slice)
{
	return slice >> (t->grid.shift - t->events.slices.shift);
}
/* Returns the kind of the frame: bits of html_frame_kind. */
unsigned int html_tree_kind(const struct html_tree *t, const struct html_frame *f);

#endif
