/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Annotated code for others than -annotate: those who know where a symbol's ticks are. */
#ifndef POST_ANNOTATE_H
#define POST_ANNOTATE_H

#include <json.h>

#include "job.h"

struct offset_ticks {
	uint64_t offset, ticks; /* from the symbol's start; of code that programs made: its place */
};

struct spot_hits {
	struct offset_ticks *list;
	uint32_t n, room;
};

/* An object of -annotate's JSON for each code of the symbol that was hit. Puts the hits in order.
 * 0, -errno, or REPORT_WRONG, which was told. */
int annotate_symbol(const struct job *job, struct json *j, uint32_t symbol, struct spot_hits *hits);

#endif
