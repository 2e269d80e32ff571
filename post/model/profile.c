/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Returns the address of a place. */
#include "model/profile.h"

#include <stdio.h>
#include <string.h>

uint64_t profile_address(const struct names *n, uint32_t symbol)
{
	const struct symbol *s = &n->symbols.symbol[symbol];
	struct a2n_code code;

	if (!s->is_spot)
		return s->value;
	return a2n_code(n->a2n, s->at, &code) ? code.address + A2N_CODE_OFFSET(s->at) : s->at;
}

bool profile_is_made(const struct names *n, const struct symbol *s)
{
	struct a2n_code code;

	return a2n_code(n->a2n, s->at, &code);
}

/* Any of its symbols leads to liba2n's module. */
size_t profile_build_id(const struct names *n, uint32_t module, const uint8_t **id)
{
	uint32_t i;

	for (i = 0; i < n->symbols.count; i++) {
		const struct symbol *s = &n->symbols.symbol[i];

		if (s->module == module && s->a2n)
			return a2n_module_build_id(n->a2n, s->a2n->module, id);
	}
	return 0;
}

const char *profile_build_id_text(const struct names *n, uint32_t module,
				  char digits[PROFILE_ID_DIGITS])
{
	const uint8_t *id = NULL;
	size_t bytes = profile_build_id(n, module, &id), i;

	for (i = 0; i < bytes && i < PITRACE_BUILDID_MAX; i++)
		snprintf(digits + 2 * i, 3, "%02x", id[i]);
	return bytes ? digits : NULL;
}

const char *profile_unit(const struct trace *t)
{
	const struct events *e = &t->events;

	if (!e->has_chosen || e->chosen == 0 || strstr(e->kind[e->chosen].name, "clock"))
		return "nanoseconds";
	return "count";
}
