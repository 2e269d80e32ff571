/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/method_sums.h"

#include <stdlib.h>
#include <string.h>

#include <a2n.h>

#include "base/array.h"
#include "base/keys.h"

enum { NOT_SEEN, COUNTS_TICKS, COUNTS_CALLS, COUNTS_BASE, COUNTS_DELTA, COUNTS_NOTHING };

/* Returns the number that follows a word; 0: no number; -1: another word. */
static int number_of(const char *name, const char *word)
{
	size_t n = strlen(word);

	if (strncmp(name, word, n) != 0 || strspn(name + n, "0123456789") != strlen(name + n))
		return -1;
	return atoi(name + n);
}

void method_sums_begin(struct method_sums *m, const char *event)
{
	static const char *const words[] = { "base", "raw", "delta" };
	int number;

	*m = (struct method_sums){ 0 };
	for (size_t i = 0; event && i < sizeof(words) / sizeof(words[0]); i++) {
		number = number_of(event, words[i]);
		if (number > 0)
			m->metric = (uint32_t)number;
	}
}

static bool is_metric(const struct method_sums *m, int number)
{
	return number >= 0 && ((uint32_t)number == m->metric || (number <= 1 && m->metric <= 1));
}

static uint8_t look(const struct method_sums *m, const char *name)
{
	if (!strcmp(name, "calls"))
		return COUNTS_CALLS;
	if (is_metric(m, number_of(name, "base")))
		return COUNTS_BASE;
	if (is_metric(m, number_of(name, "delta")))
		return COUNTS_DELTA;
	/* Other counters of such logs, which are not ticks. */
	return number_of(name, "base") < 0 && number_of(name, "delta") < 0 &&
			       number_of(name, "raw") < 0 && strcmp(name, "dispatches") &&
			       strcmp(name, "interrupts") ?
		       COUNTS_TICKS :
		       COUNTS_NOTHING;
}

int method_sums_add(struct method_sums *m, const struct event *kinds, unsigned int kind,
		    uint32_t symbol, uint64_t ticks)
{
	uint32_t had = m->count;
	struct method_sum *s;

	if (!m->what[kind])
		m->what[kind] = look(m, kinds[kind].name);
	if (m->what[kind] == COUNTS_NOTHING)
		return 0;
	if (array_reach(m->sum, m->count, symbol))
		return -ENOMEM;
	for (; had < m->count; had++)
		m->sum[had].symbol = NO_KEY;
	s = &m->sum[symbol];
	s->symbol = symbol;
	switch (m->what[kind]) {
	case COUNTS_TICKS:
		s->ticks += ticks;
		m->ticks += ticks;
		break;
	case COUNTS_CALLS:
		s->calls += ticks;
		m->calls += ticks;
		break;
	case COUNTS_BASE:
		s->base += ticks;
		m->has_base = true;
		break;
	default:
		s->delta += ticks;
		m->has_base = true;
	}
	return 0;
}

static bool is_java(const struct names *n, const struct symbol *s)
{
	return !strcmp(n->module[s->module].name, A2N_JITCODE) ||
	       !strcmp(n->module[s->module].name, "java");
}

/* A log of compiled code has names of functions, but not their files. */
static bool is_compiled(const struct names *n, const struct symbol *s)
{
	return !strcmp(n->module[s->module].name, "compiled");
}

static int by_name(const void *pa, const void *pb, void *arg)
{
	const struct names *n = arg;
	const struct method_sum *a = pa, *b = pb;
	const struct symbol *x = &n->symbols.symbol[a->symbol], *y = &n->symbols.symbol[b->symbol];
	int rc = strcmp(x->name, y->name);

	if (!rc)
		rc = is_java(n, y) - is_java(n, x);
	if (!rc && !is_java(n, x))
		rc = (x->module > y->module) - (x->module < y->module);
	return rc ? rc : (a->symbol > b->symbol) - (a->symbol < b->symbol);
}

static bool is_one(const struct names *n, const struct method_sum *a, const struct method_sum *b)
{
	const struct symbol *x = &n->symbols.symbol[a->symbol], *y = &n->symbols.symbol[b->symbol];

	return !strcmp(x->name, y->name) &&
	       (x->module == y->module || (is_java(n, x) && is_java(n, y)));
}

static void add(struct method_sum *to, const struct method_sum *s)
{
	to->ticks += s->ticks;
	to->calls += s->calls;
	to->base += s->base;
	to->delta += s->delta;
}

/* Merges a compiled function's calls, if they are among these of one name, with the function of a
 * file that has ticks, if there is exactly one. Returns how many are left. */
static uint32_t join_compiled(const struct names *n, struct method_sum *sum, uint32_t count)
{
	uint32_t calls = count, file = count, files = 0, i;

	for (i = 0; i < count; i++) {
		const struct symbol *s = &n->symbols.symbol[sum[i].symbol];

		if (is_compiled(n, s)) {
			calls = i;
		} else if (!is_java(n, s)) {
			file = i;
			files++;
		}
	}
	if (calls == count || files != 1)
		return count;
	add(&sum[file], &sum[calls]);
	memmove(&sum[calls], &sum[calls + 1], (count - calls - 1) * sizeof(*sum));
	return count - 1;
}

/* Expects the order of by_name(). */
static void join_all_compiled(struct method_sums *m, const struct names *n)
{
	const struct symbol *symbols = n->symbols.symbol;
	uint32_t out = 0, begin, end, left;

	for (begin = 0; begin < m->count; begin = end) {
		const char *name = symbols[m->sum[begin].symbol].name;

		for (end = begin + 1;
		     end < m->count && !strcmp(symbols[m->sum[end].symbol].name, name); end++)
			;
		left = join_compiled(n, &m->sum[begin], end - begin);
		memmove(&m->sum[out], &m->sum[begin], left * sizeof(*m->sum));
		out += left;
	}
	m->count = out;
}

static int more(uint64_t a, uint64_t b)
{
	return (a < b) - (a > b);
}

static int by_size(const void *pa, const void *pb, void *arg)
{
	const struct method_sum *a = pa, *b = pb;
	int rc = more(a->ticks, b->ticks);

	if (!rc)
		rc = more(a->base, b->base);
	if (!rc)
		rc = more(a->calls, b->calls);
	return rc ? rc : by_name(pa, pb, arg);
}

void method_sums_finish(struct method_sums *m, const struct names *n)
{
	uint32_t i, k, out = 0;

	for (i = k = 0; i < m->count; i++) {
		if (m->sum[i].symbol != NO_KEY)
			m->sum[k++] = m->sum[i];
	}
	m->count = k;
	if (!k)
		return;
	qsort_r(m->sum, k, sizeof(*m->sum), by_name, (void *)n);
	for (i = 0; i < m->count; i++) {
		struct method_sum *last = out ? &m->sum[out - 1] : NULL;

		if (!last || !is_one(n, last, &m->sum[i])) {
			m->sum[out++] = m->sum[i];
			continue;
		}
		add(last, &m->sum[i]);
	}
	m->count = out;
	join_all_compiled(m, n);
	qsort_r(m->sum, m->count, sizeof(*m->sum), by_size, (void *)n);
}

void method_sums_free(struct method_sums *m)
{
	free(m->sum);
	*m = (struct method_sums){ 0 };
}
