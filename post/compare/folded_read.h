/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Folded stacks, "process;outermost;…;innermost 12": what post -folded and others write for flame
 * graphs, as one input of a comparison. What stands first is a process (a line of one name: a
 * function).
 */
#ifndef POST_FOLDED_READ_H
#define POST_FOLDED_READ_H

#include <pifile.h>

#include "compare/comparison.h"

#define FOLDED_MOST (1ull << 32) /* bytes of a file */

/* Whether a file that begins so is one: text, whose first line that is no comment ends in a number.
 */
bool folded_probe(const void *head, size_t size);
/* All of it. 0 or -errno; -EINVAL: the fault says where and why. */
int folded_text(struct comparison *c, uint32_t input, enum compare_key key, const char *text,
		size_t size, struct pifile_fault *fault);
/* The same for a file. name: what it is called. */
int folded_file(struct comparison *c, uint32_t input, enum compare_key key, const char *path,
		const char *name, struct pifile_fault *fault);

#endif
