// SPDX-License-Identifier: GPL-2.0
/* Does the memory have the dumpable flag? Newer kernels (7.2) keep it in the task's exec_state. */
#include <linux/sched/coredump.h>
int probe(struct mm_struct *mm);
int probe(struct mm_struct *mm)
{
	return get_dumpable(mm);
}
