/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The sizes of code by address: when code is unloaded the VM reports only its address. */
#ifndef SIZES_H
#define SIZES_H

#include <stdint.h>

struct sizes {
	struct size {
		uint64_t address, size; /* size 0: free */
	} * slot;
	uint32_t slots, n;
};

/* 0 or -ENOMEM. An address that is there gets the new size. */
int sizes_put(struct sizes *s, uint64_t address, uint64_t size);
/* Remove it and return its size; 0: not there. */
uint64_t sizes_take(struct sizes *s, uint64_t address);
void sizes_free(struct sizes *s);

#endif
