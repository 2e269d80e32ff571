/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The drain reads the cgroup of each process that a walk of live tasks or an exec reports; its
 * children are in the same one until they execute a program. A process that has ended by then is in
 * the cgroup of its parent, for the readers as well.
 */
#ifndef PITRACE_DRAIN_CGROUPS_H
#define PITRACE_DRAIN_CGROUPS_H

#include <stddef.h>
#include <pifile.h>

struct drain_cgroups;

struct drain_cgroups *drain_cgroups_new(void);
void drain_cgroups_free(struct drain_cgroups *d);
/* Scans a segment for processes and reads their cgroups. */
void drain_cgroups_scan(struct drain_cgroups *d, const void *segment, size_t size);
/* Writes the cgroups found since the last call as snapshots. 0 or -errno. */
int drain_cgroups_flush(struct drain_cgroups *d, struct pifile_writer *w);

#endif
