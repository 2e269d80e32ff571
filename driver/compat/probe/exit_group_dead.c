// SPDX-License-Identifier: GPL-2.0
/* Does sched_process_exit say whether it is the last thread of its process (since 6.16)? */
#include <linux/mm_types.h>
#include <trace/events/sched.h>
static void exited(void *data, struct task_struct *task, bool group_dead) { }
void probe(void);
void probe(void)
{
	check_trace_callback_type_sched_process_exit(exited);
}
