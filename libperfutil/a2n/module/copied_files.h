/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Files that are in the trace itself: those of containers, which may be gone by now. They are kept
 * in one memory file.
 */
#ifndef A2N_COPIED_FILES_H
#define A2N_COPIED_FILES_H

#include <stddef.h>
#include <stdint.h>

#include "a2n/module/file_key.h"

#define COPIED_MOST (128ull << 20) /* bytes of all files: further ones are left out */

struct copied_file;

struct copied_files {
	struct copied_file *file;
	uint32_t n, room;
	int fd1; /* descriptor + 1; 0: none yet */
	uint64_t bytes;
};

/* Adds a file. 0, -ENOMEM, or -EFBIG: there are too many. */
int copied_add(struct copied_files *c, const struct file_key *key, const void *data, size_t size);
/* Opens the i-th copy of this file; -1: there is none, or no memory. */
int copied_open(const struct copied_files *c, const struct file_key *key, unsigned int i);
void copied_free(struct copied_files *c);

#endif
