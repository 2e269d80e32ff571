/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The list of writers. */
#include "export/writer.h"

#include "record/listed.h"

static const struct writer *const writers[] = {
#define LISTED(name) &writer_##name,
	WRITERS(LISTED)
#undef LISTED
};

LISTED_AT(writer, writers)
LISTED_NAMED(writer, writers)
