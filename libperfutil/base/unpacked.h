/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Limits of decompression. Traces, profiles and debugging information compress to a third or a
 * tenth, a file made to fill memory to a thousandth. The limit, by the compressed size, stops only
 * the latter; pitrace-formats(7) states it. Data that are decompressed piece by piece are not kept,
 * and repeated copies of stacks compress to a hundredth: these have a higher limit.
 */
#ifndef PITRACE_UNPACKED_H
#define PITRACE_UNPACKED_H

#include <stdint.h>

#define UNPACKED_START  (16ull << 20)
#define UNPACKED_TIMES  32u
#define UNPACKED_STREAM 1024u

static inline uint64_t unpacked_by(uint64_t packed, unsigned int times)
{
	return packed < UINT64_MAX / (2 * times) ? UNPACKED_START + times * packed : UINT64_MAX;
}

/* For data decompressed as a whole, and for data decompressed piece by piece. */
static inline uint64_t unpacked_most(uint64_t packed)
{
	return unpacked_by(packed, UNPACKED_TIMES);
}

static inline uint64_t unpacked_stream(uint64_t packed)
{
	return unpacked_by(packed, UNPACKED_STREAM);
}

#endif
