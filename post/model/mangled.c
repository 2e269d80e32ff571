/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Names that remain mangled. binutils' libiberty, which is linked in, demangles C++, Rust and D.
 * Debian 12's version of 2023 does not know the constraints and explicit objects of clang 18 and
 * GCC 14, and newer versions do not know all of clang's. LLVM's demangler has no C interface,
 * libstdc++'s __cxa_demangle is the same code as libiberty's; Swift names need Swift. So the report
 * counts the remaining names.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "model/mangled.h"

bool is_mangled(const char *name)
{
	while (name[0] == '_' && name[1] == '_' && (name[2] == 'Z' || name[2] == 'R'))
		name++;
	if (!strncmp(name, "_Z", 2))
		return isdigit((unsigned char)name[2]) || isupper((unsigned char)name[2]);
	if (!strncmp(name, "_R", 2))
		return name[2] && strchr("CMXYNI", name[2]) && strpbrk(name + 3, "0123456789");
	if (!strncmp(name, "_D", 2))
		return isdigit((unsigned char)name[2]);
	/* Swift 5 and 4.x; excludes the dollar signs of Go, Java and linkers. */
	if (name[0] == '_')
		name++;
	return name[0] == '$' && (name[1] == 's' || name[1] == 'S') &&
	       (isdigit((unsigned char)name[2]) || isupper((unsigned char)name[2]));
}

static int by_text(const void *pa, const void *pb)
{
	return strcmp(*(const char *const *)pa, *(const char *const *)pb);
}

uint32_t count_mangled(const struct symbols *all, const char **first)
{
	const char **list = malloc(((size_t)all->count + 1) * sizeof(*list));
	uint32_t i, n = 0, distinct = 0;

	*first = NULL;
	for (i = 0; list && i < all->count; i++) {
		const struct a2n_symbol *s = all->symbol[i].a2n;

		if (s && s->name == s->raw_name && is_mangled(s->name))
			list[n++] = s->name;
	}
	if (n)
		qsort(list, n, sizeof(*list), by_text);
	for (i = 0; i < n; i++)
		distinct += !i || strcmp(list[i - 1], list[i]) != 0;
	if (n)
		*first = list[0];
	free(list);
	return distinct;
}
