/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Several inputs side by side, added, subtracted, tested, checked against budgets: arcf, post
 * -diff. */
#ifndef POST_COMPARE_H
#define POST_COMPARE_H

#include <stdio.h>

#include "compare/comparison.h"
#include "options.h"

struct json;

enum compare_what {
	COMPARE_BESIDE, /* one column per input */
	COMPARE_ADDED,
	COMPARE_SUBTRACTED, /* all others from the first one */
	COMPARE_LEAST,
	COMPARE_DIFFERENCE, /* second minus first, with a test of each line */
	COMPARE_NEW_BUDGET, /* a new budget that the input just meets */
};

/* How values of two inputs are compared. */
enum compare_scale {
	SCALE_AUTO,     /* fractions for samples, absolute for exact counts */
	SCALE_PARTS,    /* fractions of the input's total */
	SCALE_ABSOLUTE, /* unchanged */
};

enum compare_sure { SURE_AUTO, SURE_EXACT, SURE_SAMPLED };

struct compare_options {
	enum compare_what what;
	enum compare_key key;
	enum compare_scale scale;
	enum compare_sure sure; /* kind of the values, if their format leaves it open */
	bool totals;            /* including callees, instead of own values */
	bool folded;
	bool page;          /* COMPARE_DIFFERENCE, BY_PROCESS: as the page of -html */
	uint64_t rows;      /* maximum rows of text; 0: all */
	const char *budget; /* file; or NULL */
};
#define COMPARE_ROWS  30
#define COMPARE_LEVEL 0.05 /* for all lines together */

/* Reads n files and writes the result to o's output. Returns the exit code: EXIT_DAMAGED also for a
 * broken budget. */
int compare_files(struct options *o, const struct compare_options *how, const char *const *paths,
		  uint32_t n);

/* ---- shared by its parts --------------------------------------------------------------------- */

struct compare {
	struct options *options;
	const struct compare_options *how;
	struct comparison all;
	struct functions_compared functions; /* BY_NAME, or for a page */
	bool parts, exact;                   /* the resolved compare_scale and compare_sure */
};

/* A line is a function or a call, depending on how->key. */
static inline bool compare_by_name(const struct compare *c)
{
	return c->how->key == BY_NAME;
}
static inline uint32_t compare_lines(const struct compare *c)
{
	return compare_by_name(c) ? c->all.names : c->all.calls;
}
static inline const char *compare_name(const struct compare *c, uint32_t line)
{
	return c->all.name[compare_by_name(c) ? line : c->all.call[line].name];
}
static inline const int64_t *compare_self(const struct compare *c, uint32_t line)
{
	return values_at(&c->all, compare_by_name(c) ? c->functions.self : c->all.self, line);
}
static inline const int64_t *compare_total(const struct compare *c, uint32_t line)
{
	return values_at(&c->all, compare_by_name(c) ? c->functions.total : c->all.total, line);
}
/* Returns the values by which lines are compared and sorted. */
static inline const int64_t *compare_values(const struct compare *c, uint32_t line)
{
	return c->how->totals ? compare_total(c, line) : compare_self(c, line);
}

/* The output formats: each returns 0 or -errno. */
int show_beside(const struct compare *c, FILE *out);
int show_difference(const struct compare *c, FILE *out);
int show_folded(const struct compare *c, FILE *out);
int show_page(const struct compare *c, FILE *out);
/* Print the list of inputs. */
void show_inputs(const struct compare *c, FILE *out);
void json_inputs(const struct compare *c, struct json *j);

#endif
