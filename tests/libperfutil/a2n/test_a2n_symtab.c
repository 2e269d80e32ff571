/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The rules of who covers an address, against a plain model over random symbols that overlap. */
#include <stdlib.h>

#include "a2n/elf/symtab.h"
#include "unit.h"

enum { SPAN = 300, MOST = 40 };

struct plain {
	uint64_t value, size, limit;
	uint8_t rank;
	char name[12];
};

static uint64_t seed;

static uint32_t rnd(uint32_t n)
{
	seed = seed * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)(seed >> 33) % n;
}

static bool better(const struct plain *a, const struct plain *b)
{
	size_t m = strspn(a->name, "_"), n = strspn(b->name, "_");

	if (a->rank != b->rank)
		return a->rank > b->rank;
	if (m != n)
		return m < n;
	if (strlen(a->name) != strlen(b->name))
		return strlen(a->name) < strlen(b->name);
	return strcmp(a->name, b->name) < 0;
}

/* The innermost sized one that covers; else the unsized one that reaches here, outside of all; no
 * labels. */
static const struct plain *without_labels(const struct plain *list, uint32_t n, uint64_t at)
{
	const struct plain *best = NULL;
	uint64_t next = UINT64_MAX;
	uint32_t i, k;

	for (i = 0; i < n; i++) {
		const struct plain *p = &list[i];
		uint64_t end = p->value + p->size < p->limit ? p->value + p->size : p->limit;

		if (p->rank > RANK_LABEL && p->size && at >= p->value && at < end &&
		    (!best || p->value > best->value ||
		     (p->value == best->value && better(p, best))))
			best = p;
	}
	if (best)
		return best;
	for (i = 0; i < n; i++) {
		const struct plain *p = &list[i];
		bool inside = false;

		if (p->rank <= RANK_LABEL || p->size || at < p->value || at >= p->limit ||
		    p->value >= p->limit)
			continue;
		for (k = 0, next = UINT64_MAX; k < n; k++) {
			const struct plain *q = &list[k];

			if (q->rank <= RANK_LABEL || q->value >= q->limit)
				continue;
			inside |= p->value >= q->value && p->value < q->limit &&
				  p->value - q->value < q->size;
			if (q->value > p->value && q->value < next)
				next = q->value;
		}
		if (!inside && at < next &&
		    (!best || p->value > best->value ||
		     (p->value == best->value && better(p, best))))
			best = p;
	}
	return best;
}

/* Where nothing else is, from the label to here, the last label. */
static const struct plain *model(const struct plain *list, uint32_t n,
				 const struct plain *const *named, uint64_t at)
{
	const struct plain *best = NULL;
	uint64_t since = at;
	uint32_t i;

	if (named[at])
		return named[at];
	while (since && !named[since - 1])
		since--;
	for (i = 0; i < n; i++) {
		const struct plain *p = &list[i];

		if (p->rank <= RANK_LABEL && p->value >= since && p->value <= at &&
		    p->value < p->limit &&
		    (!best || p->value > best->value ||
		     (p->value == best->value && better(p, best))))
			best = p;
	}
	return best && at < best->limit ? best : NULL;
}

static void test_model(void)
{
	static const char *const stems[] = { "a", "bb", "_a", "__ccc", "d", "a_", "_" };
	uint32_t round, i, n, wrong = 0;

	for (round = 0; round < 3000; round++) {
		const struct plain *named[SPAN + 3];
		struct plain list[MOST];
		struct symtab t = { 0 };
		uint64_t at;

		seed = round;
		n = 1 + rnd(MOST);
		for (i = 0; i < n; i++) {
			struct plain *p = &list[i];

			p->value = rnd(rnd(2) ? SPAN : SPAN / 8);
			p->size = rnd(3) ? 1 + rnd(rnd(3) ? 10 : SPAN) : 0;
			p->limit = rnd(2) ? SPAN : SPAN / 2;
			p->rank = p->size || rnd(2) ? RANK(1 + rnd(3), rnd(2)) :
				  rnd(2)            ? RANK_LABEL :
						      RANK_FRAME;
			snprintf(p->name, sizeof(p->name), "%s%u", stems[rnd(7)], rnd(100));
			symtab_add(&t, p->value, p->size, p->limit, p->rank, p->name,
				   strlen(p->name));
		}
		CU_ASSERT_EQUAL(symtab_finish(&t), 0);
		for (at = 0; at < SPAN + 3; at++)
			named[at] = without_labels(list, n, at);
		for (at = 0; at < SPAN + 3; at++) {
			const struct plain *p = model(list, n, named, at);
			uint32_t s = symtab_find(&t, at);

			if (s == NO_SYMBOL ? p != NULL :
					     !p || strcmp(symtab_name(&t, s), p->name) ||
						     t.symbols[s].value != p->value) {
				if (!wrong++)
					printf("# round %u at %u: %s, not %s\n", round,
					       (uint32_t)at,
					       s == NO_SYMBOL ? "-" : symtab_name(&t, s),
					       p ? p->name : "-");
			}
		}
		symtab_free(&t);
	}
	CU_ASSERT_EQUAL(wrong, 0);
}

static void test_ends(void)
{
	struct symtab t = { 0 };

	CU_ASSERT_EQUAL(symtab_finish(&t), 0);
	CU_ASSERT_EQUAL(symtab_find(&t, 0), NO_SYMBOL);
	symtab_add(&t, 0, 1, UINT64_MAX, RANK(RANK_LOCAL, 0), "first", 5);
	symtab_add(&t, UINT64_MAX - 1, UINT64_MAX, UINT64_MAX, RANK(RANK_LOCAL, 0), "last", 4);
	symtab_add(&t, 1ull << 63, 16, UINT64_MAX, RANK(RANK_LOCAL, 0), "middle", 6);
	symtab_add(&t, 7, 1, 7, RANK(RANK_LOCAL, 0), "beyond", 6);
	symtab_add(&t, 9, 1, 100, RANK(RANK_LOCAL, 0), "", 0);
	CU_ASSERT_EQUAL(symtab_finish(&t), 0);
	CU_ASSERT_STRING_EQUAL(symtab_name(&t, symtab_find(&t, 0)), "first");
	CU_ASSERT_EQUAL(symtab_find(&t, 1), NO_SYMBOL);
	CU_ASSERT_EQUAL(symtab_find(&t, 7), NO_SYMBOL);
	CU_ASSERT_EQUAL(symtab_find(&t, 9), NO_SYMBOL);
	CU_ASSERT_STRING_EQUAL(symtab_name(&t, symtab_find(&t, (1ull << 63) + 15)), "middle");
	CU_ASSERT_EQUAL(symtab_find(&t, (1ull << 63) + 16), NO_SYMBOL);
	CU_ASSERT_STRING_EQUAL(symtab_name(&t, symtab_find(&t, UINT64_MAX - 1)), "last");
	CU_ASSERT_EQUAL(symtab_find(&t, UINT64_MAX), NO_SYMBOL);
	symtab_free(&t);
}

int main(void)
{
	static const struct unit_test tests[] = { { "model", test_model },
						  { "ends", test_ends },
						  { NULL, NULL } };

	return unit_run("a2n_symtab", tests);
}
