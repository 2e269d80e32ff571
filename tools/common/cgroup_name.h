/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The names of containers and units in paths of cgroups. */
#ifndef CGROUP_NAME_H
#define CGROUP_NAME_H

/* Returns the name of the container or the systemd unit of a path: docker:ID, podman:ID,
 * containerd:ID, cri-o:ID, lxc:NAME, machine:NAME, NAME.service, …; without one a copy of the path.
 * Ids have 12 digits, as those programs show them. The caller frees it; NULL: no memory. */
char *cgroup_name(const char *path);

#endif
