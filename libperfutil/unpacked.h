/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * How much what is packed may become. Traces, profiles and debugging information pack to a third or a
 * tenth; a file that was made to fill memory to a thousandth. So there is a limit, by the size of what
 * is packed, that only the latter reaches: pitrace-formats(7) tells it.
 */
#ifndef PITRACE_UNPACKED_H
#define PITRACE_UNPACKED_H

#include <stdint.h>

#define UNPACKED_START	(16ull << 20)
#define UNPACKED_TIMES	32u

static inline uint64_t unpacked_most(uint64_t packed)
{
	return packed < UINT64_MAX / (2 * UNPACKED_TIMES) ?
	       UNPACKED_START + UNPACKED_TIMES * packed : UINT64_MAX;
}

#endif
