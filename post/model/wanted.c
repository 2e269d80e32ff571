/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names may contain an @. */
#include "model/wanted.h"

#include <string.h>

#include "base/name_forms.h"
#include "base/pattern.h"

bool wanted_is(const char *wanted, const char *name, size_t length, const char *module)
{
	const char *at = strrchr(wanted, '@'), *slash = strrchr(module, '/');

	if (strlen(wanted) == length && !memcmp(wanted, name, length))
		return true;
	return at && length == (size_t)(at - wanted) && !memcmp(wanted, name, length) &&
	       (!strcmp(module, at + 1) || (slash && !strcmp(slash + 1, at + 1)));
}

size_t wanted_form(const char *name, enum wanted_form form)
{
	return form == WANTED_WHOLE ? strlen(name) :
	       form == WANTED_BARE  ? name_bare(name) :
				      name_without_parameters(name);
}

bool wanted_symbol(const char *wanted, const char *name, const char *raw, const char *module)
{
	for (enum wanted_form form = 0; form < WANTED_FORMS; form++)
		if (wanted_is(wanted, name, wanted_form(name, form), module))
			return true;
	return (raw && (wanted_is(wanted, raw, strlen(raw), module) ||
			wanted_is(wanted, raw, name_without_copies(raw, strlen(raw)), module))) ||
	       (strpbrk(wanted, "*?") && (pattern_fits(wanted, strlen(wanted), name) ||
					  (raw && pattern_fits(wanted, strlen(wanted), raw))));
}
