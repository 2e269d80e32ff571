/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Processes with a runtime that generates code, recognized by the library or program they map. */
#ifndef POST_RUNTIMES_H
#define POST_RUNTIMES_H

#include <pifile.h>

struct runtimes {
	struct runtime {
		uint32_t pid;
		const char *name; /* "Java", "node", "Python" */
	} * list;
	uint32_t n, room;
};

/* Returns 0 or -ENOMEM. */
int runtimes_mapping(struct runtimes *r, const struct pitrace_mte_map *map);
/* Returns the name of a process's runtime; NULL: none known. */
const char *runtimes_of(const struct runtimes *r, uint32_t pid);
void runtimes_free(struct runtimes *r);

#endif
