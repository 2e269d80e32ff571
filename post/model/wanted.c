/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names may have an @ of their own. */
#include "model/wanted.h"

#include <string.h>

bool wanted_is(const char *wanted, const char *name, size_t length, const char *module)
{
	const char *at = strrchr(wanted, '@'), *slash = strrchr(module, '/');

	if (strlen(wanted) == length && !memcmp(wanted, name, length))
		return true;
	return at && length == (size_t)(at - wanted) && !memcmp(wanted, name, length) &&
	       (!strcmp(module, at + 1) || (slash && !strcmp(slash + 1, at + 1)));
}
