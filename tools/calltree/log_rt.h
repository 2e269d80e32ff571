/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* log-rt: the call trees of all threads, as the paper's figure 6 has them. */
#ifndef LOG_RT_H
#define LOG_RT_H

#include <stdbool.h>
#include <stdio.h>

#include "calibration_file.h"
#include "call_source.h"

struct log_rt {
	const struct call_source *source;
	bool values;       /* BASE and DELTA, not CALLS and CEE alone */
	bool types;        /* a letter for each method's type */
	bool static_types; /* small ones for static methods */
	uint64_t least;    /* BASE of the first metric that a call's line has with all it called;
			    * what has less is its caller's. 0: all are shown */
	/* How the values are calibrated. */
	const char *key;                   /* what the minima are of */
	const struct calibration *trained; /* what runs before have learnt */
	struct calibration_file *file;     /* where this one's go; NULL: nowhere */
	const char *no_file;               /* why not, or NULL: nobody wants one */
};

/* Behind the nodes and an empty line, of libhookit: a function's name, then in lines that begin
 * with a tab what is inlined in it, "NAME at FILE:LINE"; and so on, up to an empty line. */
#define LOG_RT_INLINED "inlined, and counted with the function that it is in:"

/* Keeps this run's minima, too: when the file refuses them, how->no_file is why. 0 or -errno: what
 * was written is cut. */
int log_rt_write(FILE *out, struct log_rt *how);

#endif
