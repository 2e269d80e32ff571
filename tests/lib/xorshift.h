/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The same numbers for the same seed, which is not 0 (Marsaglia's xorshift). */
#ifndef XORSHIFT_H
#define XORSHIFT_H

#include <stdint.h>

static inline uint64_t xorshift(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

#endif
