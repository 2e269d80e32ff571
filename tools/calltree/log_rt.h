/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* log-rt: the call trees of all threads, as in the paper's figure 6. */
#ifndef LOG_RT_H
#define LOG_RT_H

#include <stdbool.h>
#include <stdio.h>

#include "calibration_file.h"
#include "call_source.h"

struct log_rt {
	const struct call_source *source;
	bool values;       /* BASE and DELTA, not only CALLS and CEE */
	bool types;        /* a letter for each method's type */
	bool static_types; /* small letters for static methods */
	uint64_t least;    /* calls with less BASE of the first metric, callees included, are
			    * added to their caller, not shown. 0: all are shown */
	/* How the values are calibrated. */
	const char *key;                   /* conditions of the minima (calibration_key.h) */
	const struct calibration *trained; /* minima of earlier runs */
	struct calibration_file *file;     /* receives this run's minima; NULL: not saved */
	const char *no_file;               /* why they are not saved; NULL: not requested */
};

/* Written by libhookit after the nodes and an empty line: for each function its name, then the
 * functions inlined in it as lines "NAME at FILE:LINE" with a tab before; up to an empty line. */
#define LOG_RT_INLINED "inlined, and counted with the function that it is in:"

/* Writes the log and saves this run's minima; if the file refuses them, how->no_file is set.
 * Returns 0 or -errno: the log is truncated. */
int log_rt_write(FILE *out, struct log_rt *how);

#endif
