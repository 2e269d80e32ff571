/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Source places of functions, and the functions inlined in them, from DWARF. All functions of a
 * file are looked up together at the first request, so that the file is read once.
 */
#ifndef SOURCE_PLACES_H
#define SOURCE_PLACES_H

#include <stdint.h>

#include "a2n.h"

/* Returns the source file in which the answer's function begins, valid forever, and its line; NULL:
 * not known. Callers must serialize. */
const char *source_place(struct a2n *names, const struct a2n_answer *answer, uint32_t *line);

/* A function that is inlined in another one; one entry for each place in the source. */
struct inlined {
	uint32_t function; /* index in the requested ones */
	const char *name, *file;
	uint32_t line; /* line of the call; 0: not known */
};
struct inlined_list {
	struct inlined *list; /* the caller frees it */
	uint32_t n;
};
/* Finds the functions inlined in n functions of one module, given their module_offsets; sorted by
 * function, file, line and name. Returns 0 or -ENOMEM. */
int source_inlined(struct a2n *names, const struct a2n_module *module, const uint64_t *offsets,
		   uint32_t n, struct inlined_list *found);

#endif
