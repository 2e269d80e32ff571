// SPDX-License-Identifier: GPL-2.0
/* Finds a session's start and stop addresses in the current process. */
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/sched/task_stack.h>
#include "core/file_id.h"
#include "itrace/itrace_flow.h"
#include "itrace/addresses.h"
#include "itrace/step.h"

static u64 place_in(const struct itrace_place *place, const struct vm_area_struct *vma)
{
	const struct inode *data = file_inode(vma->vm_file);
	const struct file_id seen = file_id_mapped(vma->vm_file);
	/* A user outside the container knows a layer's file by its own identity. */
	const struct file_id own = file_id_with(data, data);
	u64 offset = (u64)vma->vm_pgoff << PAGE_SHIFT;

	if (!file_id_same(&place->file, &seen) && !file_id_same(&place->file, &own))
		return 0;
	if (place->address < offset || place->address - offset >= vma->vm_end - vma->vm_start)
		return 0;
	return vma->vm_start + (place->address - offset);
}

void it_addresses_find(struct it_thread *t)
{
	struct itrace_place start = {}, stop = {};
	struct vm_area_struct *vma;
	u64 from = 0, until = 0;
	struct session *s;

	preempt_disable();
	s = READ_ONCE(t->session);
	if (s && READ_ONCE(t->state) == IT_ARMED) {
		start = s->itrace.start;
		stop = s->itrace.stop;
		from = start.file.inode ? 0 : start.address;
		until = stop.file.inode ? 0 : stop.address;
	}
	preempt_enable();
	if (start.file.inode || stop.file.inode) {
		VMA_ITERATOR(vmi, current->mm, 0);

		if (mmap_read_lock_killable(current->mm))
			return;
		for_each_vma(vmi, vma) {
			if (!vma->vm_file || !(vma->vm_flags & VM_EXEC))
				continue;
			from = from ?: place_in(&start, vma);
			until = until ?: place_in(&stop, vma);
		}
		mmap_read_unlock(current->mm);
	}
	preempt_disable();
	if (READ_ONCE(t->session) && READ_ONCE(t->state) == IT_ARMED) {
		t->start = from;
		t->stop = until;
		t->resolve = false;
		/* The thread may be at such an address now. */
		if (t->in_call)
			it_look(t, instruction_pointer(task_pt_regs(current)));
		else
			it_check_bounds(t, t->user.ip);
	}
	preempt_enable();
}
