/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Converts symbols to ranges: sorts by start, the better alias later, then sweeps with a stack of
 * open symbols. A symbol that starts later is on top: the innermost wins.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "a2n/base/adaptive_sort.h"
#include "a2n/base/pool.h"
#include "a2n/elf/symtab.h"
#include "base/search.h"

#define MAX_SYMBOLS (1u << 28)

static bool add_text(struct symtab *t, const char *name, size_t length)
{
	if (length >= UINT32_MAX - t->names_used ||
	    array_room(t->names, t->names_room, t->names_used + length + 1))
		return false;
	memcpy(t->names + t->names_used, name, length);
	t->names[t->names_used + length] = 0;
	t->names_used += length + 1;
	return true;
}

void symtab_add(struct symtab *t, uint64_t value, uint64_t size, uint64_t limit, uint8_t rank,
		const char *name, size_t length)
{
	size_t at = t->names_used;

	if (value >= limit || !length)
		return;
	if (t->n >= MAX_SYMBOLS || array_next(t->symbols, t->n, t->room) ||
	    !add_text(t, name, length)) {
		t->failed = true;
		return;
	}
	t->symbols[t->n++] = (struct symtab_symbol){
		.value = value,
		.end = size && size < limit - value ? value + size : limit,
		.name = (uint32_t)at,
		.rank = rank,
		.sized = size != 0,
	};
}

static int better(const struct symtab_symbol *a, const struct symtab_symbol *b, const char *names)
{
	const char *x = names + a->name, *y = names + b->name;
	size_t m = strspn(x, "_"), n = strspn(y, "_");

	if (m != n)
		return m < n ? 1 : -1;
	m = strlen(x);
	n = strlen(y);
	if (m != n)
		return m < n ? 1 : -1;
	return -strcmp(x, y);
}

/* Sorted by start; at equal starts the unsized first, the best last. */
static int compare(const void *p, const void *q, void *names)
{
	const struct symtab_symbol *a = p, *b = q;

	if (a->value != b->value)
		return a->value < b->value ? -1 : 1;
	if (a->sized != b->sized)
		return a->sized ? 1 : -1;
	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	return better(a, b, names);
}

/* Sets the ends of unsized symbols; drops those inside a sized one and duplicates. */
static void reach(struct symtab *t)
{
	uint64_t covered = 0;
	uint32_t i, kept = 0, next = 0;

	for (i = 0; i < t->n; i++) {
		struct symtab_symbol s = t->symbols[i];

		if (next <= i)
			for (next = i + 1; next < t->n && t->symbols[next].value == s.value;)
				next++;
		if (s.sized) {
			if (s.end > covered)
				covered = s.end;
		} else {
			if (s.value < covered || t->symbols[next - 1].sized)
				continue;
			if (next < t->n && t->symbols[next].value < s.end)
				s.end = t->symbols[next].value;
		}
		if (kept && t->symbols[kept - 1].value == s.value &&
		    t->symbols[kept - 1].end <= s.end)
			kept--;
		t->symbols[kept++] = s;
	}
	t->n = kept;
}

static void emit(struct symtab *t, uint64_t start, uint32_t owner)
{
	if (t->n_ranges ? t->ranges[t->n_ranges - 1].owner == owner : owner == NO_SYMBOL)
		return;
	if (t->n_ranges && t->ranges[t->n_ranges - 1].start == start) {
		t->ranges[t->n_ranges - 1].owner = owner;
		return;
	}
	t->ranges[t->n_ranges++] = (struct symtab_range){ start, owner };
}

/* Builds a first guess for each bucket of addresses, with about as many buckets as ranges. */
static int build_index(struct symtab *t)
{
	uint64_t span = t->ranges[t->n_ranges - 1].start - t->ranges[0].start;
	uint32_t i, bucket = 0;

	while ((span >> t->shift) > 2 * (uint64_t)t->n_ranges)
		t->shift++;
	t->n_index = (uint32_t)(span >> t->shift) + 1;
	t->index = malloc((t->n_index + 1) * sizeof(*t->index));
	if (!t->index)
		return -ENOMEM;
	/* index[b]: the last range that starts at or below the bucket's first address. */
	for (i = 0; i < t->n_ranges; i++)
		while (bucket < t->n_index &&
		       (i + 1 == t->n_ranges ||
			t->ranges[i + 1].start - t->ranges[0].start > (uint64_t)bucket << t->shift))
			t->index[bucket++] = i;
	t->index[t->n_index] = t->n_ranges - 1;
	return 0;
}

/* labels: after all other symbols */

/* Moves labels to the end, sorted; returns their number. */
static uint32_t part_labels(struct symtab *t, struct symtab_symbol **labels)
{
	uint32_t i, kept = 0, n = 0;

	for (i = 0; i < t->n; i++)
		n += t->symbols[i].rank <= RANK_LABEL;
	*labels = n ? malloc(n * sizeof(**labels)) : NULL;
	if (!*labels)
		return n ? UINT32_MAX : 0;
	for (i = n = 0; i < t->n; i++) {
		if (t->symbols[i].rank <= RANK_LABEL)
			(*labels)[n++] = t->symbols[i];
		else
			t->symbols[kept++] = t->symbols[i];
	}
	t->n = kept;
	adaptive_sort(*labels, n, sizeof(**labels), compare, t->names);
	return n;
}

/* Names the gap from `start` to `end` by its labels, each up to the next one or its limit. next:
 * the first candidate; returns the first label after the gap. */
static uint32_t fill_gap(struct symtab *t, uint32_t next, uint64_t start, uint64_t end)
{
	emit(t, start, NO_SYMBOL);
	while (next < t->n && t->symbols[next].value < start)
		next++;
	for (; next < t->n && t->symbols[next].value < end; next++) {
		struct symtab_symbol *s = &t->symbols[next];

		if (s->end > end)
			s->end = end;
		if (next + 1 < t->n && t->symbols[next + 1].value < s->end)
			s->end = t->symbols[next + 1].value;
		emit(t, s->value, next);
		if (s->end < end)
			emit(t, s->end, NO_SYMBOL);
	}
	return next;
}

static int add_labels(struct symtab *t, const struct symtab_symbol *labels, uint32_t n)
{
	struct symtab_range *old = t->ranges;
	uint32_t n_old = t->n_ranges, next = t->n, i;

	t->ranges = malloc((n_old + 2 * (size_t)n + 1) * sizeof(*t->ranges));
	if (!t->ranges) {
		t->ranges = old;
		return -ENOMEM;
	}
	t->n_ranges = 0;
	memcpy(t->symbols + t->n, labels, n * sizeof(*labels));
	t->n += n;
	next = fill_gap(t, next, 0, n_old ? old[0].start : UINT64_MAX);
	for (i = 0; i < n_old; i++) {
		if (old[i].owner != NO_SYMBOL)
			emit(t, old[i].start, old[i].owner);
		else
			next = fill_gap(t, next, old[i].start,
					i + 1 < n_old ? old[i + 1].start : UINT64_MAX);
	}
	free(old);
	return 0;
}

static int make_ranges(struct symtab *t)
{
	uint32_t *open, n_open = 0, i;
	uint64_t at;

	adaptive_sort(t->symbols, t->n, sizeof(*t->symbols), compare, t->names);
	reach(t);
	open = malloc(t->n * sizeof(*open));
	t->ranges = malloc((2 * (size_t)t->n + 1) * sizeof(*t->ranges));
	if (!open || !t->ranges) {
		free(open);
		return -ENOMEM;
	}
	for (i = 0; i <= t->n; i++) {
		uint64_t until = i < t->n ? t->symbols[i].value : UINT64_MAX;

		/* Closes symbols that end before the next one starts; those below become visible
		 * again. */
		while (n_open && t->symbols[open[n_open - 1]].end <= until) {
			at = t->symbols[open[--n_open]].end;
			while (n_open && t->symbols[open[n_open - 1]].end <= at)
				n_open--;
			emit(t, at, n_open ? open[n_open - 1] : NO_SYMBOL);
		}
		if (i < t->n) {
			emit(t, until, i);
			open[n_open++] = i;
		}
	}
	free(open);
	return 0;
}

int symtab_finish(struct symtab *t)
{
	struct symtab_symbol *labels = NULL;
	uint32_t n = t->failed ? UINT32_MAX : part_labels(t, &labels);
	int rc = n == UINT32_MAX ? -ENOMEM : t->n ? make_ranges(t) : 0;

	if (!rc && n)
		rc = add_labels(t, labels, n);
	free(labels);
	return rc ? rc : t->n_ranges ? build_index(t) : 0;
}

uint32_t symtab_find(const struct symtab *t, uint64_t address)
{
	uint64_t bucket;
	uint32_t next;

	if (!t->n_ranges || address < t->ranges[0].start)
		return NO_SYMBOL;
	bucket = (address - t->ranges[0].start) >> t->shift;
	if (bucket >= t->n_index)
		return t->ranges[t->n_ranges - 1].owner;
	next = search_sorted(i, t->index[bucket] + 1, t->index[bucket + 1] + 1,
			     t->ranges[i].start <= address);
	return t->ranges[next - 1].owner;
}

void symtab_free(struct symtab *t)
{
	free(t->symbols);
	free(t->names);
	free(t->ranges);
	free(t->index);
	*t = (struct symtab){ 0 };
}
