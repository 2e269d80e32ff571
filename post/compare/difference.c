/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "compare/difference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compare/chance.h"

/* Returns the variance of a fraction of n samples. */
static double part_variance(double part, double n)
{
	return n > 0 ? part * (1 - part) / n : 0;
}

static void compare_line(const struct compare *c, struct difference_line *l)
{
	double all_a = (double)c->all.input[0].total, all_b = (double)c->all.input[1].total;
	double a = (double)l->a, b = (double)l->b;
	double part_a = all_a > 0 ? a / all_a : 0, part_b = all_b > 0 ? b / all_b : 0;

	l->part_a = 100 * part_a;
	l->part_b = 100 * part_b;
	l->state = !l->a && l->b ? "new" : l->a && !l->b ? "gone" : NULL;
	l->has_change = !l->state && l->a;
	if (c->parts) {
		l->delta = l->part_b - l->part_a;
		l->error = 100 * sqrt(part_variance(part_a, all_a) + part_variance(part_b, all_b));
		l->change = l->has_change && part_a > 0 ? 100 * (part_b / part_a - 1) : 0;
	} else {
		l->delta = b - a;
		l->error = sqrt(a + b);
		l->change = l->has_change ? 100 * (b / a - 1) : 0;
	}
}

static void test_line(const struct compare *c, const struct difference_line *l, struct chance *x)
{
	uint64_t a = (uint64_t)l->a, b = (uint64_t)l->b;
	uint64_t all_a = (uint64_t)c->all.input[0].total, all_b = (uint64_t)c->all.input[1].total;

	if (c->parts) {
		x->least = chance_least_of_parts(a + b, all_a, all_b);
		x->p = chance_of_parts(a, all_a, b, all_b);
	} else {
		x->least = chance_least_of_counts(a + b);
		x->p = chance_of_counts(a, b);
	}
}

/* Exact values need no test: every difference is real. */
static void count_exact(struct difference *d)
{
	for (uint32_t i = 0; i < d->count; i++) {
		d->list[i].significant = d->list[i].delta != 0;
		d->significant += d->list[i].significant;
	}
}

static int test_all(struct difference *d, const struct compare *c)
{
	struct chance *list = calloc((size_t)d->count + 1, sizeof(*list));
	uint32_t i;
	int rc;

	if (!list)
		return -ENOMEM;
	for (i = 0; i < d->count; i++)
		test_line(c, &d->list[i], &list[i]);
	rc = chance_correct(list, d->count, COMPARE_LEVEL);
	for (i = 0; i < d->count && !rc; i++) {
		struct difference_line *l = &d->list[i];

		l->sampled = true;
		l->tested = list[i].tested;
		l->p = list[i].p;
		l->adjusted = list[i].adjusted;
		l->significant = l->tested && l->adjusted <= COMPARE_LEVEL;
		d->tested += l->tested;
		d->significant += l->significant;
	}
	free(list);
	return rc;
}

static int by_rank(const void *pa, const void *pb)
{
	const struct difference_line *a = pa, *b = pb;
	double delta_a = fabs(a->delta), delta_b = fabs(b->delta);
	int by_name;

	if (a->significant != b->significant)
		return a->significant ? -1 : 1;
	if (delta_a != delta_b)
		return delta_a > delta_b ? -1 : 1;
	by_name = strcmp(a->name, b->name);
	return by_name ? by_name : a->line < b->line ? -1 : 1;
}

/* A line without any value is skipped: the own value of a call that only calls others. */
static bool has_values(const struct compare *c, uint32_t line)
{
	const int64_t *value = compare_values(c, line);

	return value[0] || value[1];
}

static void fill_line(const struct compare *c, uint32_t line, struct difference_line *l)
{
	const int64_t *value = compare_values(c, line);

	*l = (struct difference_line){
		.name = compare_name(c, line),
		.line = line,
		.id = line,
		.parent = NO_KEY,
		.a = value[0],
		.b = value[1],
	};
	if (!compare_by_name(c)) {
		l->is_call = true;
		l->parent = c->all.call[line].parent;
		l->has_parent = l->parent != NO_KEY;
		l->depth = c->all.call[line].depth;
	}
	compare_line(c, l);
}

int difference_of(struct difference *d, const struct compare *c)
{
	uint32_t i, lines = compare_lines(c);
	int rc = 0;

	*d = (struct difference){ .list = calloc((size_t)lines + 1, sizeof(*d->list)) };
	if (!d->list)
		return -ENOMEM;
	for (i = 0; i < lines; i++) {
		if (has_values(c, i))
			fill_line(c, i, &d->list[d->count++]);
	}
	if (c->exact)
		count_exact(d);
	else
		rc = test_all(d, c);
	qsort(d->list, d->count, sizeof(*d->list), by_rank);
	return rc;
}

/* Chooses the lines of a tree to print: the selected ones and their callers. place: the index in
 * the list, by call. */
static void choose(const struct difference *d, const struct compare *c, uint64_t most,
		   uint32_t *place, bool *shown)
{
	uint32_t i, call;

	for (i = 0; i < c->all.calls; i++)
		place[i] = NO_KEY;
	for (i = 0; i < d->count; i++) {
		call = d->list[i].line;
		place[call] = i;
		if (most && i >= most && !d->list[i].significant)
			continue;
		for (; call != NO_KEY && !shown[call]; call = c->all.call[call].parent)
			shown[call] = true;
	}
}

int difference_as_tree(struct difference *d, const struct compare *c, uint64_t most)
{
	uint32_t *place = calloc((size_t)c->all.calls + 1, sizeof(*place)), i, n = 0;
	bool *shown = calloc((size_t)c->all.calls + 1, sizeof(*shown));
	struct difference_line *list = calloc((size_t)c->all.calls + 1, sizeof(*list));
	int rc = place && shown && list ? 0 : -ENOMEM;

	if (!rc)
		choose(d, c, most, place, shown);
	for (i = rc ? NO_KEY : comparison_next(&c->all, NO_KEY); i != NO_KEY;
	     i = comparison_next(&c->all, i)) {
		if (!shown[i])
			continue;
		if (place[i] == NO_KEY) /* all its values are those of its callees */
			fill_line(c, i, &list[n++]);
		else
			list[n++] = d->list[place[i]];
	}
	free(place);
	free(shown);
	if (rc) {
		free(list);
		return rc;
	}
	free(d->list);
	d->list = list;
	d->count = n;
	return 0;
}

void difference_free(struct difference *d)
{
	free(d->list);
	*d = (struct difference){ NULL };
}
