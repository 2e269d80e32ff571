/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The control group that each process was in last, from task records and perf's samples. Memory is
 * bounded by processes and groups.
 */
#ifndef POST_CGROUPS_H
#define POST_CGROUPS_H

#include "base/keys.h"
#include "record/detail.h"

struct cgroups {
	struct cgroup_member {
		uint64_t id;
		uint32_t pid;
	} * member;
	struct cgroup {
		uint64_t id;
		char *path; /* NULL: not recorded */
	} * group;
	uint32_t members, room_member, groups, room_group;
	struct keys by_pid, by_id;
};

/* Processes any record. Returns 0 or -ENOMEM. */
int cgroups_record(struct cgroups *c, const struct pirecord *r);
/* Returns the group's id; 0: not recorded. path: NULL if only its id was. */
uint64_t cgroups_of(const struct cgroups *c, uint32_t pid, const char **path);
void cgroups_free(struct cgroups *c);

#endif
