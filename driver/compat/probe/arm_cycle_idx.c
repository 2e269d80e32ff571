// SPDX-License-Identifier: GPL-2.0
/* Are arm64's counters numbered as the hardware numbers them? */
#include <linux/perf/arm_pmuv3.h>
int probe(void);
int probe(void)
{
	return ARMV8_PMU_CYCLE_IDX;
}
