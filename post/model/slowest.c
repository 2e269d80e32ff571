/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A list per name, in which a slower span replaces the fastest. */
#include "model/slowest.h"

bool slowest_wants(const struct slowest *s, uint32_t name, uint64_t took)
{
	const struct slowest_of *of = name < s->names ? &s->of[name] : NULL;

	return !of || of->count < SLOWEST_MOST || took > span_took(&of->list[of->least]);
}

static int compare(const void *pa, const void *pb)
{
	const struct span_over *a = pa, *b = pb;

	if (span_took(a) != span_took(b))
		return span_took(a) > span_took(b) ? -1 : 1;
	if (a->since != b->since)
		return a->since < b->since ? -1 : 1;
	return a->id < b->id ? -1 : a->id > b->id;
}

/* The least of equal spans is the last one that began: earlier ones stay. */
static void find_least(struct slowest_of *of)
{
	uint32_t i;

	of->least = 0;
	for (i = 1; i < of->count; i++) {
		if (compare(&of->list[i], &of->list[of->least]) > 0)
			of->least = i;
	}
}

static void drop(struct span_over *span)
{
	free(span->began);
	free(span->ended);
}

int slowest_add(struct slowest *s, const struct span_over *span)
{
	struct slowest_of *of;

	if (array_reach(s->of, s->names, span->name))
		return -ENOMEM;
	of = &s->of[span->name];
	if (of->count == SLOWEST_MOST) {
		drop(&of->list[of->least]);
		of->list[of->least] = *span;
	} else {
		if (array_next(of->list, of->count, of->room))
			return -ENOMEM;
		of->list[of->count++] = *span;
	}
	if (of->count == SLOWEST_MOST)
		find_least(of);
	return 0;
}

void slowest_sort(struct slowest *s)
{
	uint32_t i;

	for (i = 0; i < s->names; i++) {
		struct slowest_of *of = &s->of[i];

		if (!of->count)
			continue;
		qsort(of->list, of->count, sizeof(*of->list), compare);
		of->least = of->count - 1;
	}
}

void slowest_free(struct slowest *s)
{
	uint32_t i, k;

	for (i = 0; i < s->names; i++) {
		for (k = 0; k < s->of[i].count; k++)
			drop(&s->of[i].list[k]);
		free(s->of[i].list);
	}
	free(s->of);
	*s = (struct slowest){ .of = NULL };
}
