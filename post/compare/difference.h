/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the second input has more or less than the first, line by line, and whether that is more
 * than samples differ by chance. */
#ifndef POST_DIFFERENCE_H
#define POST_DIFFERENCE_H

#include "compare/compare.h"

struct difference_line {
	const char *name;
	uint32_t line;       /* function or call */
	uint32_t id, parent; /* of a call; parent NO_KEY: outermost */
	uint32_t depth;
	bool is_call, has_parent, sampled;
	int64_t a, b;
	double part_a, part_b; /* percent of all */
	double delta;          /* percentage points, or what values count */
	double error;          /* … its standard error */
	double change;         /* percent of what it was */
	bool has_change;
	const char *state; /* new, gone; or NULL */
	bool tested, significant;
	double p, adjusted;
};

struct difference {
	struct difference_line *list; /* what has changed most, and surely, first */
	uint32_t count, tested, significant;
};

/* 0 or -ENOMEM. */
int difference_of(struct difference *d, const struct compare *c);
/* Of a tree: in its order, the first `most` of the lines (0: all) and all that are significant,
 * with their callers. The number of those. 0 or -ENOMEM. */
int difference_as_tree(struct difference *d, const struct compare *c, uint64_t most);
/* In words: of what, and how many lines changed. (show_difference.c) */
void difference_explain(const struct compare *c, const struct difference *d, FILE *out);
void difference_free(struct difference *d);

#endif
