/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Collects the events that concern one address, each with its position in the trace or in a
 * file. */
#include "model/explain.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/keys.h"
#include "record/record_as.h"

static int add(struct explain *x, const struct a2n *a, struct explain_source *s, uint32_t before)
{
	s->before = before;
	s->last = a2n_told(a);
	if (array_next(x->source, x->n, x->room))
		return -ENOMEM;
	x->source[x->n++] = *s;
	return 0;
}

/* Returns whether the event may concern the address. Sets the event's process. */
static bool concerns(const struct explain *x, const struct pirecord *r, struct explain_source *s)
{
	const struct pitrace_mte_task *task;
	const struct pitrace_mte_map *map;
	const struct pitrace_mte_unmap *unmap;
	struct pifile_user u;

	switch (r->minor) {
	case PITRACE_MTE_PROCESS:
	case PITRACE_MTE_FORK:
	case PITRACE_MTE_CLONE:
		/* Other processes may be its ancestors. */
		task = RECORD_AS(r, struct pitrace_mte_task);
		s->pid = task ? task->pid : 0;
		return task;
	case PITRACE_MTE_MODULE:
	case PITRACE_MTE_UNLOAD:
		map = record_map(r);
		if (!map)
			return false;
		s->pid = map->pid;
		s->kernel = r->minor == PITRACE_MTE_UNLOAD || map->flags & PITRACE_MAP_KERNEL;
		/* An unload record has no range. */
		return r->minor == PITRACE_MTE_UNLOAD ||
		       explain_concerns(x, map->start, map->length);
	case PITRACE_MTE_UNMAP:
		unmap = RECORD_AS(r, struct pitrace_mte_unmap);
		s->pid = unmap ? unmap->pid : 0;
		return unmap && explain_concerns(x, unmap->start, unmap->length);
	case PITRACE_MTE_JIT:
		if (pifile_user_record(r, &u) || u.ints < 4 ||
		    pifile_user_int(&u, 0) > PITRACE_JIT_UNLOAD)
			return false;
		s->pid = u.pid;
		return explain_concerns(x, pifile_user_int(&u, 1), pifile_user_int(&u, 2)) ||
		       explain_concerns(x, pifile_user_int(&u, 3), pifile_user_int(&u, 2));
	default:
		return false;
	}
}

int explain_record(struct explain *x, const struct a2n *a, uint32_t before,
		   const struct pirecord *r)
{
	struct explain_source s = {
		.time = r->time,
		.stamp = r->stamp,
		.cpu = r->cpu,
		.minor = r->minor,
	};

	if (!x->what.wanted || r->major != PITRACE_MTE || !concerns(x, r, &s))
		return 0;
	return add(x, a, &s, before);
}

int explain_file(struct explain *x, const struct a2n *a, uint32_t before, const char *kind,
		 const char *path, uint64_t offset)
{
	struct explain_source s = { .kind = kind, .path = strdup(path), .offset = offset };

	if (s.path && !add(x, a, &s, before))
		return 0;
	free(s.path);
	return -ENOMEM;
}

const struct explain_source *explain_source(const struct explain *x, const struct a2n_span *span)
{
	uint32_t i;

	for (i = 0; i < x->n; i++) {
		const struct explain_source *s = &x->source[i];

		if (s->kernel ? !span->told && span->from && s->time == span->from :
				span->told > s->before && span->told <= s->last)
			return s;
	}
	return NULL;
}

void explain_free(struct explain *x)
{
	uint32_t i;

	for (i = 0; i < x->n; i++)
		free(x->source[i].path);
	free(x->source);
	*x = (struct explain){ 0 };
}
