/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Writes records of the processes, threads and executable mappings that exist when a collector
 * without the module begins, read from /proc, as the driver's walk writes them. Each process is
 * stamped before it is read: changes meanwhile are in later records.
 */
#ifndef PITRACE_PERF_WALK_H
#define PITRACE_PERF_WALK_H

#include <stdbool.h>
#include <sys/types.h>
#include "collect/perf/perf_records.h"

/* Walks all processes (scope 0), or one with its present descendants, and their ancestors' names.
 * Processes that begin or end meanwhile are skipped. `visit` (may be NULL) is called for each
 * process in scope. 0, the error of put, or -errno of /proc. */
int proc_walk(pid_t scope, perf_put put, void (*visit)(void *arg, pid_t pid), void *arg);

/* Returns the process of a live thread; for other ids, the id itself. */
uint32_t proc_pid_of(uint32_t tid);

#endif
