/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Several inputs beside each other, added, subtracted, tested, held to budgets: arcf, post -diff.
 */
#ifndef POST_COMPARE_H
#define POST_COMPARE_H

#include <stdio.h>

#include "compare/comparison.h"
#include "options.h"

struct json;

enum compare_what {
	COMPARE_BESIDE, /* a column an input */
	COMPARE_ADDED,
	COMPARE_SUBTRACTED, /* all others from the first one */
	COMPARE_LEAST,
	COMPARE_DIFFERENCE, /* the second one and the first, with a test of each line */
	COMPARE_NEW_BUDGET, /* one that the input just keeps */
};

/* How values of two inputs are compared. */
enum compare_scale {
	SCALE_AUTO,     /* samples as parts, exact counts as they are */
	SCALE_PARTS,    /* as parts of all their input has */
	SCALE_ABSOLUTE, /* as they are */
};

enum compare_sure { SURE_AUTO, SURE_EXACT, SURE_SAMPLED };

struct compare_options {
	enum compare_what what;
	enum compare_key key;
	enum compare_scale scale;
	enum compare_sure sure; /* what values are, if their format leaves that open */
	bool totals;            /* with all that is below, in place of own values */
	bool folded;
	bool page;          /* COMPARE_DIFFERENCE, BY_PROCESS: the page of -html */
	uint64_t rows;      /* of text, at most; 0: all */
	const char *budget; /* file; or NULL */
};
#define COMPARE_ROWS  30
#define COMPARE_LEVEL 0.05 /* of all lines together */

/* Reads n files, writes what is wanted of them to o's output. The exit code: EXIT_DAMAGED also for
 * a budget that is broken. */
int compare_files(struct options *o, const struct compare_options *how, const char *const *paths,
		  uint32_t n);

/* ---- what its parts share -------------------------------------------------------------------- */

struct compare {
	struct options *options;
	const struct compare_options *how;
	struct comparison all;
	struct functions_compared functions; /* BY_NAME, or of a page */
	bool parts, exact;                   /* as compare_scale, compare_sure turned out */
};

/* Lines are functions or calls, by how->key. */
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
/* What lines are compared and sorted by. */
static inline const int64_t *compare_values(const struct compare *c, uint32_t line)
{
	return c->how->totals ? compare_total(c, line) : compare_self(c, line);
}

/* Its parts: each returns 0 or -errno. */
int show_beside(const struct compare *c, FILE *out);
int show_difference(const struct compare *c, FILE *out);
int show_folded(const struct compare *c, FILE *out);
int show_page(const struct compare *c, FILE *out);
/* Its heading: which inputs. */
void show_inputs(const struct compare *c, FILE *out);
void json_inputs(const struct compare *c, struct json *j);

#endif
