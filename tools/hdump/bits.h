/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bits in words of 64. */
#ifndef HDUMP_BITS_H
#define HDUMP_BITS_H

#include <stdbool.h>
#include <stdint.h>

static inline bool bit_is_set(const uint64_t *bits, uint32_t i)
{
	return bits[i / 64] >> i % 64 & 1;
}

static inline void bit_set(uint64_t *bits, uint32_t i)
{
	bits[i / 64] |= 1ull << i % 64;
}

/* Counts the bits that are set: inline, as not every CPU has an instruction for it. */
static inline uint32_t bits_of(uint64_t v)
{
	v -= v >> 1 & 0x5555555555555555;
	v = (v & 0x3333333333333333) + (v >> 2 & 0x3333333333333333);
	v = (v + (v >> 4)) & 0x0f0f0f0f0f0f0f0f;
	return (uint32_t)(v * 0x0101010101010101 >> 56);
}

#endif
