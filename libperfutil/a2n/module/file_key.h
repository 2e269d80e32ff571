/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The file of a mapping. */
#ifndef A2N_FILE_KEY_H
#define A2N_FILE_KEY_H

#include <stdbool.h>
#include <stdint.h>

/* The identity of a file's contents. */
struct file_key {
	uint64_t inode;
	uint32_t major, minor, generation;
	uint32_t machine; /* number of the machine */
};

static inline bool same_key(const struct file_key *a, const struct file_key *b)
{
	return a->inode == b->inode && a->major == b->major && a->minor == b->minor &&
	       a->generation == b->generation && a->machine == b->machine;
}

#endif
