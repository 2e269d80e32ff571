/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Identifies mapped files for the perf collector, while they are mapped and before their mappings
 * are written. */
#ifndef PITRACE_PERF_FILES_H
#define PITRACE_PERF_FILES_H

#include "collect/perf/perf_records.h"
#include "collect/perf/perf_session.h"

/* Identifies the files of the names in the rings since the last call. Records are not consumed. */
void perf_files_identify(struct perf_session *s);
/* Writes a mapping's record, preceded by its file's id if known. 0 or put's error. */
int perf_files_put(struct perf_session *s, const struct pitrace_mte_map *map, size_t size,
		   uint64_t time, perf_put put, void *arg);

#endif
