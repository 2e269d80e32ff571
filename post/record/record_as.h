/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A record's data as the struct that its major and minor promise, or NULL when it is shorter: what
 * stands in a file is never trusted to be whole.
 */
#ifndef POST_RECORD_AS_H
#define POST_RECORD_AS_H

#include <pifile.h>

#define RECORD_AS(r, as)                                                                        \
	((const as *)((r)->type == PITRACE_TYPE_STRUCT && (r)->size >= sizeof(as) ? (r)->data : \
										    NULL))

/* A mapping, when its path with the NUL lies inside the record. */
static inline const struct pitrace_mte_map *record_map(const struct pirecord *r)
{
	const struct pitrace_mte_map *m = RECORD_AS(r, struct pitrace_mte_map);

	if (!m || m->path_len >= r->size - sizeof(*m) || m->path[m->path_len] != '\0')
		return NULL;
	return m;
}

#endif
