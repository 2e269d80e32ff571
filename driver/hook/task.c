// SPDX-License-Identifier: GPL-2.0
/* Processes, threads and their memory: fork, exec, name, exit, map, unmap. */
#include <linux/binfmts.h>
#include <linux/mm.h>
#include <linux/perf_event.h>
#include <linux/ptrace.h>
#include <linux/sched/signal.h>
#include <trace/events/sched.h>
#include <trace/events/task.h>
#include "compat/unmap.h"
#include "core/access.h"
#include "core/scope.h"
#include "core/seen.h"
#include "core/session.h"
#include "hook/hook.h"
#include "itrace/itrace.h"
#include "ptt/watch.h"
#include "records/buildid.h"
#include "records/mte.h"

static void on_fork(void *data, struct task_struct *parent, struct task_struct *child)
{
	hook_saw(PITRACE_HAVE_FORK);
	ptt_fork(parent, child);
	if (child->tgid == parent->tgid) {
		itrace_fork(parent, child);
		mte_task(NULL, PITRACE_MTE_THREAD, child, 0);
		return;
	}
	scope_fork(parent, child);
	itrace_fork(parent, child);
	mte_task(NULL, child->mm && child->mm == parent->mm ? PITRACE_MTE_CLONE : PITRACE_MTE_FORK,
		 child, 0);
}

/* Stops the sessions that requested it when one of their processes crashes. */
static void crashed(struct task_struct *task)
{
	int signal = task->exit_code & 0x7F;
	struct session *s;
	int i;

	if (!signal || !sig_kernel_coredump(signal))
		return;
	preempt_disable();
	for_each_active(s, i)
		if (s->flags & PITRACE_SESSION_STOP_ON_CRASH && session_has(s, task->tgid))
			session_crashed(s, smp_processor_id(), task->tgid, signal);
	preempt_enable();
}

static void on_exit(COMPAT_EXIT_ARGUMENTS)
{
	hook_saw(PITRACE_HAVE_EXIT);
	itrace_exit(task);
	mte_task(NULL, PITRACE_MTE_THREAD_EXIT, task, 0);
	hook_syscall_forget(task);
	if (!atomic_read(&task->signal->live))
		mte_task(NULL, PITRACE_MTE_PROCESS_EXIT, task, 0);
	crashed(task);
}

static void on_rename(void *data, struct task_struct *task, const char *comm)
{
	hook_saw(PITRACE_HAVE_NAME);
	mte_rename(task, comm);
}

static void on_new_program(void *data, struct task_struct *task, pid_t old_pid,
			   struct linux_binprm *bprm)
{
	ptt_exec();
	itrace_exec(bprm);
}

struct hook_tracepoint hook_task_tracepoints[] = { HOOK(sched_process_fork, on_fork),
						   HOOK(sched_process_exit, on_exit),
						   HOOK(task_rename, on_rename),
						   HOOK(sched_process_exec, on_new_program),
						   {} };

/* perf_event_mmap(vma): a mapping was made or its protection changed. Only executable ranges are
 * recorded, since others contain no code. */
static int on_map(struct kprobe *p, struct pt_regs *regs)
{
	struct vm_area_struct *vma = (void *)compat_argument(regs, 0);

	if (vma->vm_flags & VM_EXEC && current->mm == vma->vm_mm) {
		hook_saw(PITRACE_HAVE_MAP);
		itrace_mapped();
		mte_map(NULL, current->tgid, vma, 0);
		build_id_ask(vma);
	}
	return 0;
}

/* copy_vma(&vma, address, length, pgoff, …): the target of mremap, which perf_event_mmap never
 * sees. */
static int on_remap(struct kprobe *p, struct pt_regs *regs)
{
	struct vm_area_struct *vma = *(struct vm_area_struct **)compat_argument(regs, 0);

	if (vma->vm_flags & VM_EXEC && current->mm == vma->vm_mm) {
		hook_saw(PITRACE_HAVE_REMAP);
		mte_map_at(current->tgid, vma, compat_argument(regs, 1), compat_argument(regs, 2),
			   compat_argument(regs, 3));
	}
	return 0;
}

/*
 * unmap_vmas(): memory is about to be unmapped. The end of a whole address space is not recorded,
 * nor a range inside one mapping that is not executable (frequent: the heap's).
 */
static int on_unmap(struct kprobe *p, struct pt_regs *regs)
{
	struct unmap_range r;

	if (!current->mm || !compat_unmap_range(regs, &r) || r.first->vm_mm != current->mm ||
	    !atomic_read(&current->mm->mm_users))
		return 0;
	if (r.end <= r.first->vm_end && !(r.first->vm_flags & VM_EXEC))
		return 0;
	hook_saw(PITRACE_HAVE_UNMAP);
	mte_unmap(current->tgid, r.start, r.end - r.start);
	return 0;
}

/* setup_new_exec(bprm): the new memory is active and empty, its first mapping is yet to come. */
static int on_exec(struct kprobe *p, struct pt_regs *regs)
{
	hook_saw(PITRACE_HAVE_EXEC);
	access_drop_current();
	mte_task(NULL, PITRACE_MTE_PROCESS, current, 0);
	return 0;
}

/* The probes below read arguments by position: the functions must have these types. */
static_assert(__same_type(perf_event_mmap, void(struct vm_area_struct *)));
static_assert(__same_type(setup_new_exec, void(struct linux_binprm *)));

static struct kprobe map_probe = { .symbol_name = "perf_event_mmap", .pre_handler = on_map };
static struct kprobe remap_probe = { .symbol_name = "copy_vma", .pre_handler = on_remap };
static struct kprobe unmap_probe = { .symbol_name = "unmap_vmas", .pre_handler = on_unmap };
static struct kprobe exec_probe = { .symbol_name = "setup_new_exec", .pre_handler = on_exec };

struct kprobe *hook_task_kprobes[] = { &map_probe, &unmap_probe, &exec_probe, &remap_probe, NULL };
