/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The cgroups of a perf.data: paths by id from PERF_RECORD_CGROUP, the cgroup of a process from
 * each sample that has one (PERF_SAMPLE_CGROUP). They become our records: one for each path, one
 * for each change of a process.
 */
#ifndef POST_PERF_CGROUPS_H
#define POST_PERF_CGROUPS_H

#include "input/perf/perf_state.h"

/* Returns whether samples of the file have cgroups. */
bool perf_cgroups_any(const struct perf *p);
struct perf_cgroups *perf_cgroups_new(void);
void perf_cgroups_free(struct perf_cgroups *c);
/* Process a PERF_RECORD_CGROUP, a sample. Pass records to `put`. Return 0 or -ENOMEM. */
int perf_cgroups_path(struct perf *p, const struct perf_item *i, perf_put put, void *arg);
int perf_cgroups_sample(struct perf *p, const struct perf_item *i, uint32_t attr, perf_put put,
			void *arg);
/* A pid that is used again is in its parent's cgroup until its first sample. */
void perf_cgroups_fork(struct perf_cgroups *c, uint32_t pid);
/* Returns the path of an id, "" if no record was read that has it. */
const char *perf_cgroups_name(const struct perf_cgroups *c, uint64_t id);

#endif
