// SPDX-License-Identifier: GPL-2.0
/* Records for symbol resolution: processes, threads, mappings, modules, build ids, clocks. */
#include <linux/cgroup.h>
#include <linux/dcache.h>
#include <linux/fs.h>
#include <linux/kdev_t.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/pid_namespace.h>
#include <linux/sched/task.h>
#include <linux/string.h>
#include "core/access.h"
#include "core/file_id.h"
#include "core/session.h"
#include "records/mte.h"
#include "ring/clock.h"

/* Paths are looked up in task context with preemption off, so one buffer for each CPU is enough. */
static DEFINE_PER_CPU(char[PATH_MAX], path_buffer);

static void *reserve(struct session *s, u32 minor, u32 size)
{
	struct ring *r = session_ring(s, smp_processor_id(), PITRACE_RING_MTE);

	return r ? ring_reserve(r, PITRACE_MTE, minor, size, PITRACE_LOST_MTE) : NULL;
}

static void commit(struct session *s)
{
	ring_commit(session_ring(s, smp_processor_id(), PITRACE_RING_MTE));
}

static bool wanted(const struct session *s, const struct session *only, pid_t tgid)
{
	if (only)
		return s == only;
	return session_mte(s) && session_has(s, tgid) && session_may_trace_current(s);
}

static u64 cgroup_of(struct task_struct *task)
{
#ifdef CONFIG_CGROUPS
	return cgroup_id(task_dfl_cgroup(task));
#else
	return 0;
#endif
}

static void emit_task(struct session *s, u32 minor, struct task_struct *task, const char *comm,
		      u32 flags)
{
	struct pitrace_mte_task *data = reserve(s, minor, sizeof(*data));
	struct task_struct *parent;
	struct pid_namespace *ns;

	if (!data)
		return;
	if (task->flags & PF_KTHREAD)
		flags |= PITRACE_TASK_KTHREAD;
	if (arch_task_32bit(task))
		flags |= PITRACE_TASK_COMPAT;
	data->pid = task->tgid;
	data->tid = task->pid;
	rcu_read_lock();
	/* A task that has been reaped keeps the address of a parent that may have been freed. */
	parent = pid_alive(task) ? rcu_dereference(task->real_parent) : NULL;
	data->ppid = parent ? parent->tgid : 0;
	/* Memory comes from the task that forked, even if CLONE_PARENT makes another one the
	 * parent. */
	if (minor == PITRACE_MTE_FORK || minor == PITRACE_MTE_CLONE)
		data->ppid = current->tgid;
	data->cgroup = cgroup_of(task);
	ns = task_active_pid_ns(task);
	data->pidns = ns ? ns->ns.inum : 0;
	rcu_read_unlock();
	data->flags = flags;
	data->start = task->start_boottime;
	data->reserved = 0;
	strscpy_pad(data->comm, comm, sizeof(data->comm));
	commit(s);
}

void mte_task(struct session *only, u32 minor, struct task_struct *task, u32 flags)
{
	struct session *s;
	int i;

	preempt_disable();
	for_each_active(s, i)
		if (wanted(s, only, task->tgid))
			emit_task(s, minor, task, task->comm, flags);
	preempt_enable();
}

void mte_rename(struct task_struct *task, const char *comm)
{
	struct session *s;
	int i;

	preempt_disable();
	for_each_active(s, i)
		if (wanted(s, NULL, task->tgid))
			emit_task(s, PITRACE_MTE_NAME, task, comm, 0);
	preempt_enable();
}

/* Returns the mapping's name: a path, or the kernel's name for it. Sets flags and the file's
 * identity. */
static const char *describe(struct vm_area_struct *vma, struct pitrace_mte_map *m)
{
	char *buffer = *this_cpu_ptr(&path_buffer);
	struct file *file = vma->vm_file;
	struct file_id id;
	char *path;

	if (!file) {
		m->offset = 0;
		m->flags |= PITRACE_MAP_ANON;
		if (vma->vm_ops && vma->vm_ops->name) {
			const char *name = vma->vm_ops->name(vma);

			if (name) {
				if (!strcmp(name, "[vdso]"))
					m->flags |= PITRACE_MAP_VDSO;
				return name;
			}
		}
		if (vma->vm_start <= vma->vm_mm->brk && vma->vm_end >= vma->vm_mm->start_brk)
			return "[heap]";
		if (vma->vm_start <= vma->vm_mm->start_stack &&
		    vma->vm_end >= vma->vm_mm->start_stack)
			return "[stack]";
		return "//anon";
	}
	id = file_id_mapped(file);
	m->inode = id.inode;
	m->dev_major = MAJOR(id.dev);
	m->dev_minor = MINOR(id.dev);
	m->generation = file_id_generation(&id);
	/* An exiting task has no root to name a path from. */
	if (!current->fs)
		return "//gone";
	path = d_path(file_user_path(file), buffer, PATH_MAX);
	if (IS_ERR(path))
		return "//toolong";
	if (d_unlinked(file_user_path(file)->dentry)) {
		size_t n = strlen(path);
		static const char deleted[] = " (deleted)";

		m->flags |= PITRACE_MAP_DELETED;
		if (n > sizeof(deleted) - 1 && !strcmp(path + n - (sizeof(deleted) - 1), deleted))
			path[n - (sizeof(deleted) - 1)] = 0;
	}
	return path;
}

static void emit_map_record(struct session *s, u32 minor, const struct pitrace_mte_map *m,
			    const char *path)
{
	u32 n = strlen(path), room = ALIGN(n + 1, 4);
	struct pitrace_mte_map *data = reserve(s, minor, sizeof(*data) + room);

	if (!data)
		return;
	*data = *m;
	data->path_len = n;
	memset((char *)data->path + room - 4, 0, 4);
	memcpy(data->path, path, n);
	commit(s);
}

static void emit_map(struct session *only, struct vm_area_struct *vma, struct pitrace_mte_map *m)
{
	const char *path = NULL;
	struct session *s;
	int i;

	if (vma->vm_flags & VM_READ)
		m->flags |= PITRACE_MAP_READ;
	if (vma->vm_flags & VM_WRITE)
		m->flags |= PITRACE_MAP_WRITE;
	if (vma->vm_flags & VM_EXEC)
		m->flags |= PITRACE_MAP_EXEC;
	if (vma->vm_flags & VM_SHARED)
		m->flags |= PITRACE_MAP_SHARED;
	preempt_disable();
	for_each_active(s, i) {
		if (!wanted(s, only, m->pid))
			continue;
		if (!path)
			path = describe(vma, m);
		emit_map_record(s, PITRACE_MTE_MODULE, m, path);
	}
	preempt_enable();
}

void mte_map(struct session *only, pid_t pid, struct vm_area_struct *vma, u32 flags)
{
	struct pitrace_mte_map m = {
		.pid = pid,
		.flags = flags,
		.start = vma->vm_start,
		.length = vma->vm_end - vma->vm_start,
		.offset = (u64)vma->vm_pgoff << PAGE_SHIFT,
	};

	emit_map(only, vma, &m);
}

void mte_map_at(pid_t pid, struct vm_area_struct *vma, unsigned long start, unsigned long length,
		unsigned long pgoff)
{
	struct pitrace_mte_map m = {
		.pid = pid,
		.start = start,
		.length = length,
		.offset = (u64)pgoff << PAGE_SHIFT,
	};

	emit_map(NULL, vma, &m);
}

void mte_unmap(pid_t pid, unsigned long start, unsigned long length)
{
	struct pitrace_mte_unmap *data;
	struct session *s;
	int i;

	preempt_disable();
	for_each_active(s, i) {
		if (!wanted(s, NULL, pid))
			continue;
		data = reserve(s, PITRACE_MTE_UNMAP, sizeof(*data));
		if (!data)
			continue;
		data->pid = pid;
		data->reserved = 0;
		data->start = start;
		data->length = length;
		commit(s);
	}
	preempt_enable();
}

void mte_module(const struct module *mod, bool init, u32 minor)
{
	struct pitrace_mte_map m = { .flags = PITRACE_MAP_KERNEL | PITRACE_MAP_EXEC };
	struct session *s;
	unsigned int size;
	void *base;
	int i;

	compat_module_text(mod, init, &base, &size);
	if (!size)
		return;
	m.start = (unsigned long)base;
	m.length = size;
	preempt_disable();
	for_each_active(s, i)
		if (session_mte(s) && !s->hides_kernel)
			emit_map_record(s, minor, &m, mod->name);
	preempt_enable();
}

void mte_build_id(const struct pitrace_mte_buildid *id, pid_t pid)
{
	struct pitrace_mte_buildid *data;
	struct session *s;
	int i;

	preempt_disable();
	for_each_active(s, i) {
		if (!wanted(s, NULL, pid))
			continue;
		data = reserve(s, PITRACE_MTE_BUILDID, sizeof(*data));
		if (!data)
			continue;
		*data = *id;
		commit(s);
	}
	preempt_enable();
}

void mte_sync(struct session *only, enum pitrace_sync_why why)
{
	struct pitrace_sync sync, *data;
	struct session *s;
	struct ring *r;
	int i;

	preempt_disable();
	for_each_active(s, i) {
		if (only ? s != only : !session_mte(s))
			continue;
		r = session_ring(s, smp_processor_id(), PITRACE_RING_MTE);
		if (!r)
			continue;
		clock_sync(s->clock, &sync);
		data = ring_reserve(r, PITRACE_SYNC, why, sizeof(*data), PITRACE_LOST_MTE);
		if (!data)
			continue;
		*data = sync;
		ring_commit(r);
	}
	preempt_enable();
}

/* Writes the events by which the session samples, if any. */
static void emit_events(struct session *s, struct ring *r)
{
	u32 i;

	for (i = 0; i < s->nevents; i++) {
		const struct pitrace_event_args *e = &s->events[i];
		struct pitrace_event_rec *data;

		data = ring_reserve(r, PITRACE_SYSINFO, PITRACE_SYSINFO_EVENT, sizeof(*data),
				    PITRACE_LOST_MTE);
		if (!data)
			return;
		data->event = i;
		data->flags = e->flags;
		data->period = e->period;
		strscpy_pad(data->name, e->name, sizeof(data->name));
		ring_commit(r);
	}
}

/* Returns the sampling rate, for events that are sampled by rate; 0: by count. */
static u32 rate_of_events(const struct session *s)
{
	u32 i;

	for (i = 0; i < s->nevents; i++)
		if (s->events[i].flags & PITRACE_EVENT_RATE)
			return s->events[i].period;
	return 0;
}

void mte_interval(struct session *s, u32 flags)
{
	bool timer = !s->nevents; /* only the timer's ticks are dithered */
	struct pitrace_interval *data;
	struct ring *r;

	preempt_disable();
	r = session_ring(s, smp_processor_id(), PITRACE_RING_MTE);
	data = r ? ring_reserve(r, PITRACE_SYSINFO, PITRACE_SYSINFO_INTERVAL, sizeof(*data),
				PITRACE_LOST_MTE) :
		   NULL;
	if (data) {
		*data = (struct pitrace_interval){
			.flags = flags,
			.interval = s->interval,
			.rate = timer ? s->rate : rate_of_events(s),
			.dither = timer ? s->dither : 0,
			.seed = timer ? s->seed : 0,
			.cpus_present = num_present_cpus(),
			.cpus_online = num_online_cpus(),
		};
		ring_commit(r);
		emit_events(s, r);
	}
	preempt_enable();
}
