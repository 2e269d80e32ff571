/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stretches are merged when the next one is added, if no wait began inside. */
#include "model/past.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/search.h"

/* Returns the first part of the stretch whose last part is before `end`. */
static uint32_t stretch_of(const struct past *p, uint32_t end)
{
	uint32_t at = end - 1;

	while (at && p->part[at - 1].from == p->part[end - 1].from)
		at--;
	return at;
}

/* Merges the parts from `first` to `end` into one stretch. Returns the number of its parts. */
static uint32_t merge(struct past *p, uint32_t first, uint32_t end, uint64_t from, uint64_t to)
{
	uint32_t n = first, i, k;

	for (i = first; i < end; i++) {
		const struct past_part add = p->part[i];

		for (k = first; k < n && p->part[k].blame != add.blame; k++)
			;
		if (k == n)
			p->part[n++] = (struct past_part){ .blame = add.blame };
		p->part[k].ns += add.ns;
	}
	for (i = first; i < n; i++) {
		p->part[i].from = from;
		p->part[i].to = to;
	}
	return n - first;
}

/* Merges the last two stretches if they are adjacent and no wait began inside, or if both have the
 * same single cause. */
static void join_last(struct past *p, struct open_waits *w)
{
	uint32_t second = stretch_of(p, p->count), first;
	const struct past_part *last = &p->part[p->count - 1], *before;

	if (!second)
		return;
	first = stretch_of(p, second);
	before = &p->part[second - 1];
	if (before->to != last->from)
		return;
	if (p->count - first == 2 && before->blame == last->blame) {
		p->part[first].to = last->to;
		p->part[first].ns += last->ns;
		p->count--;
		return;
	}
	if (open_waits_within(w, before->from, last->to))
		return;
	p->count = first + merge(p, first, p->count, before->from, last->to);
}

static int larger_first(const void *pa, const void *pb)
{
	const struct past_part *a = pa, *b = pb;

	if (a->ns != b->ns)
		return a->ns > b->ns ? -1 : 1;
	return a->blame < b->blame ? -1 : a->blame > b->blame;
}

static uint32_t first_parts(const struct past *p)
{
	uint32_t n = 0;

	while (n < p->count && p->part[n].from == p->part[0].from)
		n++;
	return n;
}

/* Removes parts `n` to `end`. */
static void drop(struct past *p, uint32_t n, uint32_t end)
{
	memmove(p->part + n, p->part + end, (p->count - end) * sizeof(*p->part));
	p->count -= end - n;
}

/* Adds the smallest parts of the first stretch, beyond the limit, to `many`. */
static void fold(struct past *p, uint32_t many)
{
	uint32_t had = first_parts(p), i;

	if (had <= PAST_PARTS / 4)
		return;
	qsort(p->part, had, sizeof(*p->part), larger_first);
	for (i = PAST_PARTS / 4 - 1; i < had; i++)
		p->part[i].blame = many;
	drop(p, merge(p, 0, had, p->part[0].from, p->part[0].to), had);
}

/* Halves the number of parts: removes those that no wait needs, then merges the oldest
 * stretches. */
static void squeeze(struct past *p, struct open_waits *w, uint32_t many)
{
	uint64_t oldest = open_waits_oldest(w);
	uint32_t n = 0, end;

	while (n < p->count && p->part[n].to <= oldest)
		n++;
	drop(p, 0, n);
	fold(p, many);
	while (p->count > PAST_PARTS / 2) {
		n = first_parts(p);
		for (end = n; end < p->count && p->part[end].from == p->part[n].from; end++)
			;
		drop(p, merge(p, 0, end, p->part[0].from, p->part[end - 1].to), end);
		fold(p, many);
	}
}

static int append(struct past *p, struct open_waits *w, const struct past_part *part, uint32_t many)
{
	/* No wait began before `part`: the earlier past will not be read. */
	if (part->from >= p->end && p->end <= open_waits_oldest(w))
		p->count = 0;
	if (p->count >= PAST_PARTS && part->from >= p->end)
		squeeze(p, w, many);
	if (array_next(p->part, p->count, p->room))
		return -ENOMEM;
	p->part[p->count++] = *part;
	p->end = part->to;
	return 0;
}

int past_add(struct past *p, struct open_waits *w, uint64_t from, uint64_t to, uint32_t blame,
	     uint32_t many)
{
	const struct past_part part = { from, to, to - from, blame };
	int rc = append(p, w, &part, many);

	if (!rc)
		join_last(p, w);
	return rc;
}

int past_take(struct past *p, struct open_waits *w, const struct past_part *part, uint32_t many)
{
	/* The previous stretch is complete. */
	if (p->count && p->part[p->count - 1].from != part->from)
		join_last(p, w);
	return append(p, w, part, many);
}

/* ---- reading --------------------------------------------------------------------------------- */

static int emit(const struct past_reader *r, uint64_t from, uint64_t to, uint64_t ns,
		uint32_t blame)
{
	const struct past_part part = { from, to, ns, blame };

	return ns ? r->part(r->arg, &part) : 0;
}

/* Scales ns of `whole` to `inside`: monotonic, and `whole` becomes `inside`. */
static uint64_t scaled(uint64_t ns, uint64_t inside, uint64_t whole)
{
	return (uint64_t)((unsigned __int128)ns * inside / whole);
}

/* Reports a stretch between two times; the reported parts add up to the time between. */
static int read_stretch(const struct past_part *part, uint32_t n, uint64_t from, uint64_t to,
			const struct past_reader *r)
{
	uint64_t whole = part->to - part->from, sum = 0, had = 0, has;
	uint32_t i;
	int rc = 0;

	for (i = 0; i < n && !rc; i++, had = has) {
		sum += part[i].ns;
		has = scaled(sum, to - from, whole);
		rc = emit(r, from, to, has - had, part[i].blame);
	}
	return rc;
}

int past_read(const struct past *p, uint64_t from, uint64_t to, uint32_t nobody,
	      const struct past_reader *reader)
{
	uint32_t i = search_sorted(k, 0, p->count, p->part[k].to <= from), end;
	int rc = 0;

	for (; i < p->count && p->part[i].from < to && !rc; i = end) {
		const struct past_part *part = &p->part[i];
		uint64_t until = part->to < to ? part->to : to;

		for (end = i; end < p->count && p->part[end].from == part->from; end++)
			;
		if (from < part->from) {
			rc = emit(reader, from, part->from, part->from - from, nobody);
			from = part->from;
		}
		if (!rc)
			rc = read_stretch(part, end - i, from, until, reader);
		from = until;
	}
	return rc || from >= to ? rc : emit(reader, from, to, to - from, nobody);
}

struct copying {
	struct past *to;
	struct open_waits *waits;
	uint32_t many;
};

static int copy_part(void *arg, const struct past_part *part)
{
	const struct copying *c = arg;

	return past_take(c->to, c->waits, part, c->many);
}

int past_copy(struct past *p, struct open_waits *w, const struct past *of, uint64_t to,
	      uint32_t many)
{
	struct copying c = { p, w, many };
	const struct past_reader reader = { copy_part, &c };

	return of->count ? past_read(of, of->part[0].from, to, many, &reader) : 0;
}

void past_free(struct past *p)
{
	free(p->part);
	*p = (struct past){ 0 };
}
