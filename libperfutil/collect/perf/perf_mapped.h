/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The files of the perf collector: looked at while they are mapped, told before their mappings. */
#ifndef PITRACE_PERF_FILES_H
#define PITRACE_PERF_FILES_H

#include "collect/perf/perf_records.h"
#include "collect/perf/perf_session.h"

/* Look at the files of what the rings of names have since the last look. It stays there. */
void perf_files_look(struct perf_session *s);
/* A mapping's record goes out; before it what is known of its file. 0 or put's error. */
int perf_files_put(struct perf_session *s, const struct pitrace_mte_map *map, size_t size,
		   uint64_t time, perf_put put, void *arg);

#endif
