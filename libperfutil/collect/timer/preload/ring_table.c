/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The table of this process's rings; rings.c manages it. */
#include "collect/timer/preload/rings.h"

struct thread_ring timer_rings[TIMER_RINGS];
uint32_t timer_ring_count;

bool rings_shared(void)
{
	return __atomic_load_n(&timer_ring_count, __ATOMIC_RELAXED) > 1;
}
