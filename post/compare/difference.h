/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The difference between the second input and the first, line by line, and whether it exceeds the
 * chance variation of samples. */
#ifndef POST_DIFFERENCE_H
#define POST_DIFFERENCE_H

#include "compare/compare.h"

struct difference_line {
	const char *name;
	uint32_t line;       /* index of the function or call */
	uint32_t id, parent; /* of a call; parent NO_KEY: outermost */
	uint32_t depth;
	bool is_call, has_parent, sampled;
	int64_t a, b;
	double part_a, part_b; /* percent of the total */
	double delta;          /* percentage points, or the unit of the values */
	double error;          /* standard error of delta */
	double change;         /* percent of the first value */
	bool has_change;
	const char *state; /* new, gone; or NULL */
	bool tested, significant;
	double p, adjusted;
};

struct difference {
	struct difference_line *list; /* sorted by significance, then size of the change */
	uint32_t count, tested, significant;
};

/* 0 or -ENOMEM. */
int difference_of(struct difference *d, const struct compare *c);
/* Puts the list into tree order: the first `most` lines (0: all) and all significant ones, with
 * their callers. Sets `count`. Returns 0 or -ENOMEM. */
int difference_as_tree(struct difference *d, const struct compare *c, uint64_t most);
/* Prints what is compared and how many lines changed. (show_difference.c) */
void difference_explain(const struct compare *c, const struct difference *d, FILE *out);
void difference_free(struct difference *d);

#endif
