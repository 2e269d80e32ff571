/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The options in the environment variable HOOKITOPTS. */
#ifndef HOOKIT_OPTIONS_H
#define HOOKIT_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "call_options.h"

struct hookit_options {
	struct call_options calls;
	bool events;     /* each event as a record of the program's trace */
	bool waits;      /* measuring waits for HookitOn() */
	bool no_signals; /* signals that end the program are not caught */
	bool patches;    /* patches sites of the program */
	bool lines;      /* appends the source place to each name */
	bool arguments;  /* separates calls of some functions by values */
	struct method_filter functions;
	uint32_t depth; /* levels of calls; 0: all */
	uint64_t least; /* of the first metric: calls with less in total are left out */
	bool least_is_ns;
};

/* Reads them once. Returns NULL if nothing is to be measured, or after a message about an error. */
const struct hookit_options *hookit_options(void);
/* Options of an attaching process, instead of those in the environment. If options were read
 * before, only the folder, the functions and the minimum time change. NULL: as above. */
const struct hookit_options *hookit_options_asked(const char *text);

#endif
