/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Budgets: limits for the cost of functions. A line of the file is
 *
 *	PATTERN METRIC LIMIT [TOLERANCE]
 *
 * PATTERN: a function's name; * and ? are wildcards, a backslash escapes them; semicolons separate
 * the functions of a call chain.
 * METRIC: [EVENT:]self or [EVENT:]total. LIMIT: a number, a percentage of the total, or "base": the
 * value of another input. TOLERANCE: percent of the limit, or standard errors.
 */
#ifndef POST_BUDGET_H
#define POST_BUDGET_H

#include <stdio.h>

#include "compare/comparison.h"

#define BUDGET_BYTES (1u << 24)
#define BUDGET_LINES 100000u
#define BUDGET_CHAIN 64u /* maximum functions in a pattern */

enum budget_limit { LIMIT_NUMBER, LIMIT_PART, LIMIT_BASE };

struct budget_line {
	uint32_t line; /* line number in the file, from 1 */
	char *pattern; /* as written, without quotes */
	char *event;   /* NULL: the default event */
	bool total;
	enum budget_limit kind;
	double limit;     /* a number, or a fraction of the total */
	double tolerance; /* a fraction of the limit, */
	bool errors;      /* or, if set, standard errors */
	/* The result: */
	double value, base, allowed;
	bool matched, broken;
};

struct budget {
	struct budget_line *list;
	uint32_t count, room;
};

/* Returns 0, -ENOMEM, or -EINVAL: *line is malformed, `what` holds the reason. */
int budget_read(struct budget *b, const char *text, size_t size, uint32_t *line, char what[128]);
void budget_free(struct budget *b);
/* Returns whether a line of this event (NULL: none) needs another input. */
bool budget_needs_base(const struct budget *b);
/* Returns the first line from `from` on whose event no earlier line has; b->count: none. */
uint32_t budget_next_event(const struct budget *b, uint32_t from);
bool budget_same_event(const char *a, const char *b);

/* Sums the values of a pattern's functions in an input: their own values, or (total) including
 * their callees, where nested matches count once. matched: any function matches. Returns 0 or
 * -ENOMEM. */
int budget_value(const struct comparison *c, const char *pattern, bool total, uint32_t input,
		 int64_t *value, bool *matched);
/* Checks the lines of this event against the last input; with two inputs the first one is the
 * "base". parts: compares fractions of the totals. exact: values have no standard errors. */
int budget_judge(struct budget *b, const struct comparison *c, const char *event, bool parts,
		 bool exact);

/* Writes a budget from the values of the first input: a line for each function with own values. */
int budget_write(const struct comparison *c, const struct functions_compared *f, double clip,
		 bool exact, FILE *out);

#endif
