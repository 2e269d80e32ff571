/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The addresses that the JVM has reported as its own code. It reports a large range ("Interpreter")
 * and the ranges within it, in either order: the small ones keep their names.
 */
#ifndef RANGES_H
#define RANGES_H

#include <stdint.h>

struct code_range {
	uint64_t start, end;
};

struct ranges {
	struct code_range *list; /* by start; they do not overlap */
	uint32_t n, room;
};

/* Calls `emit` for each part of the range that was not added before. Returns 0, -ENOMEM, or emit's
 * result if it is not 0. */
int ranges_add(struct ranges *r, uint64_t start, uint64_t end,
	       int (*emit)(void *arg, uint64_t start, uint64_t end), void *arg);
void ranges_free(struct ranges *r);

#endif
