/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "compare/chance.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

/* Terms smaller than this fraction of the sum are ignored. */
#define NOTHING 1e-17

static double log_choose(uint64_t n, uint64_t k)
{
	return lgamma((double)n + 1) - lgamma((double)k + 1) - lgamma((double)(n - k) + 1);
}

/* The ratio P(X = k + 1) / P(X = k) for both distributions. q and all_*: as in struct draw. */
struct draw {
	uint64_t both;         /* balls drawn */
	uint64_t all_a, all_b; /* without replacement, from so many; 0: binomial, p = 1/2 */
};

static double ratio_up(const struct draw *d, uint64_t k)
{
	double rest = (double)(d->both - k), next = (double)(k + 1);

	if (!d->all_a)
		return rest / next;
	return rest * (double)(d->all_a - k) / (next * (double)(d->all_b - d->both + k + 1));
}

static double log_of(const struct draw *d, uint64_t k)
{
	if (!d->all_a)
		return log_choose(d->both, k) - (double)d->both * log(2);
	return log_choose(d->all_a, k) + log_choose(d->all_b, d->both - k) -
	       log_choose(d->all_a + d->all_b, d->both);
}

static uint64_t least_of(const struct draw *d)
{
	return d->all_a && d->both > d->all_b ? d->both - d->all_b : 0;
}

static uint64_t most_of(const struct draw *d)
{
	return d->all_a && d->both > d->all_a ? d->all_a : d->both;
}

/* Returns P(X >= k) or P(X <= k), starting at k and moving away from the mode: terms decrease. */
static double tail(const struct draw *d, uint64_t k, bool up)
{
	uint64_t end = up ? most_of(d) : least_of(d);
	double first = exp(log_of(d, k)), term = 1, sum = 1;

	while (k != end && term > NOTHING * sum) {
		term *= up ? ratio_up(d, k) : 1 / ratio_up(d, k - 1);
		k = up ? k + 1 : k - 1;
		sum += term;
	}
	return sum * first;
}

static double both_sides(const struct draw *d, uint64_t k)
{
	double part = d->all_a ? (double)d->all_a / ((double)d->all_a + (double)d->all_b) : 0.5;
	double middle = part * (double)d->both, p;

	if ((double)k == middle)
		return 1;
	p = 2 * tail(d, k, (double)k > middle);
	return p < 1 ? p : 1;
}

double chance_of_counts(uint64_t a, uint64_t b)
{
	return both_sides(&(struct draw){ .both = a + b }, a);
}

double chance_of_parts(uint64_t a, uint64_t all_a, uint64_t b, uint64_t all_b)
{
	if (!all_a || !all_b)
		return 1;
	return both_sides(&(struct draw){ a + b, all_a, all_b }, a);
}

double chance_least_of_counts(uint64_t both)
{
	return both_sides(&(struct draw){ .both = both }, 0);
}

double chance_least_of_parts(uint64_t both, uint64_t all_a, uint64_t all_b)
{
	struct draw d = { both, all_a, all_b };
	double low, high;

	if (!all_a || !all_b)
		return 1;
	low = both_sides(&d, least_of(&d));
	high = both_sides(&d, most_of(&d));
	return low < high ? low : high;
}

/* ---- multiple tests -------------------------------------------------------------------------- */

static int by_least(const void *pa, const void *pb)
{
	const struct chance *a = *(struct chance *const *)pa, *b = *(struct chance *const *)pb;

	return a->least < b->least ? -1 : a->least > b->least;
}

static int by_p(const void *pa, const void *pb)
{
	const struct chance *a = *(struct chance *const *)pa, *b = *(struct chance *const *)pb;

	return a->p < b->p ? -1 : a->p > b->p;
}

/* Returns the largest number of lines, by least p-value, that could all be significant among as
 * many. */
static uint32_t worth_testing(struct chance **line, uint32_t n, double level)
{
	uint32_t m = n;

	while (m && line[m - 1]->least * m > level)
		m--;
	return m;
}

int chance_correct(struct chance *list, uint32_t n, double level)
{
	struct chance **line = malloc(((size_t)n + 1) * sizeof(struct chance *));
	double most = 0, adjusted;
	uint32_t i, m;

	if (!line)
		return -ENOMEM;
	for (i = 0; i < n; i++) {
		line[i] = &list[i];
		list[i].tested = false;
		list[i].adjusted = 1;
	}
	qsort(line, n, sizeof(struct chance *), by_least);
	m = worth_testing(line, n, level);
	qsort(line, m, sizeof(struct chance *), by_p);
	for (i = 0; i < m; i++) {
		adjusted = line[i]->p * (m - i);
		most = adjusted > most ? adjusted : most;
		line[i]->adjusted = most < 1 ? most : 1;
		line[i]->tested = true;
	}
	free(line);
	return 0;
}
