/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How large the code at an address is: the VM tells where code was given up, not how much. */
#ifndef SIZES_H
#define SIZES_H

#include <stdint.h>

struct sizes {
	struct size {
		uint64_t address, size;	/* size 0: free */
	} *slot;
	uint32_t slots, n;
};

/* 0 or -ENOMEM. An address that is there gets the new size. */
int sizes_put(struct sizes *s, uint64_t address, uint64_t size);
/* 0: not there; it is not there any more. */
uint64_t sizes_take(struct sizes *s, uint64_t address);
void sizes_free(struct sizes *s);

#endif
