/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What lives already when a collector without the module begins: processes, threads and executable
 * mappings, read from /proc and told as the driver's walk tells them. Each process is stamped
 * before it is looked at: what happens to it meanwhile is told by later records.
 */
#ifndef PITRACE_PERF_WALK_H
#define PITRACE_PERF_WALK_H

#include <stdbool.h>
#include <sys/types.h>
#include "collect/perf/perf_records.h"

/* All processes (scope 0), or that one with its descendants of today, and their ancestors' names.
 * Who comes or goes meanwhile is passed over. `visit` (may be NULL) is told each process in scope.
 * 0, what put answered, or -errno of /proc. */
int proc_walk(pid_t scope, perf_put put, void (*visit)(void *arg, pid_t pid), void *arg);

#endif
