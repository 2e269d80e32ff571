// SPDX-License-Identifier: GPL-3.0-or-later
/* Symbols are kept in order of arrival, and sorted once at the end. */
#include "model/symbols.h"

#include <stdlib.h>
#include <string.h>

#include "base/keys.h"

uint32_t symbols_add(struct symbols *all, const struct symbol *s)
{
	if (s->module == NO_KEY || array_next(all->symbol, all->count, all->room))
		return NO_KEY;
	all->symbol[all->count] = *s;
	if (s->base == NO_KEY)
		all->symbol[all->count].base = all->count;
	return all->count++;
}

static int compare_symbols(const void *pa, const void *pb, void *arg)
{
	const uint32_t a = *(const uint32_t *)pa, b = *(const uint32_t *)pb;
	const struct symbol *sa = (const struct symbol *)arg + a;
	const struct symbol *sb = (const struct symbol *)arg + b;
	int c = sa->name == sb->name ? 0 : strcmp(sa->name, sb->name);

	if (c)
		return c;
	if (sa->value != sb->value)
		return sa->value < sb->value ? -1 : 1;
	return a < b ? -1 : 1;
}

int symbols_order(struct symbols *all)
{
	uint32_t *list = malloc((all->count + 1ul) * sizeof(*list)), i;

	if (!list)
		return -ENOMEM;
	for (i = 0; i < all->count; i++)
		list[i] = i;
	qsort_r(list, all->count, sizeof(*list), compare_symbols, all->symbol);
	for (i = 0; i < all->count; i++)
		all->symbol[list[i]].order = i;
	free(list);
	return 0;
}

void symbols_free(struct symbols *all)
{
	free(all->symbol);
	*all = (struct symbols){ 0 };
}
