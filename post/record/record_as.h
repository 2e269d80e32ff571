/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Returns a record's data as the struct for its major and minor, or NULL if the record is shorter:
 * records in a file may be truncated or malformed.
 */
#ifndef POST_RECORD_AS_H
#define POST_RECORD_AS_H

#include <pifile.h>

#define RECORD_AS(r, as)                                                                        \
	((const as *)((r)->type == PITRACE_TYPE_STRUCT && (r)->size >= sizeof(as) ? (r)->data : \
										    NULL))

/* Returns a mapping, or NULL if its path with the NUL does not fit into the record. */
static inline const struct pitrace_mte_map *record_map(const struct pirecord *r)
{
	const struct pitrace_mte_map *m = RECORD_AS(r, struct pitrace_mte_map);

	if (!m || m->path_len >= r->size - sizeof(*m) || m->path[m->path_len] != '\0')
		return NULL;
	return m;
}

#endif
