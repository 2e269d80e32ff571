// SPDX-License-Identifier: GPL-2.0
/* The clock of time stamps: selection, frequency, and its relation to the system's clocks. */
#include <linux/smp.h>
#include "ring/clock.h"

static char *clock = "auto";
module_param(clock, charp, 0444);
MODULE_PARM_DESC(clock, "stamps: auto (tsc if it is invariant, else monotonic), tsc, monotonic");

u32 clock_pick(u32 want)
{
	if (want == PITRACE_CLOCK_AUTO) {
		if (!strcmp(clock, "tsc"))
			want = PITRACE_CLOCK_TSC;
		else if (!strcmp(clock, "monotonic") || !arch_cycles_trusted())
			want = PITRACE_CLOCK_MONOTONIC;
		else
			want = PITRACE_CLOCK_TSC;
	}
	return want == PITRACE_CLOCK_TSC && !arch_cycles_hz() ? 0 : want;
}

u64 clock_hz(u32 which)
{
	return which == PITRACE_CLOCK_TSC ? arch_cycles_hz() : NSEC_PER_SEC;
}

bool clock_unstable(u32 which)
{
	return which == PITRACE_CLOCK_TSC && arch_cycles_unstable();
}

void clock_sync(u32 which, struct pitrace_sync *s)
{
	unsigned long flags;
	u64 before, after;
	int tries = 4;

	/* The host may interrupt between the reads: repeats until a pass is short. */
	do {
		local_irq_save(flags);
		before = clock_stamp(which);
		s->monotonic = ktime_get_mono_fast_ns();
		s->boottime = ktime_get_boot_fast_ns();
		s->realtime = ktime_get_real_fast_ns();
		after = clock_stamp(which);
		s->cpu = smp_processor_id();
		local_irq_restore(flags);
	} while (after - before > clock_hz(which) / 100000 && --tries);
	s->stamp = which == PITRACE_CLOCK_MONOTONIC ? s->monotonic : before + (after - before) / 2;
}
