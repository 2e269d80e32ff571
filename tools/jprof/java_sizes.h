/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The sizes of code by address: the VM reports only the address of unloaded code. */
#ifndef SIZES_H
#define SIZES_H

#include <stdint.h>

struct sizes {
	struct size {
		uint64_t address, size; /* size 0: free */
	} * slot;
	uint32_t slots, n;
};

/* Adds an address or replaces its size. Returns 0 or -ENOMEM. */
int sizes_put(struct sizes *s, uint64_t address, uint64_t size);
/* Removes the address and returns its size; 0 if it is not present. */
uint64_t sizes_take(struct sizes *s, uint64_t address);
void sizes_free(struct sizes *s);

#endif
