/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Where functions are in their source, and what is inlined in them, by DWARF. All functions of a
 * file are looked up together when the first of them is asked for, so that it is read once.
 */
#ifndef SOURCE_PLACES_H
#define SOURCE_PLACES_H

#include <stdint.h>

#include "a2n.h"

/* Where the function begins that the answer is of: its file, which stays, and its line. NULL: not
 * known. Its callers wait for each other. */
const char *source_place(struct a2n *names, const struct a2n_answer *answer, uint32_t *line);

/* What is inlined in functions, each once for each place in the source. */
struct inlined {
	uint32_t function; /* of those that were asked for */
	const char *name, *file;
	uint32_t line; /* where the call stands; 0: not known */
};
struct inlined_list {
	struct inlined *list; /* the caller frees it */
	uint32_t n;
};
/* Of n functions of one module that begin at these module_offsets, by function, file, line and
 * name. 0 or -ENOMEM. */
int source_inlined(struct a2n *names, const struct a2n_module *module, const uint64_t *offsets,
		   uint32_t n, struct inlined_list *found);

#endif
