/* SPDX-License-Identifier: GPL-2.0 */
/* What differs between architectures: one file each gives these; generic.c serves the rest. */
#ifndef PITRACE_ARCH_H
#define PITRACE_ARCH_H

#include <linux/sched.h>
#include <linux/types.h>

#ifdef CONFIG_X86
#include <asm/msr.h>
#include <asm/tsc.h>
static __always_inline u64 arch_cycles(void)
{
	return rdtsc();
}
#else
#include <linux/timex.h>
static __always_inline u64 arch_cycles(void)
{
	return get_cycles();
}
#endif

/* Does it run 32-bit user code? */
static inline bool arch_task_32bit(struct task_struct *task)
{
#if !defined(CONFIG_COMPAT)
	return false;
#elif defined(CONFIG_X86)
	return test_tsk_thread_flag(task, TIF_ADDR32);
#elif defined(CONFIG_S390)
	return test_tsk_thread_flag(task, TIF_31BIT);
#else
	return test_tsk_thread_flag(task, TIF_32BIT);
#endif
}

u64 arch_cycles_hz(void);		/* 0: no cycle counter to be had */
bool arch_cycles_trusted(void);		/* same rate always, never stops, same on all CPUs */
bool arch_cycles_unstable(void);	/* found unfit since */

#endif
