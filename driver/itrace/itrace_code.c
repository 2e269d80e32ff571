// SPDX-License-Identifier: GPL-2.0
/*
 * Code that is in no file: a piece of it is recorded when a thread branches into it from elsewhere,
 * unless it was recorded before and has not changed. Ranges that are in files are remembered until
 * an executable mapping changes.
 */
#include <linux/fs.h>
#include <linux/hash.h>
#include <linux/mm.h>
#include <linux/sched/task_stack.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include "core/file_id.h"
#include "core/pages.h"
#include "core/session.h"
#include "itrace/itrace_code.h"
#include "itrace/emit.h"

#define SUMS 4096 /* checksums of pieces of code; the same for every page size */

atomic_t it_maps;

/* Is it in a file that can be found later? Then the whole mapping is. */
static bool in_file(struct it_thread *t, u64 ip)
{
	struct vm_area_struct *vma;
	bool file = false;

	if (mmap_read_lock_killable(current->mm))
		return true;
	vma = find_vma(current->mm, ip);
	if (vma && vma->vm_start <= ip) {
		/* The vdso is known too: it has its own vm_ops. */
		file = vma->vm_file ? file_id_inode(vma->vm_file)->i_nlink > 0 : !!vma->vm_ops;
		if (file) {
			t->from[t->range] = vma->vm_start;
			t->bytes[t->range] = vma->vm_end - vma->vm_start;
			t->range = (t->range + 1) % IT_RANGES;
		}
	}
	mmap_read_unlock(current->mm);
	return file;
}

static u64 sum_of(const struct pitrace_code *code)
{
	const u64 *p = (const u64 *)(code + 1);
	u64 sum = code->pid;
	u32 i;

	for (i = 0; i < PITRACE_CODE_MAX / sizeof(*p); i++)
		sum = (sum ^ p[i]) * GOLDEN_RATIO_64 + (sum >> 29);
	return sum ?: 1;
}

static void emit(struct it_thread *t, const struct pitrace_code *code)
{
	u32 size = sizeof(*code) + code->bytes;
	struct session *s;
	struct ring *r;
	u64 *known, sum = sum_of(code);
	void *data;

	preempt_disable();
	s = READ_ONCE(t->session);
	if (!s || READ_ONCE(t->state) != IT_ARMED || !s->itrace.code)
		goto out;
	known = &s->itrace.code[hash_64(code->address ^ (u64)code->pid << 48, ilog2(SUMS))];
	if (READ_ONCE(*known) == sum)
		goto out;
	data = it_reserve(t, PITRACE_CODE, 0, size, &r);
	if (!data)
		goto out;
	memcpy(data, code, size);
	ring_commit(r);
	WRITE_ONCE(*known, sum);
out:
	preempt_enable();
}

void it_code(struct it_thread *t)
{
	u64 ip = instruction_pointer(task_pt_regs(current));
	u64 unit = ip & ~(u64)(PITRACE_CODE_MAX - 1);
	struct pitrace_code *code;

	if (in_file(t, ip))
		return;
	t->unit = unit;
	code = kmalloc(sizeof(*code) + PITRACE_CODE_MAX, GFP_KERNEL);
	if (!code)
		return;
	code->pid = current->tgid;
	code->bytes = PITRACE_CODE_MAX;
	code->address = unit;
	if (!copy_from_user(code + 1, (void __user *)unit, PITRACE_CODE_MAX))
		emit(t, code);
	kfree(code);
}

u64 *it_code_sums(void)
{
	return pages_alloc(SUMS * sizeof(u64));
}

void it_code_forget(u64 *sums)
{
	memset(sums, 0, SUMS * sizeof(*sums));
}
