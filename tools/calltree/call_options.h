/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Options for call trees, parsed from a text with commas between them. Each user has a table, of
 * these and its own options. An unknown option is an error.
 */
#ifndef CALL_OPTIONS_H
#define CALL_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "method_filter.h"

/* Must be the first member of a user's own options. */
struct call_options {
	bool tree;         /* without values */
	bool metrics;      /* were chosen */
	bool trace;        /* each entry and exit as well */
	bool types;        /* a letter before each name */
	bool no_minima;    /* minima of other runs are neither used nor saved */
	char minima[4096]; /* the file of minima; "": in the user's cache */
	/* The folder and the name prefix of the logs; "": the working folder, default names. */
	char path[4096], prefix[256];
	unsigned int parts; /* requested by the options */
};

/* o is the user's struct. Returns NULL, or an error message. */
typedef const char *call_option_set(void *o, const char *text, size_t n);

struct call_option {
	const char *name; /* ends with '=' if it takes a value */
	const char *argument, *help;
	call_option_set *set; /* NULL: help */
	unsigned int parts;
};

struct call_option_list {
	const struct call_option *rows; /* the last one has no name */
	const char *program;
	const char *after; /* appended to each error message */
	void (*usage)(void);
};

/* Returns 1: continue; 0: help was printed; -1: an error was printed. from: the text's origin, for
 * messages. */
int call_options_take(const struct call_option_list *l, struct call_options *o, const char *from,
		      const char *text);
/* Returns the option at the beginning of a text of n bytes; NULL: unknown. */
const struct call_option *call_option_find(const struct call_option_list *l, const char *text,
					   size_t n);
/* Prints the message and returns -1. */
int call_options_wrong(const struct call_option_list *l, const char *from, const char *text,
		       size_t n, const char *why);

call_option_set call_set_nothing, call_set_tree, call_set_flow, call_set_trace, call_set_types,
	call_set_metrics, call_set_minima, call_set_path, call_set_prefix;

const char *call_take_filter(struct method_filter *f, const char *text, size_t n);
const char *call_take_name(char *to, size_t size, const char *text, size_t n);

/* Makes the logs' folder absolute: the program may change its working folder, and so may its
 * children. Without a working folder it stays relative. */
void call_absolute_path(struct call_options *o);

#endif
