/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Annotated code for reports other than -annotate that know the ticks of a symbol by offset. */
#ifndef POST_ANNOTATE_H
#define POST_ANNOTATE_H

#include <json.h>

#include "job.h"

struct offset_ticks {
	uint64_t offset, ticks; /* offset from the symbol's start; of generated code, its place */
};

struct spot_hits {
	struct offset_ticks *list;
	uint32_t n, room;
};

/* Writes a JSON object as -annotate does for each version of the symbol's code with hits. Sorts the
 * hits. Returns 0, -errno, or REPORT_WRONG after a message. */
int annotate_symbol(const struct job *job, struct json *j, uint32_t symbol, struct spot_hits *hits);

#endif
