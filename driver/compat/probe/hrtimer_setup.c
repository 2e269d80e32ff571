// SPDX-License-Identifier: GPL-2.0
/* Is there hrtimer_setup() (upstream 908a1d775422, 6.13) in place of hrtimer_init()? */
#include <linux/hrtimer.h>
void probe(struct hrtimer *t, enum hrtimer_restart (*f)(struct hrtimer *));
void probe(struct hrtimer *t, enum hrtimer_restart (*f)(struct hrtimer *))
{
	hrtimer_setup(t, f, CLOCK_MONOTONIC, HRTIMER_MODE_ABS_PINNED_HARD);
}
