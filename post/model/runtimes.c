/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Newest last: a process maps another runtime when it executes another program. */
#include "model/runtimes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/keys.h"

static const char *name_of(const char *path)
{
	const char *file = strrchr(path, '/');

	if (!file)
		return NULL;
	file++;
	if (!strcmp(file, "libjvm.so"))
		return "Java";
	if (!strcmp(file, "node") || !strncmp(file, "libnode.so", 10))
		return "node";
	if (!strncmp(file, "libpython3", 10) ||
	    (!strncmp(file, "python3", 7) && (!file[7] || file[7] == '.')))
		return "Python";
	return NULL;
}

int runtimes_mapping(struct runtimes *r, const struct pitrace_mte_map *map)
{
	const char *name = name_of(map->path);

	if (!name || runtimes_of(r, map->pid) == name)
		return 0;
	if (array_next(r->list, r->n, r->room))
		return -ENOMEM;
	r->list[r->n++] = (struct runtime){ map->pid, name };
	return 0;
}

const char *runtimes_of(const struct runtimes *r, uint32_t pid)
{
	for (uint32_t i = r->n; i; i--)
		if (r->list[i - 1].pid == pid)
			return r->list[i - 1].name;
	return NULL;
}

void runtimes_free(struct runtimes *r)
{
	free(r->list);
	*r = (struct runtimes){ 0 };
}
