/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Build ids of the header. */
#ifndef POST_PERF_BUILD_IDS_H
#define POST_PERF_BUILD_IDS_H

#include "input/perf/perf_state.h"

/* The header's build id for the file that was mapped at this path; inode 0: unknown. NULL: none, or
 * it is another file's. */
const struct perf_build_id *perf_file_id(struct perf *p, const char *path, uint64_t inode);

#endif
