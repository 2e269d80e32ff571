/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Open spans against a plain list; what is kept of their records; the slowest. */
#include <stdint.h>
#include <stdlib.h>
#include "model/slowest.h"
#include "unit.h"
#include "xorshift.h"

static uint64_t state = 88172645463325252ull;

static uint64_t draw(uint64_t below)
{
	return xorshift(&state) % below;
}

/* ---- which one ends -------------------------------------------------------------------------- */

#define STEPS 60000

static struct plain {
	struct span_key key;
	uint64_t since;
} plain[STEPS];
static uint32_t nplain;

static bool is(const struct span_key *a, const struct span_key *b)
{
	return a->id == b->id && a->name == b->name && a->scope == b->scope &&
	       a->shared == b->shared;
}

/* The newest that is meant, taken out; key NULL: the newest of the process. */
static uint64_t plain_end(const struct span_key *key, uint32_t process)
{
	uint32_t i = nplain;
	uint64_t since;

	while (i && !(key ? is(&plain[i - 1].key, key) :
			    !plain[i - 1].key.shared && plain[i - 1].key.scope == process))
		i--;
	if (!i)
		return 0;
	since = plain[i - 1].since;
	memmove(&plain[i - 1], &plain[i], (nplain - i) * sizeof(*plain));
	nplain--;
	return since;
}

/* Few keys, so that many are open twice; more begin than end, so that the table grows. */
static void as_a_plain_list(void)
{
	struct spans s = { .name = NULL };
	uint64_t wrong = 0, found = 0, dropped = 0;
	uint32_t at;

	for (uint64_t step = 1; step <= STEPS; step++) {
		struct span_key key = {
			.id = draw(40),
			.name = (uint32_t)draw(3),
			.scope = (uint32_t)draw(4),
			.shared = !draw(4),
		};
		uint64_t what = draw(step < STEPS / 2 ? 10 : 16), want;

		if (what < 6) {
			at = spans_begin(&s, &key);
			CU_ASSERT_NOT_EQUAL_FATAL(at, NO_KEY);
			s.open[at].begun.since = step;
			plain[nplain++] = (struct plain){ key, step };
			continue;
		}
		if (draw(500)) {
			want = plain_end(&key, 0);
			at = spans_end(&s, &key);
		} else {
			uint32_t process = spans_process(&s, key.scope);

			want = plain_end(NULL, key.scope);
			at = spans_drop(&s, process);
			dropped += want != 0;
		}
		found += want != 0;
		wrong += want != (at == NO_KEY ? 0 : s.open[at].begun.since);
		CU_ASSERT_EQUAL_FATAL(wrong, 0);
	}
	CU_ASSERT(found > STEPS / 10);
	CU_ASSERT(dropped > 10);
	CU_ASSERT_EQUAL(s.used, nplain);
	/* Places are used again: there are no more than were open at once. */
	CU_ASSERT(s.nopen < STEPS / 2);
	for (uint32_t process = 0; process < 4; process++) {
		uint32_t number = spans_process_of(&s, process);

		while ((at = spans_drop(&s, number)) != NO_KEY)
			wrong += s.open[at].begun.since != plain_end(NULL, process);
	}
	CU_ASSERT_EQUAL(wrong, 0);
	CU_ASSERT_EQUAL(s.used, nplain);
	spans_free(&s);
}

static void names(void)
{
	struct spans s = { .name = NULL };

	CU_ASSERT_EQUAL(spans_named(&s, "a"), NO_KEY);
	CU_ASSERT_EQUAL(spans_name(&s, "a"), 0);
	CU_ASSERT_EQUAL(spans_name(&s, ""), 1);
	CU_ASSERT_EQUAL(spans_name(&s, "a"), 0);
	CU_ASSERT_EQUAL(spans_named(&s, ""), 1);
	CU_ASSERT_EQUAL(spans_named(&s, "b"), NO_KEY);
	spans_free(&s);
}

/* ---- what records tell besides --------------------------------------------------------------- */

static uint8_t record[PITRACE_USER_MAX];

static struct pifile_user make(uint16_t ints, uint16_t strs, uint32_t length)
{
	struct pirecord r = { .data = record, .type = PITRACE_TYPE_MIXED };
	struct pitrace_user u = { .ints = ints, .strs = strs };
	uint8_t *p = record + sizeof(u);
	struct pifile_user x = { .ints = 0 };

	memcpy(record, &u, sizeof(u));
	for (uint64_t i = 0; i < ints; i++, p += sizeof(i))
		memcpy(p, &i, sizeof(i));
	for (uint32_t i = 0; i < strs; i++, p += sizeof(length))
		memcpy(p, &length, sizeof(length));
	for (uint32_t i = 0; i < strs; i++, p += length)
		memset(p, (int)('a' + i), length);
	r.size = (uint32_t)(p - record);
	CU_ASSERT_EQUAL_FATAL(pifile_user_record(&r, &x), 0);
	return x;
}

/* For various numbers: how many are kept, and whether the report says that some are not. */
static void words(void)
{
	static const struct {
		uint16_t ints, strs;
		uint32_t length;
		uint16_t kept_ints, kept_strs;
		bool cut;
	} cases[] = {
		{ 2, 1, 5, 1, 0, false },  { 1, 3, 5, 0, 2, false },   { 33, 1, 5, 32, 0, false },
		{ 34, 1, 5, 32, 0, true }, { 33, 2, 5, 32, 0, true },  { 2, 2, 247, 1, 1, false },
		{ 2, 2, 248, 1, 0, true }, { 1, 2, 255, 0, 1, false }, { 1, 2, 256, 0, 0, true },
		{ 1, 5, 84, 0, 3, true },  { 2, 3, 0, 1, 2, false },   { 400, 20, 10, 32, 0, true },
	};
	struct span_words *w;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct pifile_user x = make(cases[i].ints, cases[i].strs, cases[i].length);
		const char *text;

		CU_ASSERT_EQUAL(span_words(&x, 1, 1, &w), 0);
		CU_ASSERT_PTR_NOT_NULL_FATAL(w);
		CU_ASSERT_EQUAL(w->ints, cases[i].kept_ints);
		CU_ASSERT_EQUAL(w->strs, cases[i].kept_strs);
		CU_ASSERT_EQUAL(w->cut, cases[i].cut);
		for (uint16_t k = 0; k < w->ints; k++)
			CU_ASSERT_EQUAL(w->value[k], k + 1u);
		text = span_words_text(w);
		for (uint16_t k = 0; k < w->strs; k++, text += strlen(text) + 1) {
			CU_ASSERT_EQUAL(strlen(text), cases[i].length);
			CU_ASSERT(!*text || *text == 'b' + k);
		}
		free(w);
	}
	CU_ASSERT_EQUAL(span_words(&(struct pifile_user){ .ints = 1, .strs = 1 }, 1, 1, &w), 0);
	CU_ASSERT_PTR_NULL(w);
}

/* ---- the slowest ----------------------------------------------------------------------------- */

static void slowest(void)
{
	struct slowest s = { .of = NULL };
	uint32_t i;

	/* Two of each length, in no order. */
	for (i = 0; i < 26; i++) {
		struct span_over span = {
			.id = i,
			.name = 3,
			.since = 100 + i,
			.until = 100 + i + (i * 7 + 3) % 13,
		};

		if (slowest_wants(&s, 3, span_took(&span))) {
			span.began = malloc(sizeof(*span.began));
			CU_ASSERT_EQUAL(slowest_add(&s, &span), 0);
		}
	}
	slowest_sort(&s);
	CU_ASSERT_EQUAL_FATAL(s.of[3].count, SLOWEST_MOST);
	CU_ASSERT_EQUAL(s.of[2].count, 0);
	for (i = 0; i < SLOWEST_MOST; i++) {
		const struct span_over *span = &s.of[3].list[i];

		CU_ASSERT_EQUAL(span_took(span), 12 - i / 2);
		CU_ASSERT(!(i % 2) || span[-1].since < span->since);
	}
	CU_ASSERT_FALSE(slowest_wants(&s, 3, 8));
	CU_ASSERT_TRUE(slowest_wants(&s, 3, 9));
	CU_ASSERT_TRUE(slowest_wants(&s, 2, 0));
	slowest_free(&s);
}

static int by_took(const void *pa, const void *pb)
{
	const uint64_t *a = pa, *b = pb;

	return a[0] != b[0] ? (a[0] > b[0] ? -1 : 1) : a[1] < b[1] ? -1 : 1;
}

/* The slowest spans are kept, in any order, and of equal ones those that began first. */
static void slowest_of_any(void)
{
	for (uint32_t round = 0; round < 500; round++) {
		const uint32_t n = (uint32_t)draw(40), lengths = 1 + (uint32_t)draw(30);
		const uint32_t most = n < SLOWEST_MOST ? n : SLOWEST_MOST;
		struct slowest s = { .of = NULL };
		uint64_t all[40][2];

		for (uint32_t i = 0; i < n; i++) {
			struct span_over span = { .id = i, .since = i };

			all[i][0] = draw(lengths);
			all[i][1] = i;
			span.until = i + all[i][0];
			if (slowest_wants(&s, 0, span_took(&span)))
				CU_ASSERT_EQUAL(slowest_add(&s, &span), 0);
		}
		qsort(all, n, sizeof(*all), by_took);
		slowest_sort(&s);
		CU_ASSERT_EQUAL_FATAL(n ? s.of[0].count : 0, most);
		for (uint32_t i = 0; i < most; i++)
			CU_ASSERT(span_took(&s.of[0].list[i]) == all[i][0] &&
				  s.of[0].list[i].since == all[i][1]);
		slowest_free(&s);
	}
}

int main(void)
{
	static const struct unit_test tests[] = {
		{ "as_a_plain_list", as_a_plain_list },
		{ "names", names },
		{ "words", words },
		{ "slowest", slowest },
		{ "slowest_of_any", slowest_of_any },
		{ NULL, NULL },
	};

	return unit_run("open_spans", tests);
}
