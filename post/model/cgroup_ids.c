/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two tables: groups of processes, paths of groups. */
#include "model/cgroup_ids.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "record/record_as.h"

static int put_member(struct cgroup_ids *c, uint32_t pid, uint64_t id)
{
	uint64_t hash = hash_mix(pid, 5);
	uint32_t i = keys_find(&c->by_pid, hash, c->member, e, e->pid == pid);

	if (!id)
		return 0;
	if (i == NO_KEY) {
		if (keys_next(&c->by_pid, hash, c->member, c->members, c->room_member))
			return -ENOMEM;
		i = c->members++;
		c->member[i].pid = pid;
	}
	c->member[i].id = id;
	return 0;
}

static int put_path(struct cgroup_ids *c, uint64_t id, const char *path)
{
	uint64_t hash = hash_mix(id, 6);
	uint32_t i = keys_find(&c->by_id, hash, c->group, e, e->id == id);
	char *copy;

	if (!id || !*path || i != NO_KEY)
		return 0;
	copy = strdup(path);
	if (!copy || keys_next(&c->by_id, hash, c->group, c->groups, c->room_group)) {
		free(copy);
		return -ENOMEM;
	}
	c->group[c->groups].id = id;
	c->group[c->groups++].path = copy;
	return 0;
}

int cgroup_ids_record(struct cgroup_ids *c, const struct pirecord *r)
{
	const struct pitrace_mte_task *task;
	const struct detail_cgroup *of;
	int rc;

	if (detail_is(r, DETAIL_CGROUP) || detail_is(r, DETAIL_CGROUP_OF)) {
		of = r->data;
		if (!detail_whole(r))
			return 0;
		rc = put_path(c, of->id, of->path);
		return rc || detail_is(r, DETAIL_CGROUP) ? rc : put_member(c, of->pid, of->id);
	}
	if (r->major != PITRACE_MTE)
		return 0;
	switch (r->minor) {
	case PITRACE_MTE_FORK:
	case PITRACE_MTE_CLONE:
	case PITRACE_MTE_THREAD:
	case PITRACE_MTE_NAME:
	case PITRACE_MTE_PROCESS:
		task = RECORD_AS(r, struct pitrace_mte_task);
		return task ? put_member(c, task->pid, task->cgroup) : 0;
	}
	return 0;
}

uint64_t cgroup_ids_of(const struct cgroup_ids *c, uint32_t pid, const char **path)
{
	uint32_t i = keys_find(&c->by_pid, hash_mix(pid, 5), c->member, e, e->pid == pid), g;
	uint64_t id = i == NO_KEY ? 0 : c->member[i].id;

	g = keys_find(&c->by_id, hash_mix(id, 6), c->group, e, e->id == id);
	*path = g == NO_KEY ? NULL : c->group[g].path;
	return id;
}

void cgroup_ids_free(struct cgroup_ids *c)
{
	uint32_t i;

	for (i = 0; i < c->groups; i++)
		free(c->group[i].path);
	free(c->member);
	free(c->group);
	keys_free(&c->by_pid);
	keys_free(&c->by_id);
}
