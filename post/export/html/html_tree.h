/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a page shows, in numbers: the tree of calls, its functions, processes and threads, and what
 * each call had itself, by thread, CPU and slice of time. Each thing is there once.
 */
#ifndef POST_HTML_TREE_H
#define POST_HTML_TREE_H

#include "export/texts.h"
#include "job.h"

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
	uint64_t total;
	bool timed; /* job's slices are of these sums; else there is one slice */
};

/* 0, -ENOMEM, or REPORT_WRONG, which was told. */
int html_tree_make(struct html_tree *t, const struct job *job);
void html_tree_free(struct html_tree *t);
/* What stands for the frame: bits of html_frame_kind. */
unsigned int html_tree_kind(const struct html_tree *t, const struct html_frame *f);

#endif
