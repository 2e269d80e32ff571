/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which addresses the JVM has told to be code of its own. It tells of a large piece ("Interpreter")
 * and of the pieces in it, in either order: the small ones keep their names.
 */
#ifndef RANGES_H
#define RANGES_H

#include <stdint.h>

struct code_range {
	uint64_t start, end;
};

struct ranges {
	struct code_range *list;		/* by start; they don't overlap */
	uint32_t n, room;
};

/* What of the range was told before is left out: the rest, each by `tell`, is told now. 0 or
 * -ENOMEM; tell's own answer if that is not 0. */
int ranges_add(struct ranges *r, uint64_t start, uint64_t end,
	       int (*tell)(void *arg, uint64_t start, uint64_t end), void *arg);
void ranges_free(struct ranges *r);

#endif
