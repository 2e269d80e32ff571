/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What trees of calls are asked for, by a text of options with commas between them. Each user has a
 * table of its own, of these and others. An unknown option is an error.
 */
#ifndef CALL_OPTIONS_H
#define CALL_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "method_filter.h"

/* The first member of a user's own. */
struct call_options {
	bool tree;         /* without what the calls took */
	bool trace;        /* each entry and exit as well */
	bool types;        /* a letter before each name */
	bool no_minima;    /* those of other runs are not used, nor kept */
	char minima[4096]; /* where they are kept; "": the user's cache */
	/* The logs; "": the working folder, as each log has it. */
	char path[4096], prefix[256];
	unsigned int parts; /* that the options ask for */
};

/* o is the user's own; says why not, or NULL. */
typedef const char *call_option_set(void *o, const char *text, size_t n);

struct call_option {
	const char *name; /* with '=': a text follows */
	const char *argument, *help;
	call_option_set *set; /* NULL: help */
	unsigned int parts;
};

struct call_option_list {
	const struct call_option *rows; /* the last one has no name */
	const char *program;
	const char *after; /* of each error */
	void (*usage)(void);
};

/* 1: go on; 0: nothing is wanted; -1: an error, after a message. from: where the text stands. */
int call_options_take(const struct call_option_list *l, struct call_options *o, const char *from,
		      const char *text);
/* The option that a text of so many bytes begins with; NULL: it is none. */
const struct call_option *call_option_find(const struct call_option_list *l, const char *text,
					   size_t n);
/* The message. */
int call_options_wrong(const struct call_option_list *l, const char *from, const char *text,
		       size_t n, const char *why);

call_option_set call_set_nothing, call_set_tree, call_set_flow, call_set_trace, call_set_types,
	call_set_metrics, call_set_minima, call_set_path, call_set_prefix;

const char *call_take_filter(struct method_filter *f, const char *text, size_t n);
const char *call_take_name(char *to, size_t size, const char *text, size_t n);

#endif
