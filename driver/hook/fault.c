// SPDX-License-Identifier: GPL-2.0
/*
 * Page faults: by tracepoints where the architecture has them; elsewhere by a kprobe on
 * handle_mm_fault, which sees faults on mapped memory, once each.
 */
#include <linux/mm.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include "arch/arch.h"
#include "core/session.h"
#include "hook/hook.h"
#include "itrace/itrace.h"

void hook_fault(u32 minor, u32 flags, u64 ip, u64 address)
{
	struct pitrace_fault *data;
	struct session *s;
	struct ring *r;

	if (itrace_any() && minor == PITRACE_TPROF_USER)
		itrace_fault(flags, ip);
	preempt_disable_notrace();
	for_each_wanting(s, WANT_FAULT) {
		r = session_trace(s);
		if (!r || !session_has(s, current->tgid))
			continue;
		data = ring_reserve(r, PITRACE_FAULT, minor, sizeof(*data), PITRACE_LOST_FAULT);
		if (!data)
			continue;
		data->pid = current->tgid;
		data->tid = current->pid;
		data->flags = flags;
		data->reserved = 0;
		data->ip = s->hides_kernel && minor == PITRACE_TPROF_KERNEL ? 0 : ip;
		data->address = s->hides_kernel && address >= TASK_SIZE ? 0 : address;
		ring_commit(r);
	}
	preempt_enable_notrace();
}

/* handle_mm_fault(vma, address, flags, regs): without regs the kernel itself accesses pages; a
 * fault that has to wait is retried. */
static int on_fault(struct kprobe *p, struct pt_regs *regs)
{
	unsigned long address = compat_argument(regs, 1);
	unsigned int how = compat_argument(regs, 2);
	struct pt_regs *at = (void *)compat_argument(regs, 3);
	u32 flags = 0;

	if (!at || how & FAULT_FLAG_TRIED)
		return 0;
	if (how & FAULT_FLAG_WRITE)
		flags |= PITRACE_FAULT_WRITE;
	if (how & FAULT_FLAG_INSTRUCTION)
		flags |= PITRACE_FAULT_EXEC;
	if (itrace_any() && !(how & FAULT_FLAG_USER))
		itrace_kernel_fault(flags, at);
	hook_fault(how & FAULT_FLAG_USER ? PITRACE_TPROF_USER : PITRACE_TPROF_KERNEL, flags,
		   instruction_pointer(at), address);
	return 0;
}

static_assert(__same_type(handle_mm_fault, vm_fault_t(struct vm_area_struct *, unsigned long,
						      unsigned int, struct pt_regs *)));

struct kprobe hook_fault_kprobe = { .symbol_name = "handle_mm_fault", .pre_handler = on_fault };
