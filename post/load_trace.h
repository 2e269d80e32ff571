/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A trace from its path to a model that reports read: opened, filtered, read, closed again. */
#ifndef POST_LOAD_H
#define POST_LOAD_H

#include "job.h"
#include "sandbox/opener.h"

struct loaded {
	struct options *options;
	struct input input, passing; /* passing: what the filter lets through */
	struct trace trace;
	struct model model;
	struct tree_ground ground;
	struct filtered filtered;
	struct job job;
};

/* Once, before others' files are read: nothing but these outputs can be written afterwards. */
void load_shut_in(const struct options *o, const struct opener_output *output, unsigned int n);

/* Each returns EXIT_CLEAN, or EXIT_UNREADABLE after a message. load_close() follows in any case. */
int load_open(struct loaded *l, struct options *o);
/* The same for a path that may be of a format without a reader: then EXIT_UNREADABLE comes without
 * a message, and the reason is in fault. */
int load_try(struct loaded *l, struct options *o, struct pifile_fault *fault);
int load_read(struct loaded *l, unsigned int needs);
void load_close(struct loaded *l);

#endif
