/* SPDX-License-Identifier: GPL-2.0 */
/* The time stamp of records: raw cycles where the counter can be trusted, else monotonic ns. */
#ifndef PITRACE_CLOCK_H
#define PITRACE_CLOCK_H

#include <linux/timekeeping.h>
#include "arch/arch.h"
#include "pitrace.h"

/* Returns the clock that AUTO selects on this machine, or `want` itself; 0: not available. */
u32 clock_pick(u32 want);
u64 clock_hz(u32 clock);
/* Has the clock, trusted when it was picked, become unstable since? */
bool clock_unstable(u32 clock);
/* Reads all clocks at one instant. */
void clock_sync(u32 clock, struct pitrace_sync *s);

static __always_inline u64 clock_stamp(u32 clock)
{
	return likely(clock == PITRACE_CLOCK_TSC) ? arch_cycles() : ktime_get_mono_fast_ns();
}

#endif
