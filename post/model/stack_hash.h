/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The hash of a stack's addresses. */
#ifndef POST_STACK_HASH_H
#define POST_STACK_HASH_H

#include "base/keys.h"
#include "record/stack_record.h"

/* Uses two lanes, so that their multiplications can overlap. */
static inline uint64_t hash_words(const stack_word *w, uint32_t n, uint64_t seed)
{
	uint64_t a = seed, b = ~seed;
	uint32_t i;

	for (i = 0; i + 1 < n; i += 2) {
		a = (a ^ w[i]) * 0x9E3779B97F4A7C15ull;
		a ^= a >> 32;
		b = (b ^ w[i + 1]) * 0xD6E8FEB86659FD93ull;
		b ^= b >> 32;
	}
	if (i < n)
		a = (a ^ w[i]) * 0x9E3779B97F4A7C15ull;
	return hash_mix(a, b);
}

#endif
