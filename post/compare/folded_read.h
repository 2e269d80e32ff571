/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Folded stacks, "process;outermost;…;innermost 12", as post -folded and other tools write for
 * flame graphs, as one input of a comparison. The first name is a process (in a line of only one
 * name, a function).
 */
#ifndef POST_FOLDED_READ_H
#define POST_FOLDED_READ_H

#include <pifile.h>

#include "compare/comparison.h"

#define FOLDED_MOST (1ull << 32) /* maximum bytes of a file */

/* Returns whether a file is folded stacks: text, whose first line that is not a comment ends with a
 * number. */
bool folded_probe(const void *head, size_t size);
/* Reads the whole text. Returns 0 or -errno; -EINVAL: `fault` holds the offset and the reason. */
int folded_text(struct comparison *c, uint32_t input, enum compare_key key, const char *text,
		size_t size, struct pifile_fault *fault);
/* The same for a file. name: its name in messages and outputs. */
int folded_file(struct comparison *c, uint32_t input, enum compare_key key, const char *path,
		const char *name, struct pifile_fault *fault);

#endif
