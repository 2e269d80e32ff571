/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Cgroups of threads, as /proc has them at the moment: PTT does not know them, and those of threads
 * that ended are lost.
 */
#include <errno.h>
#include <stdlib.h>
#include "base/array.h"
#include "base/keys.h"
#include "base/proc_cgroup.h"
#include "cgroup_name.h"
#include "tool.h"

struct cgroup_process {
	int pid;
	const char *cgroup; /* NULL: unknown */
};

/* *name belongs to the dump; NULL: the process has no cgroup. Returns 0 or -ENOMEM. */
static int read_cgroup(struct dump *d, int pid, const char **name)
{
	char path[PROC_CGROUP_ROOM];
	int unified;

	*name = NULL;
	if (!proc_cgroup((uint32_t)pid, path, sizeof(path), &unified))
		return 0;
	if (array_next(d->cgroup, d->cgroups, d->cgroups_room))
		return -ENOMEM;
	d->cgroup[d->cgroups] = cgroup_name(path);
	*name = d->cgroup[d->cgroups];
	return *name ? (d->cgroups++, 0) : -ENOMEM;
}

int dump_cgroups(struct dump *d)
{
	struct cgroup_process *seen = calloc((size_t)d->rows + 1, sizeof(*seen));
	struct keys by_pid = { 0 };
	uint32_t n = 0, at;
	int err = seen ? 0 : -ENOMEM;

	d->with_cgroups = true;
	for (int i = 0; i < d->rows && !err && pids_are_ours(); i++) {
		int pid = d->row[i].t.pid;
		uint64_t hash = hash_mix((uint64_t)pid, 0);

		if (d->row[i].t.ended)
			continue;
		at = keys_find(&by_pid, hash, seen, e, e->pid == pid);
		if (at == NO_KEY) {
			at = n++;
			seen[at].pid = pid;
			err = read_cgroup(d, pid, &seen[at].cgroup);
			if (!err)
				err = keys_add(&by_pid, hash, at);
		}
		d->row[i].cgroup = seen[at].cgroup;
	}
	keys_free(&by_pid);
	free(seen);
	return err;
}
