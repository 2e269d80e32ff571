/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The cgroup of a process. */
#ifndef PITRACE_PROC_CGROUP_H
#define PITRACE_PROC_CGROUP_H

#include <stddef.h>
#include <stdint.h>

#define PROC_CGROUP_ROOM 4096

/*
 * Reads the path of a process's cgroup, below the root of its hierarchy: the longest one of
 * /proc/PID/cgroup, because with several hierarchies (version 1, or both) a container is in the
 * root of some. *unified: it is the path in the default hierarchy (version 2). Returns its length,
 * or 0: the process has ended, or is in no cgroup. Longer paths are cut.
 */
size_t proc_cgroup(uint32_t pid, char *path, size_t room, int *unified);

/* Returns the kernel's id of a group of the default hierarchy; 0: unknown. */
uint64_t proc_cgroup_id(const char *path);

#endif
