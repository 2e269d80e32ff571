/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two tables: paths by id, the last id of each process. */
#include "input/perf/perf_cgroups.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/keys.h"
#include "file/record_kinds.h"

struct perf_cgroup {
	uint64_t id;
	char *path;
};

struct perf_member {
	uint64_t id;
	uint32_t pid;
};

struct perf_cgroups {
	struct perf_cgroup *path;
	struct perf_member *member;
	uint32_t npath, room_path, nmember, room_member;
	struct keys by_id, by_pid;
	uint8_t *record; /* the record being made */
	size_t room;
};

bool perf_cgroups_any(const struct perf *p)
{
	for (uint32_t i = 0; i < p->nattrs; i++)
		if (p->attr[i].shape.sample_type & PERF_SAMPLE_CGROUP)
			return true;
	return false;
}

struct perf_cgroups *perf_cgroups_new(void)
{
	return calloc(1, sizeof(struct perf_cgroups));
}

void perf_cgroups_free(struct perf_cgroups *c)
{
	if (!c)
		return;
	for (uint32_t i = 0; i < c->npath; i++)
		free(c->path[i].path);
	free(c->path);
	free(c->member);
	keys_free(&c->by_id);
	keys_free(&c->by_pid);
	free(c->record);
	free(c);
}

static uint32_t find_path(const struct perf_cgroups *c, uint64_t id)
{
	return keys_find(&c->by_id, hash_mix(id, 0), c->path, e, e->id == id);
}

const char *perf_cgroups_name(const struct perf_cgroups *c, uint64_t id)
{
	uint32_t i = find_path(c, id);

	return i == NO_KEY ? "" : c->path[i].path;
}

/* Keeps the last path of an id. */
static int keep_path(struct perf_cgroups *c, uint64_t id, char *path)
{
	uint32_t i = find_path(c, id);

	if (i != NO_KEY) {
		free(c->path[i].path);
		c->path[i].path = path;
		return 0;
	}
	if (keys_next(&c->by_id, hash_mix(id, 0), c->path, c->npath, c->room_path)) {
		free(path);
		return -ENOMEM;
	}
	c->path[c->npath++] = (struct perf_cgroup){ id, path };
	return 0;
}

/* Without a path only the id is known here: a record of any time has its path. Reports that want
 * perf's own data get it from perf_details.c. */
static int put_cgroup(struct perf *p, uint32_t pid, uint64_t id, const char *path, perf_put put,
		      void *arg, uint64_t time)
{
	struct perf_cgroups *c = p->cgroups;
	size_t length = strlen(path);
	size_t size = sizeof(struct mte_cgroup) + ((length + 4) & ~(size_t)3);
	struct mte_cgroup g = { .pid = pid, .path_len = (uint32_t)length, .id = id };

	if (p->what & INPUT_DETAILS)
		return 0;
	if (array_room(c->record, c->room, size))
		return -ENOMEM;
	memset(c->record, 0, size);
	memcpy(c->record, &g, sizeof(g));
	memcpy(c->record + sizeof(g), path, length);
	return put(arg, PITRACE_MTE, MTE_CGROUP, c->record, size, time);
}

int perf_cgroups_path(struct perf *p, const struct perf_item *i, perf_put put, void *arg)
{
	char *path = strndup(i->text, i->text_len);

	if (!path || keep_path(p->cgroups, i->cgroup, path))
		return -ENOMEM;
	return put_cgroup(p, 0, i->cgroup, path, put, arg, i->time);
}

void perf_cgroups_fork(struct perf_cgroups *c, uint32_t pid)
{
	uint32_t at = keys_find(&c->by_pid, hash_mix(pid, 0), c->member, e, e->pid == pid);

	if (at != NO_KEY)
		c->member[at].id = 0;
}

int perf_cgroups_sample(struct perf *p, const struct perf_item *i, uint32_t attr, perf_put put,
			void *arg)
{
	struct perf_cgroups *c = p->cgroups;
	uint64_t hash = hash_mix(i->pid, 0);
	uint32_t at;

	if (!(p->attr[attr].shape.sample_type & PERF_SAMPLE_CGROUP) || !i->cgroup)
		return 0;
	at = keys_find(&c->by_pid, hash, c->member, e, e->pid == i->pid);
	if (at != NO_KEY && c->member[at].id == i->cgroup)
		return 0;
	if (at == NO_KEY) {
		if (keys_next(&c->by_pid, hash, c->member, c->nmember, c->room_member))
			return -ENOMEM;
		at = c->nmember++;
	}
	c->member[at] = (struct perf_member){ i->cgroup, i->pid };
	return put_cgroup(p, i->pid, i->cgroup, "", put, arg, i->time);
}
