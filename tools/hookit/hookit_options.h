/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What HOOKITOPTS in the environment asks for. */
#ifndef HOOKIT_OPTIONS_H
#define HOOKIT_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "method_filter.h"

struct hookit_options {
	bool tree;         /* without what the calls took */
	bool trace;        /* each entry and exit as well */
	bool tells;        /* … as records of the trace that is taken of the program */
	bool types;        /* a letter before each name */
	bool waits;        /* the program says when it begins */
	bool no_minima;    /* those of other runs are not used, nor kept */
	char minima[4096]; /* where they are kept; "": the user's cache */
	struct method_filter functions;
	uint32_t depth; /* levels of calls; 0: all */
	uint64_t least; /* of the first metric: calls that have less in all are left out */
	bool least_is_ns;
	char path[4096], prefix[256]; /* "": the working folder, log-rt */
};

/* 1: go on; 0: nothing is wanted; -1: an error, after a message. */
int hookit_options_take(struct hookit_options *o, const char *text);

#endif
