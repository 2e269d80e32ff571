/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "compare/comparison.h"

#include <stdlib.h>
#include <string.h>

static uint64_t hash_text(const char *text, size_t length)
{
	uint64_t hash = length;

	for (size_t i = 0; i < length; i++)
		hash = (hash ^ (uint8_t)text[i]) * 0x100000001B3ull;
	return hash_mix(hash, length);
}

/* Replaces semicolons, which separate the names of folded stacks, and NULs. */
static char *name_of(const char *text, size_t length)
{
	char *name = malloc(length + 1);

	for (size_t i = 0; name && i < length; i++)
		name[i] = text[i] == ';' ? ':' : text[i] ? text[i] : '?';
	if (name)
		name[length] = '\0';
	return name;
}

int comparison_name(struct comparison *c, const char *text, size_t length, uint32_t *name)
{
	char *own = name_of(text, length);
	uint64_t hash;

	if (!own)
		return -ENOMEM;
	hash = hash_text(own, length);
	*name = keys_find(&c->by_name, hash, c->name, e, !strcmp(*e, own));
	if (*name != NO_KEY) {
		free(own);
		return 0;
	}
	if (c->names == NO_KEY - 1 ||
	    keys_next(&c->by_name, hash, c->name, c->names, c->room_name)) {
		free(own);
		return -ENOMEM;
	}
	*name = c->names;
	c->name[c->names++] = own;
	return 0;
}

int comparison_call(struct comparison *c, uint32_t parent, uint32_t name, bool function,
		    uint32_t *call)
{
	uint64_t hash = hash_mix((uint64_t)parent << 32 | name, function), n;

	*call = keys_find(&c->by_call, hash, c->call, e,
			  e->parent == parent && e->name == name && e->function == function);
	if (*call != NO_KEY)
		return 0;
	n = ((uint64_t)c->calls + 1) * c->inputs;
	if (c->calls == NO_KEY - 1 || array_room(c->self, c->room_self, n) ||
	    keys_next(&c->by_call, hash, c->call, c->calls, c->room_call))
		return -ENOMEM;
	memset(values_at(c, c->self, c->calls), 0, c->inputs * sizeof(*c->self));
	c->call[c->calls] = (struct merged_call){
		.parent = parent,
		.name = name,
		.first = NO_KEY,
		.next = NO_KEY,
		.depth = parent == NO_KEY ? 0 : c->call[parent].depth + 1,
		.function = function,
	};
	*call = c->calls++;
	return 0;
}

int comparison_add(struct comparison *c, uint32_t call, uint32_t input, int64_t value)
{
	int64_t *at = values_at(c, c->self, call) + input;

	return __builtin_add_overflow(*at, value, at) ? -EOVERFLOW : 0;
}

/* ---- totals ---------------------------------------------------------------------------------- */

static int add_up(struct comparison *c)
{
	uint32_t i, k;

	c->total = calloc((size_t)c->calls * c->inputs + 1, sizeof(*c->total));
	if (!c->total)
		return -ENOMEM;
	for (k = 0; k < c->inputs; k++)
		c->input[k].total = 0;
	for (i = c->calls; i-- > 0;) {
		int64_t *own = values_at(c, c->self, i), *all = values_at(c, c->total, i), *up;

		for (k = 0; k < c->inputs; k++) {
			up = c->call[i].parent == NO_KEY ?
				     &c->input[k].total :
				     values_at(c, c->total, c->call[i].parent) + k;
			if (__builtin_add_overflow(all[k], own[k], &all[k]) ||
			    __builtin_add_overflow(*up, all[k], up))
				return -EOVERFLOW;
		}
	}
	return 0;
}

static double greatest(const struct comparison *c, uint32_t call)
{
	const int64_t *all = values_at(c, c->total, call);
	double most = 0, value;

	for (uint32_t k = 0; k < c->inputs; k++) {
		value = all[k] < 0 ? -(double)all[k] : (double)all[k];
		most = value > most ? value : most;
	}
	return most;
}

static int compare_calls(const void *pa, const void *pb, void *arg)
{
	const struct comparison *c = arg;
	uint32_t ia = *(const uint32_t *)pa, ib = *(const uint32_t *)pb;
	const struct merged_call *a = &c->call[ia], *b = &c->call[ib];
	double most_a = greatest(c, ia), most_b = greatest(c, ib);
	int by_name;

	if (a->parent != b->parent)
		return a->parent < b->parent ? -1 : 1;
	if (most_a != most_b)
		return most_a > most_b ? -1 : 1;
	by_name = strcmp(c->name[a->name], c->name[b->name]);
	return by_name ? by_name : ia < ib ? -1 : 1;
}

int comparison_finish(struct comparison *c)
{
	uint32_t *order = malloc(((size_t)c->calls + 1) * sizeof(*order)), i, last = NO_KEY;
	int rc = order ? add_up(c) : -ENOMEM;

	for (i = 0; !rc && i < c->calls; i++)
		order[i] = i;
	if (!rc && c->calls)
		qsort_r(order, c->calls, sizeof(*order), compare_calls, c);
	for (i = 0; !rc && i < c->calls; i++) {
		uint32_t parent = c->call[order[i]].parent;

		if (last != NO_KEY && c->call[last].parent == parent)
			c->call[last].next = order[i];
		else if (parent != NO_KEY)
			c->call[parent].first = order[i];
		last = order[i];
	}
	free(order);
	return rc;
}

uint32_t comparison_next(const struct comparison *c, uint32_t call)
{
	if (call == NO_KEY) { /* the greatest of the outermost calls */
		uint32_t best = NO_KEY, i;

		for (i = 0; i < c->calls; i++) {
			if (c->call[i].parent == NO_KEY &&
			    (best == NO_KEY || compare_calls(&i, &best, (void *)c) < 0))
				best = i;
		}
		return best;
	}
	if (c->call[call].first != NO_KEY)
		return c->call[call].first;
	while (call != NO_KEY && c->call[call].next == NO_KEY)
		call = c->call[call].parent;
	return call == NO_KEY ? call : c->call[call].next;
}

void comparison_free(struct comparison *c)
{
	uint32_t i;

	for (i = 0; i < c->names; i++)
		free(c->name[i]);
	for (i = 0; i < COMPARED_MOST; i++) {
		free(c->input[i].name);
		free(c->input[i].unit);
	}
	free(c->name);
	free(c->call);
	free(c->self);
	free(c->total);
	keys_free(&c->by_name);
	keys_free(&c->by_call);
	*c = (struct comparison){ 0 };
}

/* ---- functions ------------------------------------------------------------------------------- */

/* Moves the current path from one call to another: `open` counts the calls on it by name. */
static void follow(const struct comparison *c, uint32_t from, uint32_t to, uint32_t *open)
{
	while (from != NO_KEY && (to == NO_KEY || c->call[to].parent != from)) {
		open[c->call[from].name]--;
		from = c->call[from].parent;
	}
	if (to != NO_KEY)
		open[c->call[to].name]++;
}

int comparison_functions(const struct comparison *c, struct functions_compared *f)
{
	uint32_t *open = calloc((size_t)c->names + 1, sizeof(*open)), before = NO_KEY, i, k;
	size_t n = (size_t)c->names * c->inputs + 1;
	int rc = 0;

	f->self = calloc(n, sizeof(*f->self));
	f->total = calloc(n, sizeof(*f->total));
	if (!open || !f->self || !f->total)
		rc = -ENOMEM;
	for (i = rc ? NO_KEY : comparison_next(c, NO_KEY); i != NO_KEY && !rc;
	     before = i, i = comparison_next(c, i)) {
		const struct merged_call *call = &c->call[i];
		int64_t *self = values_at(c, f->self, call->name);
		int64_t *total = values_at(c, f->total, call->name);

		follow(c, before, i, open);
		for (k = 0; k < c->inputs; k++) {
			int64_t own = values_at(c, c->self, i)[k];
			int64_t all = call->function ? values_at(c, c->total, i)[k] : own;

			if (__builtin_add_overflow(self[k], own, &self[k]) ||
			    (open[call->name] == 1 &&
			     __builtin_add_overflow(total[k], all, &total[k])))
				rc = -EOVERFLOW;
		}
	}
	free(open);
	return rc;
}

void functions_compared_free(struct functions_compared *f)
{
	free(f->self);
	free(f->total);
	*f = (struct functions_compared){ NULL };
}

/* ---- combining inputs ------------------------------------------------------------------------ */

static int combine(const int64_t *value, uint32_t n, enum combine how, int64_t *to)
{
	bool wrong = false;
	uint32_t i;

	*to = value[0];
	for (i = 1; i < n; i++) {
		switch (how) {
		case COMBINE_ADD:
			wrong |= __builtin_add_overflow(*to, value[i], to);
			break;
		case COMBINE_SUBTRACT:
			wrong |= __builtin_sub_overflow(*to, value[i], to);
			break;
		case COMBINE_MINIMUM:
			*to = value[i] < *to ? value[i] : *to;
			break;
		}
	}
	return wrong ? -EOVERFLOW : 0;
}

int comparison_combine(struct comparison *c, uint32_t first, enum combine how)
{
	uint32_t inputs = c->inputs, left = first + 1, i, k;
	int64_t *from, *to;
	int rc = 0;

	for (i = 0; i < c->calls && !rc; i++) {
		from = c->self + (uint64_t)i * inputs;
		to = c->self + (uint64_t)i * left;
		memmove(to, from, first * sizeof(*to));
		rc = combine(from + first, inputs - first, how, to + first);
	}
	for (k = left; k < inputs; k++) {
		c->input[first].damaged |= c->input[k].damaged;
		c->input[first].exact &= c->input[k].exact;
		c->input[first].idle += c->input[k].idle;
	}
	c->inputs = left;
	return rc;
}
