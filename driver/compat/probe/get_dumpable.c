// SPDX-License-Identifier: GPL-2.0
/* Is it the memory that may be dumped? Newer kernels (7.2) keep that in the task's exec_state. */
#include <linux/sched/coredump.h>
int probe(struct mm_struct *mm);
int probe(struct mm_struct *mm)
{
	return get_dumpable(mm);
}
