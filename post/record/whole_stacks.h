/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Formats that list each stack in full grow with the sum of all stack depths, which for a tree is
 * quadratic in its depth. This limits the number of calls that are written. Files of our own
 * collectors, and of others that also list stacks in full, never reach the limit.
 */
#ifndef POST_WHOLE_STACKS_H
#define POST_WHOLE_STACKS_H

#include <stdbool.h>
#include <stdint.h>

#define WHOLE_STACKS     (UINT64_C(1) << 27) /* calls allowed for any file */
#define WHOLE_STACKS_PER 8                   /* further calls per byte of the file */

struct whole_stacks {
	uint64_t left; /* calls that may still be written */
	uint64_t cut;  /* stacks reduced to their innermost call */
};

static inline struct whole_stacks whole_stacks(uint64_t file_size)
{
	const uint64_t most = INT64_MAX / 16;

	if (file_size > most)
		file_size = most;
	return (struct whole_stacks){ .left = WHOLE_STACKS + WHOLE_STACKS_PER * file_size };
}

/* Returns how many of a stack's calls to write: all of them, or only the innermost one. */
static inline uint32_t whole_stacks_take(struct whole_stacks *w, uint32_t calls)
{
	if (calls > 1 && calls > w->left) {
		w->cut++;
		calls = 1;
	}
	w->left -= calls < w->left ? calls : w->left;
	return calls;
}

#endif
