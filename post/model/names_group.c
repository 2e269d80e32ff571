/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Groups processes and threads of the same name if requested, and sorts symbols. */
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

int names_group(struct names *n, const struct names_options *o)
{
	uint32_t count = n->nprocess > n->nthread ? n->nprocess : n->nthread, i;
	struct names_named *list = calloc(count + 1, sizeof(*list));

	if (!list)
		return -ENOMEM;
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
