/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Budgets: what functions may take. A line of the file is
 *
 *	PATTERN METRIC LIMIT [TOLERANCE]
 *
 * PATTERN: a function, * and ? stand for others, behind a backslash for themselves; with semicolons
 * the functions that lead to it.
 * METRIC: [EVENT:]self or [EVENT:]total. LIMIT: a number, a part in percent, or "base": what another
 * input has. TOLERANCE: percent of the limit, or standard errors.
 */
#ifndef POST_BUDGET_H
#define POST_BUDGET_H

#include <stdio.h>

#include "compare/comparison.h"

#define BUDGET_BYTES (1u << 24)
#define BUDGET_LINES 100000u
#define BUDGET_CHAIN 64u /* functions in a pattern */

enum budget_limit { LIMIT_NUMBER, LIMIT_PART, LIMIT_BASE };

struct budget_line {
	uint32_t line; /* in the file, from 1 */
	char *pattern; /* as it was given, without quotes */
	char *event;   /* NULL: the one that is read without a choice */
	bool total;
	enum budget_limit kind;
	double limit;     /* a number; a part of one */
	double tolerance; /* a part of the limit, */
	bool errors;      /* … or standard errors */
	/* What came of it: */
	double value, base, allowed;
	bool matched, broken;
};

struct budget {
	struct budget_line *list;
	uint32_t count, room;
};

/* 0; -ENOMEM; -EINVAL: *line is wrong, `what` says why. */
int budget_read(struct budget *b, const char *text, size_t size, uint32_t *line, char what[128]);
void budget_free(struct budget *b);
/* Whether any line of this event (NULL: none) needs another input. */
bool budget_needs_base(const struct budget *b);
/* The first line from `from` on whose event no line before it has; b->count: none. */
uint32_t budget_next_event(const struct budget *b, uint32_t from);
bool budget_same_event(const char *a, const char *b);

/* What a pattern's functions have of an input: own values; or those with all that is called, once
 * where one of them is below another. matched: there is one at all. 0 or -ENOMEM. */
int budget_value(const struct comparison *c, const char *pattern, bool total, uint32_t input,
		 int64_t *value, bool *matched);
/* Judges the lines of this event by the last input; the first one is what "base" is, if there are
 * two. parts: the base is compared as parts of all. exact: there are no standard errors. */
int budget_judge(struct budget *b, const struct comparison *c, const char *event, bool parts,
		 bool exact);

/* A budget of what the first input has: each function with own values. */
int budget_write(const struct comparison *c, const struct functions_compared *f, double clip,
		 bool exact, FILE *out);

#endif
