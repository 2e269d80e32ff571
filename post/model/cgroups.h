/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The cgroups of processes over time: from records that name the cgroup of a process, from the ids
 * in records of tasks and in perf's samples, and from parents, whose cgroup a child is in until a
 * record says otherwise. Memory is bounded by cgroups and by processes and their changes.
 */
#ifndef POST_CGROUPS_H
#define POST_CGROUPS_H

#include <pifile.h>
#include <stdbool.h>

#include "base/keys.h"

#define CGROUP_UNKNOWN 0

struct cgroup {
	char *path; /* "": unknown */
	char *name; /* of its container or unit; else the path; "number ID"; "unknown" */
};

struct cgroup_id;
struct cgroup_event;
struct cgroup_stay;

struct cgroups {
	struct cgroup *list; /* list[CGROUP_UNKNOWN] always exists */
	uint32_t count, room;
	struct keys by_path;
	struct cgroup_id *id;
	uint32_t nid, room_id;
	struct keys by_id;
	struct cgroup_event *event; /* until cgroups_finish */
	uint32_t nevent, room_event;
	bool named; /* there is an event other than a fork */
	struct cgroup_stay *stay;
	uint32_t nstay, room_stay;
};

/* Returns 0 or -ENOMEM. The caller calls cgroups_free. */
int cgroups_begin(struct cgroups *c);
/* Processes a record of the first pass. Returns 0 or -ENOMEM. */
int cgroups_record(struct cgroups *c, const struct pirecord *r);
/* Call after the last record. Returns 0 or -ENOMEM. */
int cgroups_finish(struct cgroups *c);
/* Returns the index in `list` of a process's cgroup at a time. */
uint32_t cgroups_at(const struct cgroups *c, uint32_t pid, uint64_t time);
void cgroups_free(struct cgroups *c);

#endif
