/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The id of the control group that each process was in last, from task records and perf's samples,
 * and the paths that perf recorded with ids. Groups over time, by path, are those of cgroups.h.
 * Memory is bounded by processes and groups.
 */
#ifndef POST_CGROUP_IDS_H
#define POST_CGROUP_IDS_H

#include "base/keys.h"
#include "record/detail.h"

struct cgroup_ids {
	struct member_id {
		uint64_t id;
		uint32_t pid;
	} * member;
	struct id_path {
		uint64_t id;
		char *path; /* NULL: not recorded */
	} * group;
	uint32_t members, room_member, groups, room_group;
	struct keys by_pid, by_id;
};

/* Processes any record. Returns 0 or -ENOMEM. */
int cgroup_ids_record(struct cgroup_ids *c, const struct pirecord *r);
/* Returns the group's id; 0: not recorded. path: NULL if only its id was. */
uint64_t cgroup_ids_of(const struct cgroup_ids *c, uint32_t pid, const char **path);
void cgroup_ids_free(struct cgroup_ids *c);

#endif
