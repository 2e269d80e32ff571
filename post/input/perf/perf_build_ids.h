/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Build ids in the header. */
#ifndef POST_PERF_BUILD_IDS_H
#define POST_PERF_BUILD_IDS_H

#include "input/perf/perf_state.h"

/* Returns the header's build id for the file mapped at this path; inode 0: unknown. NULL: none, or
 * it belongs to another file. */
const struct perf_build_id *perf_file_id(struct perf *p, const char *path, uint64_t inode);

#endif
