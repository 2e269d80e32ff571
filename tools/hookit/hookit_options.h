/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What HOOKITOPTS in the environment asks for. */
#ifndef HOOKIT_OPTIONS_H
#define HOOKIT_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "call_options.h"

struct hookit_options {
	struct call_options calls;
	bool tells;     /* each event as a record of the trace that is taken of the program */
	bool waits;     /* the program says when it begins */
	bool patches;   /* sites of the program are patched */
	bool lines;     /* behind each name where the function's source is */
	bool arguments; /* calls of some functions are apart by one */
	struct method_filter functions;
	uint32_t depth; /* levels of calls; 0: all */
	uint64_t least; /* of the first metric: calls that have less in all are left out */
	bool least_is_ns;
};

/* Read once. NULL: nothing is wanted, or what is wrong was said. */
const struct hookit_options *hookit_options(void);
/* Instead of those in the environment, by who attaches. What was read before stays but for what may
 * change: the folder, which functions, and the least time. NULL: as above. */
const struct hookit_options *hookit_options_asked(const char *text);

#endif
