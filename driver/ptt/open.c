// SPDX-License-Identifier: GPL-2.0
/* The ptt descriptor: created, called, mapped, released. */
#include <linux/anon_inodes.h>
#include <linux/bitmap.h>
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>
#include "core/access.h"
#include "core/args.h"
#include "core/quota.h"
#include "core/hooks.h"
#include "ptt/open.h"
#include "ptt/ptt.h"
#include "ptt/watch.h"

#define SLOTS 64 /* default */

static DEFINE_MUTEX(slots_lock); /* protects `taken`; innermost lock */
static unsigned long taken;      /* a bit for each used entry of ptts[] */

unsigned int ptts_alive(void)
{
	return hweight_long(READ_ONCE(taken));
}

/* create and free */

static int take_id(struct ptt *p)
{
	unsigned long id;
	int err = -EUSERS;

	mutex_lock(&slots_lock);
	id = find_first_zero_bit(&taken, PITRACE_MAX_PTTS);
	if (id < PITRACE_MAX_PTTS)
		err = quota_take(p->quota, QUOTA_PTTS, 1);
	if (!err) {
		__set_bit(id, &taken);
		p->id = id;
	}
	mutex_unlock(&slots_lock);
	return err;
}

static void free_ptt(struct ptt *p)
{
	unsigned int cpu;

	ptt_forget(p);
	counters_put(p->counter, p->metrics);
	for (cpu = 0; p->cpu && cpu < p->ncpus; cpu++)
		kfree(p->cpu[cpu]);
	kfree(p->cpu);
	vfree(p->cpu_area);
	vfree(p->thread_area);
	vfree(p->thread);
	vfree(p->place);
	vfree(p->reach);
	vfree(p->control);
	bitmap_free(p->used);
	bitmap_free(p->ended);
	bitmap_free(p->leaving);
	pages_uncharge(&p->charge);
	mutex_lock(&slots_lock);
	__clear_bit(p->id, &taken);
	mutex_unlock(&slots_lock);
	quota_give(p->quota, QUOTA_PTTS, 1);
	quota_put(p->quota);
	put_cred(p->cred);
	kfree(p);
}

static int make_cpus(struct ptt *p)
{
	unsigned int cpu;

	p->cpu = kcalloc(p->ncpus, sizeof(*p->cpu), GFP_KERNEL);
	p->cpu_area = pages_alloc(p->cpu_bytes);
	if (!p->cpu || !p->cpu_area)
		return -ENOMEM;
	for_each_present_cpu(cpu) {
		struct ptt_cpu *c = kzalloc_node(sizeof(*c), GFP_KERNEL, cpu_to_node(cpu));

		if (!c)
			return -ENOMEM;
		p->cpu[cpu] = c;
		c->page = (struct pitrace_ptt_cpu *)p->cpu_area + cpu;
		c->page->present = 1;
	}
	return 0;
}

static int make_threads(struct ptt *p)
{
	u32 slot, i;

	p->thread_area = pages_alloc(p->thread_bytes);
	p->thread = pages_alloc(array_size(p->slots, sizeof(*p->thread)));
	p->bits = ptt_table_bits(p->slots);
	p->place = pages_alloc(array_size(ptt_table_places(p->bits), sizeof(*p->place)));
	p->reach = pages_alloc(1u << p->bits);
	p->used = bitmap_zalloc(p->slots, GFP_KERNEL);
	p->ended = bitmap_zalloc(p->slots, GFP_KERNEL);
	p->leaving = bitmap_zalloc(p->slots, GFP_KERNEL);
	if (!p->thread_area || !p->thread || !p->place || !p->reach || !p->used || !p->ended ||
	    !p->leaving)
		return -ENOMEM;
	for (slot = 0; slot < p->slots; slot++) {
		struct pitrace_ptt_thread *t = p->thread_area + (size_t)slot * PAGE_SIZE;

		p->thread[slot].slot = slot;
		p->thread[slot].page = t;
		t->size = sizeof(*t);
		t->version = PITRACE_ABI_VERSION;
		t->metrics = p->metrics;
		for (i = 0; i < p->metrics; i++) {
			t->metric[i].how = p->counter[i].how;
			t->metric[i].width = p->counter[i].width;
		}
		cond_resched();
	}
	return 0;
}

static int make_control(struct ptt *p)
{
	struct pitrace_ptt_control *c = p->control = pages_alloc(PAGE_SIZE);

	if (!c)
		return -ENOMEM;
	c->size = sizeof(*c);
	c->version = PITRACE_ABI_VERSION;
	c->flags = p->flags;
	if (!hooks_serve(PITRACE_INTERRUPT))
		c->flags |= PITRACE_PTT_BLIND;
	if (!arch_counter_trusted())
		c->flags |= PITRACE_PTT_UNSURE;
	c->metrics = p->metrics;
	c->ncpus = p->ncpus;
	c->slots = p->slots;
	/* A member may not see the other activity of a CPU. */
	if (!p->cred)
		c->cpu_offset = PAGE_SIZE;
	c->cpu_stride = sizeof(struct pitrace_ptt_cpu);
	c->thread_offset = PAGE_SIZE + p->cpu_bytes;
	c->thread_stride = PAGE_SIZE;
	c->cycles_hz = arch_counter_hz();
	return 0;
}

static int make(struct ptt *p, u32 *failed)
{
	unsigned long bytes;
	int err;

	p->ncpus = nr_cpu_ids;
	p->cpu_bytes = PAGE_ALIGN(array_size(p->ncpus, sizeof(struct pitrace_ptt_cpu)));
	p->thread_bytes = array_size(p->slots, PAGE_SIZE);
	bytes = PAGE_SIZE + p->cpu_bytes + p->thread_bytes;
	bytes += ptt_table_places(ptt_table_bits(p->slots)) * sizeof(*p->place);
	err = pages_charge(&p->charge, PAGE_ALIGN(bytes) >> PAGE_SHIFT);
	if (!err)
		err = make_cpus(p);
	if (!err)
		err = make_threads(p);
	if (!err)
		err = make_control(p);
	if (!err)
		err = ptt_start(p, failed);
	return err;
}

static struct ptt *create(const struct pitrace_ptt_args *args, u32 *failed)
{
	struct ptt *p = kzalloc(sizeof(*p), GFP_KERNEL);
	int err;

	if (!p)
		return ERR_PTR(-ENOMEM);
	p->metrics = args->metrics;
	p->flags = args->flags;
	p->slots = args->slots ?: SLOTS;
	ptt_init(p);
	if (!perfmon_capable()) {
		p->quota = quota_get(current_cred());
		if (IS_ERR(p->quota)) {
			err = PTR_ERR(p->quota);
			kfree(p);
			return ERR_PTR(err);
		}
		p->cred = get_current_cred();
	}
	err = counters_get(p->counter, args->metric, args->metrics, p->cred, failed);
	p->user_read = counters_user_readable(p->counter, p->metrics);
	p->events = counters_are_events(p->counter, p->metrics);
	if (!err)
		err = take_id(p);
	if (err) {
		counters_put(p->counter, p->metrics);
		quota_put(p->quota);
		put_cred(p->cred);
		kfree(p);
		return ERR_PTR(err);
	}
	err = make(p, failed);
	if (err) {
		free_ptt(p);
		return ERR_PTR(err);
	}
	return p;
}

/* ioctls */

static int change_charge(struct ptt *p, const u32 __user *user)
{
	u32 flags;

	if (get_user(flags, user))
		return -EFAULT;
	if (flags & ~PITRACE_PTT_CHARGE)
		return -EINVAL;
	WRITE_ONCE(p->flags, flags);
	p->control->flags = (p->control->flags & ~PITRACE_PTT_CHARGE) | flags;
	return 0;
}

static int change_threads(struct ptt *p, unsigned int nr, const void __user *user)
{
	struct pitrace_ptt_thread_args args;
	int err = get_args(&args, sizeof(args), user);

	if (err)
		return err;
	if (nr == _IOC_NR(PITRACE_IOC_PTT_REMOVE))
		return ptt_remove(p, &args);
	return p->stopped ? -EINVAL : ptt_add(p, &args);
}

static long ptt_call(struct ptt *p, unsigned int nr, void __user *user)
{
	switch (nr) {
	case _IOC_NR(PITRACE_IOC_PTT_ADD):
	case _IOC_NR(PITRACE_IOC_PTT_REMOVE):
		return change_threads(p, nr, user);
	case _IOC_NR(PITRACE_IOC_PTT_CHARGE):
		return change_charge(p, user);
	case _IOC_NR(PITRACE_IOC_PTT_UPDATE):
		ptt_update(p);
		return 0;
	case _IOC_NR(PITRACE_IOC_PTT_UPDATE_HERE):
		ptt_update_here(p);
		return 0;
	case _IOC_NR(PITRACE_IOC_PTT_STOP):
		ptt_stop(p);
		return 0;
	}
	return -ENOTTY;
}

static long ptt_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	struct ptt *p = file->private_data;
	long result;

	if (_IOC_TYPE(cmd) != PITRACE_IOC_MAGIC)
		return -ENOTTY;
	if (!caller_may_use(p->cred))
		return -EPERM;
	if (mutex_lock_killable(&p->changing))
		return -EINTR;
	result = ptt_call(p, _IOC_NR(cmd), (void __user *)arg);
	mutex_unlock(&p->changing);
	return result;
}

static int ptt_mmap(struct file *file, struct vm_area_struct *vma)
{
	struct ptt *p = file->private_data;
	u64 offset = (u64)vma->vm_pgoff << PAGE_SHIFT;

	if (vma->vm_flags & VM_WRITE || !caller_may_use(p->cred))
		return -EPERM;
	vm_flags_mod(vma, VM_DONTCOPY | VM_DONTDUMP | VM_DONTEXPAND, VM_MAYWRITE | VM_MAYEXEC);
	if (offset < PAGE_SIZE)
		return pages_map(vma, p->control, PAGE_SIZE, 0);
	if (offset >= PAGE_SIZE + p->cpu_bytes)
		return pages_map(vma, p->thread_area, p->thread_bytes,
				 (offset - PAGE_SIZE - p->cpu_bytes) >> PAGE_SHIFT);
	if (p->cred)
		return -EPERM;
	return pages_map(vma, p->cpu_area, p->cpu_bytes, (offset - PAGE_SIZE) >> PAGE_SHIFT);
}

/* The last descriptor and the last mapping are closed. */
static int ptt_release(struct inode *inode, struct file *file)
{
	struct ptt *p = file->private_data;

	mutex_lock(&p->changing);
	ptt_stop(p);
	mutex_unlock(&p->changing);
	free_ptt(p);
	return 0;
}

static const struct file_operations ptt_fops = {
	.owner = THIS_MODULE,
	.unlocked_ioctl = ptt_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
	.mmap = ptt_mmap,
	.release = ptt_release,
	.llseek = noop_llseek,
};

int ptt_open(struct pitrace_ptt_args __user *user)
{
	struct pitrace_ptt_args args;
	struct ptt *p;
	u32 failed = 0;
	int fd, err = get_args(&args, sizeof(args), user);

	if (err)
		return err;
	if (args.flags & ~PITRACE_PTT_CHARGE || !args.metrics || args.metrics > PITRACE_METRICS ||
	    args.slots > PITRACE_PTT_SLOTS || args.failed ||
	    !args_zero(args.reserved, ARRAY_SIZE(args.reserved)))
		return -EINVAL;
	p = create(&args, &failed);
	if (IS_ERR(p)) {
		if (failed && put_user(failed, &user->failed))
			return -EFAULT;
		return PTR_ERR(p);
	}
	fd = anon_inode_getfd("[pitrace-ptt]", &ptt_fops, p, O_RDWR | O_CLOEXEC);
	if (fd < 0) {
		ptt_stop(p);
		free_ptt(p);
	}
	return fd;
}
