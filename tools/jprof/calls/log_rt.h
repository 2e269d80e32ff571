/* SPDX-License-Identifier: GPL-3.0-or-later */
/* log-rt: the call trees of all threads, as the paper's figure 6 has them. */
#ifndef LOG_RT_H
#define LOG_RT_H

#include <stdbool.h>
#include <stdio.h>

struct log_rt {
	bool values;        /* BASE and DELTA, not CALLS and CEE alone */
	bool types;         /* a letter for each method's type */
	bool static_types;  /* small ones for static methods */
	const char *metric; /* what is measured, in words */
};

/* 0 or -errno: what was written is cut. */
int log_rt_write(FILE *out, const struct log_rt *how);

#endif
