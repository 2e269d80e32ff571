/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Groups the parts of processes that moved between cgroups; those of the same name if requested. */
#include "model/trace_names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct names_named {
	uint32_t index, within;
	const char *name;
};

static int compare_named(const void *pa, const void *pb)
{
	const struct names_named *a = pa, *b = pb;
	int c = strcmp(a->name, b->name);

	if (a->within != b->within)
		return a->within < b->within ? -1 : 1;
	return c ? c : a->index < b->index ? -1 : 1;
}

/* Groups equal names within the same parent group: the first one represents them. */
static void group_by_name(struct names_named *list, uint32_t count, uint32_t *group, size_t stride)
{
	uint32_t i, first = 0;

	qsort(list, count, sizeof(*list), compare_named);
	for (i = 0; i < count; i++) {
		if (list[i].within != list[first].within ||
		    strcmp(list[i].name, list[first].name) != 0)
			first = i;
		*(uint32_t *)((char *)group + list[i].index * stride) = list[first].index;
	}
}

/* A process that moved to another cgroup is one, unless cgroups are shown: the first part of it
 * represents all. */
static int group_moved_processes(struct names *n, bool *moved)
{
	struct keys seen = { 0 };
	int rc = 0;

	for (uint32_t i = 0; i < n->nprocess && !rc; i++) {
		struct trace_process *p = &n->process[i];
		uint64_t hash = hash_mix(hash_mix(p->serial, p->pid), (uintptr_t)p->name);
		uint32_t first = keys_find(&seen, hash, n->process, e,
					   e->pid == p->pid && e->serial == p->serial &&
						   e->name == p->name && e->origin == p->origin);

		if (first == NO_KEY)
			rc = keys_add(&seen, hash, i);
		p->group = first == NO_KEY ? i : first;
		*moved |= p->group != i;
	}
	keys_free(&seen);
	return rc;
}

static int group_moved_threads(struct names *n)
{
	struct keys seen = { 0 };
	int rc = 0;

	for (uint32_t i = 0; i < n->nthread && !rc; i++) {
		struct trace_thread *t = &n->thread[i];
		uint32_t process = n->process[t->process].group;
		uint64_t hash = hash_mix(hash_mix(process, t->tid), (uintptr_t)t->name);
		uint32_t first = keys_find(&seen, hash, n->thread, e,
					   e->tid == t->tid && e->name == t->name &&
						   n->process[e->process].group == process);

		if (first == NO_KEY)
			rc = keys_add(&seen, hash, i);
		t->group = first == NO_KEY ? i : first;
	}
	keys_free(&seen);
	return rc;
}

static int group_moved(struct names *n)
{
	bool moved = false;
	int rc = group_moved_processes(n, &moved);

	return rc || !moved ? rc : group_moved_threads(n);
}

int names_group(struct names *n, const struct names_options *o)
{
	uint32_t count = n->nprocess > n->nthread ? n->nprocess : n->nthread, i;
	struct names_named *list = calloc(count + 1, sizeof(*list));

	if (!list || (!o->by_cgroup && n->cgroups.count > 1 && group_moved(n))) {
		free(list);
		return -ENOMEM;
	}
	for (i = 0; i < n->nprocess; i++)
		list[i] = (struct names_named){ i, 0, n->process[i].name };
	if (o->by_process_name && n->nprocess)
		group_by_name(list, n->nprocess, &n->process[0].group, sizeof(*n->process));
	for (i = 0; i < n->nthread; i++)
		list[i] = (struct names_named){ i, n->process[n->thread[i].process].group,
						n->thread[i].name };
	if (o->by_thread_name && n->nthread)
		group_by_name(list, n->nthread, &n->thread[0].group, sizeof(*n->thread));
	free(list);
	return 0;
}
