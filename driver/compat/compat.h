/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The only place that handles differences between kernels. The driver is written for the newest
 * interfaces; this file supplies them on older kernels. PROBE_x is set when compat/probe/x.c
 * compiles.
 */
#ifndef PITRACE_COMPAT_H
#define PITRACE_COMPAT_H

#include <linux/fs.h>
#include <linux/hrtimer.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <asm/local.h>
#include <asm/ptrace.h>

/* local_try_cmpxchg: 8fc4fddaf9a1 ("locking/generic: Wire up local{,64}_try_cmpxchg()"), 6.5 */
#ifndef PROBE_local_try_cmpxchg
static __always_inline bool local_try_cmpxchg(local_t *l, long *old, long new)
{
#ifdef __raw_try_cmpxchg
	return __raw_try_cmpxchg(&l->a.counter, old, new, sizeof(long), "");
#else
	long was = local_cmpxchg(l, *old, new);
	bool done = was == *old;

	*old = was;
	return done;
#endif
}
#endif

/* hrtimer_setup: 908a1d775422 ("hrtimers: Introduce hrtimer_setup() …"), 6.13 */
#ifndef PROBE_hrtimer_setup
static inline void hrtimer_setup(struct hrtimer *timer,
				 enum hrtimer_restart (*function)(struct hrtimer *),
				 clockid_t clock, enum hrtimer_mode mode)
{
	hrtimer_init(timer, clock, mode);
	timer->function = function;
}
#endif

/* vm_flags_mod: bc292ab00f6c ("mm: introduce vma->vm_flags wrapper functions"), 6.3 */
#ifndef PROBE_vm_flags_set
static inline void vm_flags_mod(struct vm_area_struct *vma, vm_flags_t set, vm_flags_t clear)
{
	vma->vm_flags = (vma->vm_flags | set) & ~clear;
}
#endif

/* task_struct.perf_event_ctxp: bd2756811766 ("perf: Rewrite core context handling"), 6.2 */
static inline bool compat_has_perf_events(const struct task_struct *task)
{
#ifdef PROBE_perf_context
	return READ_ONCE(task->perf_event_ctxp);
#else
	return READ_ONCE(task->perf_event_ctxp[perf_hw_context]);
#endif
}

/* Returns the counter number of perf_event.hw.idx, with the cycle counter as 31; negative: none.
 * Cycles were 0 and counters began at 1 before bf5ffc8c80e0 ("perf: arm_pmu: Remove event index to
 * counter remapping"), 6.12 */
#ifdef CONFIG_ARM64
static inline int compat_arm_counter(int idx)
{
#ifdef PROBE_arm_cycle_idx
	return idx <= 31 ? idx : -1;
#else
	return idx ? idx - (idx > 0) : 31;
#endif
}
#endif

/* file_user_path: def3ae83da02 ("fs: store real path instead of fake path in backing file f_path"),
 * 6.7 */
#ifndef PROBE_file_user_path
static inline const struct path *file_user_path(const struct file *file)
{
	return &file->f_path;
}
#endif

/* get_lowcore: 6.11, in place of S390_lowcore */
#if defined(CONFIG_S390) && !defined(PROBE_get_lowcore)
#include <asm/lowcore.h>
#define get_lowcore() (&S390_lowcore)
#endif

/* The arguments of sched_process_exit's probes; `task` is the thread. There are more since 6.16: a
 * probe must have exactly its kernel's prototype, or a kernel with kCFI traps at the call. */
#ifdef PROBE_exit_group_dead
#define COMPAT_EXIT_ARGUMENTS void *data, struct task_struct *task, bool group_dead
#else
#define COMPAT_EXIT_ARGUMENTS void *data, struct task_struct *task
#endif

/* PF_USER_WORKER: 54e6842d0775 ("fork/vm: Move common PF_IO_WORKER behavior to new flag"), 6.4 */
#ifndef PF_USER_WORKER
#define PF_USER_WORKER 0
#endif

/* STACK_INT_FRAME_*: d2e8ff9f1492 ("powerpc: add a definition for the marker offset …"), 6.2 */
#if defined(CONFIG_PPC64) && !defined(STACK_INT_FRAME_MARKER)
#define STACK_INT_FRAME_MARKER (STACK_FRAME_MARKER * sizeof(long))
#define STACK_INT_FRAME_REGS   STACK_FRAME_OVERHEAD
#endif

/* Returns argument n (0 to 4) of a function, at its first instruction: some architectures have no
 * helper for it. */
static inline unsigned long compat_argument(struct pt_regs *regs, unsigned int n)
{
#if defined(CONFIG_PPC64)
	return regs->gpr[3 + n];
#elif defined(CONFIG_S390)
	return regs->gprs[2 + n];
#else
	return regs_get_kernel_argument(regs, n);
#endif
}

/* module memory: ac3b43283923 ("module: replace module_layout with module_memory"), 6.4 */
static inline void compat_module_text(const struct module *m, bool init, void **base,
				      unsigned int *size)
{
#ifdef PROBE_module_mem
	const struct module_memory *mem = &m->mem[init ? MOD_INIT_TEXT : MOD_TEXT];

	*base = mem->base;
	*size = mem->size;
#else
	*base = init ? m->init_layout.base : m->core_layout.base;
	*size = init ? m->init_layout.text_size : m->core_layout.text_size;
#endif
}

#endif
