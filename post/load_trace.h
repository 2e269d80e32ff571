/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loads a trace from its path into the model that reports read: open, filter, read, close. */
#ifndef POST_LOAD_H
#define POST_LOAD_H

#include "job.h"
#include "sandbox/opener.h"

struct loaded {
	struct options *options;
	struct input input, passing; /* passing: the records that the filter passes */
	struct trace trace;
	struct model model;
	struct tree_ground ground;
	struct filtered filtered;
	struct job job;
};

/* Enters the sandbox. Call once, before opening untrusted files: afterwards only these outputs can
 * be written. */
void load_shut_in(const struct options *o, const struct opener_output *output, unsigned int n);

/* Return EXIT_CLEAN, or EXIT_UNREADABLE after a message. Call load_close() in either case. */
int load_open(struct loaded *l, struct options *o);
/* The same for a path whose format may have no reader: returns EXIT_UNREADABLE without a message
 * then, with the reason in `fault`. */
int load_try(struct loaded *l, struct options *o, struct pifile_fault *fault);
int load_read(struct loaded *l, unsigned int needs);
void load_close(struct loaded *l);

#endif
