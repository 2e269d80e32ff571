/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Selects, counts and sorts rows. */
#include "top_view.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/array.h"
#include "base/pattern.h"

static const char *const by_names[] = { "function", "thread", "process", "cgroup", "caller" };
static const char *const order_names[] = { "ticks", "on stack", "time off", "name", "pid" };

const char *top_by_name(unsigned int by)
{
	return by < sizeof(by_names) / sizeof(*by_names) ? by_names[by] : NULL;
}

static bool of_functions(const struct top_view *v)
{
	return v->by == TOP_BY_FUNCTION || v->by == TOP_BY_CALLER;
}

bool top_order_fits(const struct top_view *v, unsigned int order)
{
	switch (order) {
	case TOP_TICKS:
		return v->by != TOP_BY_CALLER;
	case TOP_UNDER:
		return of_functions(v) && v->stacks;
	case TOP_OFF:
		return !of_functions(v) && v->off;
	case TOP_NAME:
		return true;
	case TOP_PID:
		return v->by == TOP_BY_THREAD || v->by == TOP_BY_PROCESS;
	default:
		return !of_functions(v) && v->metrics &&
		       order - TOP_METRIC < (unsigned int)v->metrics->n;
	}
}

const char *top_order_name(const struct top_view *v, unsigned int order)
{
	if (order < TOP_METRIC)
		return order_names[order];
	return v->metrics && order - TOP_METRIC < (unsigned int)v->metrics->n ?
		       v->metrics->name[order - TOP_METRIC] :
		       NULL;
}

unsigned int top_order_next(const struct top_view *v, unsigned int order)
{
	do
		order = (order + 1) % (TOP_METRIC + PTT_METRICS);
	while (!top_order_fits(v, order));
	return order;
}

bool top_view_enter(struct top_view *v, const struct top_row *row)
{
	struct top_place *p;

	if (!of_functions(v) || !v->stacks || v->depth == TOP_DEPTH)
		return false;
	if (v->by != TOP_BY_CALLER)
		v->back = v->by;
	p = &v->place[v->depth++];
	/* A row of the list of callers stands for the caller. */
	p->key = v->by == TOP_BY_CALLER ? row->second : hash_mix(row->key, row->second);
	snprintf(p->name, sizeof(p->name), "%s", row->name ? row->name : "");
	v->by = TOP_BY_CALLER;
	v->order = TOP_UNDER;
	*v->filter = 0; /* the filter was for finding the function */
	return true;
}

void top_view_leave(struct top_view *v)
{
	if (v->by != TOP_BY_CALLER || --v->depth)
		return;
	v->by = v->back;
	v->order = TOP_TICKS;
}

/* ---- the list -------------------------------------------------------------------------------- */

static const struct top_table *table_of(const struct top_view *v, const struct top_model *m)
{
	switch (v->by) {
	case TOP_BY_FUNCTION:
		return &m->function;
	case TOP_BY_THREAD:
		return &m->thread;
	case TOP_BY_PROCESS:
		return &m->process;
	case TOP_BY_CGROUP:
		return &m->cgroup;
	default:
		return &m->call;
	}
}

static bool counts(const struct top_count *c)
{
	uint64_t any = c->ticks | c->under | c->off;

	for (int i = 0; i < PTT_METRICS; i++)
		any |= c->metric[i];
	return any;
}

/* A filter without * and ? matches any part of the name. */
static bool fits(const char *filter, const char *name)
{
	if (!name)
		return false;
	return strpbrk(filter, "*?") ? pattern_fits(filter, strlen(filter), name) :
				       strstr(name, filter) != NULL;
}

static bool is_shown(const struct top_view *v, const struct top_row *r)
{
	return !*v->filter || fits(v->filter, r->name) ||
	       (v->by != TOP_BY_PROCESS && fits(v->filter, r->of));
}

struct top_sorting {
	unsigned int order;
	enum top_span span;
};

static uint64_t number_of(const struct top_sorting *s, const struct top_row *r)
{
	const struct top_count *c = &r->count[s->span];

	switch (s->order) {
	case TOP_TICKS:
		return c->ticks;
	case TOP_UNDER:
		return c->under;
	case TOP_OFF:
		return c->off;
	case TOP_NAME:
	case TOP_PID:
		return 0;
	default:
		return c->metric[s->order - TOP_METRIC];
	}
}

static int in_order(const void *a, const void *b, void *arg)
{
	const struct top_row *x = *(const struct top_row *const *)a;
	const struct top_row *y = *(const struct top_row *const *)b;
	const struct top_sorting *s = arg;
	uint64_t m = number_of(s, x), n = number_of(s, y);
	int by_name = strcmp(x->name ? x->name : "", y->name ? y->name : "");

	if (m != n)
		return m > n ? -1 : 1;
	if (s->order == TOP_NAME && by_name)
		return by_name;
	/* Equal rows keep their order from one interval to the next. */
	if (s->order != TOP_PID && x->count[s->span].ticks != y->count[s->span].ticks)
		return x->count[s->span].ticks > y->count[s->span].ticks ? -1 : 1;
	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	return by_name ? by_name : x->key < y->key ? -1 : x->key > y->key;
}

int top_list_make(struct top_list *l, const struct top_view *v, const struct top_model *m,
		  uint32_t most)
{
	const struct top_table *t = table_of(v, m);
	struct top_sorting sorting = { v->order, v->span };
	bool callers = v->by == TOP_BY_CALLER;

	l->n = 0;
	l->rest_rows = 0;
	memset(&l->rest, 0, sizeof(l->rest));
	l->of = m->period[v->span].ticks;
	if (!callers) {
		l->rest = t->others[v->span];
		l->rest_rows = counts(&l->rest) ? t->folded : 0;
	}
	for (uint32_t i = 0; i < t->n; i++) {
		const struct top_row *r = &t->row[i];

		if (!counts(&r->count[v->span]) ||
		    (callers && r->key != v->place[v->depth - 1].key))
			continue;
		if (!is_shown(v, r)) {
			top_count_add(&l->rest, &r->count[v->span]);
			l->rest_rows++;
			continue;
		}
		if (array_next(l->row, l->n, l->room))
			return -ENOMEM;
		l->row[l->n++] = r;
	}
	if (l->n)
		qsort_r(l->row, l->n, sizeof(*l->row), in_order, &sorting);
	for (; l->n > most; l->n--) {
		top_count_add(&l->rest, &l->row[l->n - 1]->count[v->span]);
		l->rest_rows++;
	}
	return 0;
}

void top_list_free(struct top_list *l)
{
	free(l->row);
	*l = (struct top_list){ 0 };
}
