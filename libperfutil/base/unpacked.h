/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * How much what is packed may become. Traces, profiles and debugging information pack to a third or
 * a tenth; a file that was made to fill memory to a thousandth. So there is a limit, by the size of
 * what is packed, that only the latter reaches: pitrace-formats(7) tells it. What is unpacked piece
 * by piece is not kept; there copies of stacks that are the same each time pack to a hundredth.
 */
#ifndef PITRACE_UNPACKED_H
#define PITRACE_UNPACKED_H

#include <stdint.h>

#define UNPACKED_START	(16ull << 20)
#define UNPACKED_TIMES	32u
#define UNPACKED_STREAM	1024u

static inline uint64_t unpacked_by(uint64_t packed, unsigned int times)
{
	return packed < UINT64_MAX / (2 * times) ? UNPACKED_START + times * packed : UINT64_MAX;
}

/* As a whole; piece by piece. */
static inline uint64_t unpacked_most(uint64_t packed)
{
	return unpacked_by(packed, UNPACKED_TIMES);
}

static inline uint64_t unpacked_stream(uint64_t packed)
{
	return unpacked_by(packed, UNPACKED_STREAM);
}

#endif
