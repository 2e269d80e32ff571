/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An unsorted list: a process has two or three entries. */
#include "a2n/process/live.h"

#include <stdlib.h>

#include "base/array.h"

void live_forget(struct live *l, uint32_t pid)
{
	uint32_t i, kept = 0;

	for (i = 0; i < l->n; i++)
		if (l->file[i].pid != pid)
			l->file[kept++] = l->file[i];
	l->n = kept;
}

struct live_file *live_file(struct live *l, uint32_t pid, uint64_t start, uint64_t inode)
{
	uint32_t i;

	for (i = 0; i < l->n; i++) {
		if (l->file[i].pid != pid)
			continue;
		if (l->file[i].start != start) {
			live_forget(l, pid);
			break;
		}
		if (l->file[i].inode == inode)
			return &l->file[i];
	}
	if (array_next(l->file, l->n, l->room))
		return NULL;
	l->file[l->n] = (struct live_file){ .pid = pid, .start = start, .inode = inode };
	return &l->file[l->n++];
}

void live_free(struct live *l)
{
	free(l->file);
	*l = (struct live){ 0 };
}
