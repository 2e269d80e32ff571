/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Formats that list each stack whole are as large as all stacks are deep together, which of a tree
 * grows by the square of its depth. Only so many calls are written; the files of our own collectors
 * and of others, which list stacks as well, never have as many.
 */
#ifndef POST_WHOLE_STACKS_H
#define POST_WHOLE_STACKS_H

#include <stdbool.h>
#include <stdint.h>

#define WHOLE_STACKS     (UINT64_C(1) << 27) /* calls, and so many … */
#define WHOLE_STACKS_PER 8                   /* … for each byte of the file */

struct whole_stacks {
	uint64_t left; /* calls that may be written yet */
	uint64_t cut;  /* stacks of which only the innermost call was written */
};

static inline struct whole_stacks whole_stacks(uint64_t file_size)
{
	const uint64_t most = INT64_MAX / 16;

	if (file_size > most)
		file_size = most;
	return (struct whole_stacks){ .left = WHOLE_STACKS + WHOLE_STACKS_PER * file_size };
}

/* How many of a stack's calls are to be written: all, or the innermost one. */
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
