/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of writers. */
#include "export/writer.h"

#include <string.h>

static const struct writer *const writers[] = {
#define LISTED(name) &writer_##name,
	WRITERS(LISTED)
#undef LISTED
};

const struct writer *writer_at(size_t i)
{
	return i < sizeof(writers) / sizeof(writers[0]) ? writers[i] : NULL;
}

const struct writer *writer_named(const char *name)
{
	const struct writer *w;
	size_t i;

	for (i = 0; (w = writer_at(i)) && strcmp(w->name, name) != 0; i++)
		;
	return w;
}
