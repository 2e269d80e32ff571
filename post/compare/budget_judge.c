/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checks functions against the budgets of their patterns. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/pattern.h"
#include "compare/budget.h"
#include "escape.h"

/* The names in a pattern, innermost first. */
struct chain {
	uint32_t n;
	const char *link[BUDGET_CHAIN];
	size_t length[BUDGET_CHAIN];
};

static void cut(struct chain *chain, const char *pattern)
{
	const char *end = pattern + strlen(pattern), *p;

	for (chain->n = 0; chain->n < BUDGET_CHAIN; end = p - 1) {
		p = memrchr(pattern, ';', (size_t)(end - pattern));
		p = p ? p + 1 : pattern;
		chain->link[chain->n] = p;
		chain->length[chain->n++] = (size_t)(end - p);
		if (p == pattern)
			break;
	}
}

/* Returns whether a call ends the chain. fits: for each name, whether it matches the innermost
 * pattern. */
static bool leads_to(const struct comparison *c, const struct chain *chain, const bool *fits,
		     uint32_t call)
{
	uint32_t i;

	if (!fits[c->call[call].name])
		return false;
	for (i = 1; i < chain->n; i++) {
		call = c->call[call].parent;
		if (call == NO_KEY ||
		    !pattern_fits(chain->link[i], chain->length[i], c->name[c->call[call].name]))
			return false;
	}
	return true;
}

int budget_value(const struct comparison *c, const char *pattern, bool total, uint32_t input,
		 int64_t *value, bool *matched)
{
	bool *fits = malloc((size_t)c->names + 1), outer = false;
	uint32_t i, below = 0; /* callees below this depth are counted already */
	struct chain chain;

	if (!fits)
		return -ENOMEM;
	cut(&chain, pattern);
	for (i = 0; i < c->names; i++)
		fits[i] = pattern_fits(chain.link[0], chain.length[0], c->name[i]);
	*value = 0;
	*matched = false;
	for (i = comparison_next(c, NO_KEY); i != NO_KEY; i = comparison_next(c, i)) {
		outer = outer && c->call[i].depth > below;
		if (!leads_to(c, &chain, fits, i))
			continue;
		*matched |= values_at(c, c->total, i)[input] != 0;
		if (!total) {
			*value += values_at(c, c->self, i)[input];
		} else if (!outer) {
			*value += values_at(c, c->total, i)[input];
			outer = true;
			below = c->call[i].depth;
		}
	}
	free(fits);
	return 0;
}

/* ---- checking -------------------------------------------------------------------------------- */

/* Returns the standard error of a value that is exactly at its limit. */
static double error_of(const struct budget_line *l, double all, double all_base, bool parts)
{
	double both;

	switch (l->kind) {
	case LIMIT_NUMBER:
		return sqrt(l->limit);
	case LIMIT_PART:
		return sqrt(all * l->limit * (1 - l->limit));
	case LIMIT_BASE:
		if (!parts)
			return sqrt(l->value + l->base);
		both = (l->value + l->base) / (all + all_base);
		return all_base > 0 ? all * sqrt(both * (1 - both) * (1 / all + 1 / all_base)) : 0;
	}
	return 0;
}

static void judge(struct budget_line *l, double all, double all_base, bool parts, bool exact)
{
	double limit = l->limit;

	if (l->kind == LIMIT_PART)
		limit = l->limit * all;
	if (l->kind == LIMIT_BASE)
		limit = !parts ? l->base : all_base > 0 ? l->base * all / all_base : 0;
	l->allowed = limit + (!l->errors ? l->tolerance * limit :
			      exact      ? 0 :
					   l->tolerance * error_of(l, all, all_base, parts));
	/* Fractions are rounded in their last digits. A pattern that matches nothing breaks its
	 * budget unless the limit is 0: otherwise a renamed function would pass forever. */
	l->broken = l->value > l->allowed * (1 + 1e-12) || (!l->matched && limit > 0);
}

int budget_judge(struct budget *b, const struct comparison *c, const char *event, bool parts,
		 bool exact)
{
	uint32_t last = c->inputs - 1, i;
	double all = (double)c->input[last].total, all_base = (double)c->input[0].total;
	bool matched;
	int64_t value;
	int rc = 0;

	for (i = 0; i < b->count && !rc; i++) {
		struct budget_line *l = &b->list[i];

		if (!budget_same_event(l->event, event))
			continue;
		rc = budget_value(c, l->pattern, l->total, last, &value, &l->matched);
		l->value = (double)value;
		if (!rc && l->kind == LIMIT_BASE) {
			rc = budget_value(c, l->pattern, l->total, 0, &value, &matched);
			l->base = (double)value;
		}
		if (!rc)
			judge(l, all, all_base, parts, exact);
	}
	return rc;
}

/* ---- a new budget ---------------------------------------------------------------------------- */

/* Replaces bytes that no terminal should get by ?, which matches them. */
static void print_pattern(FILE *out, const char *name)
{
	size_t plain;

	putc('"', out);
	while (*name) {
		for (plain = escape_plain(name); plain; plain--, name++) {
			if (strchr("\"*?", *name))
				putc('\\', out);
			putc(*name, out);
		}
		if (*name)
			fputs(*name++ == '\\' ? "\\\\" : "?", out);
	}
	putc('"', out);
}

struct budgeted {
	uint32_t name;
	int64_t value;
};

static int by_budget(const void *pa, const void *pb)
{
	const struct budgeted *a = pa, *b = pb;

	if (a->value != b->value)
		return a->value > b->value ? -1 : 1;
	return a->name < b->name ? -1 : 1;
}

int budget_write(const struct comparison *c, const struct functions_compared *f, double clip,
		 bool exact, FILE *out)
{
	struct budgeted *list = malloc(((size_t)c->names + 1) * sizeof(*list));
	double all = (double)c->input[0].total;
	uint32_t i, n = 0;

	if (!list)
		return -ENOMEM;
	for (i = 0; i < c->names; i++) {
		int64_t value = values_at(c, f->self, i)[0];

		if (value > 0 && 100 * (double)value / all >= clip)
			list[n++] = (struct budgeted){ i, value };
	}
	qsort(list, n, sizeof(*list), by_budget);
	fputs("# PATTERN METRIC LIMIT TOLERANCE\n", out);
	for (i = 0; i < n; i++) {
		print_pattern(out, c->name[list[i].name]);
		if (exact)
			fprintf(out, " self %" PRId64 " 0%%\n", list[i].value);
		else
			fprintf(out, " self %.4f%% 4se\n", 100 * (double)list[i].value / all);
	}
	free(list);
	return 0;
}
