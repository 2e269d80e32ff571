// SPDX-License-Identifier: GPL-2.0
/*
 * Entries and exits of system calls. A session keeps a table of the threads whose entry was
 * recorded: only they have an exit to record, with the entry's number and thread (sigreturn
 * restores other registers, execve may change the syscall table and the thread's id). A forked
 * child's first exit has no entry; a thread that ends has no exit.
 */
#include <linux/compat.h>
#include <linux/hash.h>
#include <linux/sched.h>
#include <asm/syscall.h>
#include <trace/events/syscalls.h>
#include "core/session.h"
#include "hook/hook.h"

#define NUMBERS (~(PITRACE_EXIT | PITRACE_SYSCALL_COMPAT))
#define TRIES   8 /* entries to search for a thread */

static __always_inline struct session_call *place(const struct session *s, unsigned long hash,
						  int i)
{
	return &s->calls[(hash + i) % PITRACE_CALLS];
}

/* Needs no lock: only the thread itself searches for its entry. */
static __always_inline struct session_call *find(const struct session *s,
						 const struct task_struct *task)
{
	unsigned long hash = hash_ptr(task, ilog2(PITRACE_CALLS));
	struct session_call *c;
	int i;

	for (i = 0; i < TRIES; i++) {
		c = place(s, hash, i);
		if (READ_ONCE(c->task) == task)
			return c;
	}
	return NULL;
}

static __always_inline struct session_call *add(const struct session *s, struct task_struct *task)
{
	unsigned long hash = hash_ptr(task, ilog2(PITRACE_CALLS));
	struct session_call *c;
	int i;

	for (i = 0; i < TRIES; i++) {
		c = place(s, hash, i);
		if (!READ_ONCE(c->task) && !cmpxchg(&c->task, NULL, task))
			return c;
	}
	return NULL;
}

static void enter(const struct session *s, struct ring *r, struct pt_regs *regs, long number)
{
	struct pitrace_sysenter *data;
	unsigned long arguments[6];
	struct session_call *c = add(s, current);
	u32 minor = number & NUMBERS;

	if (!c) {
		/* No free entry, so its exit could not be recognized: neither is recorded. */
		ring_lose(r, PITRACE_LOST_SYSCALL, 2);
		return;
	}
	if (in_compat_syscall())
		minor |= PITRACE_SYSCALL_COMPAT;
	c->minor = minor;
	c->tid = current->pid;
	data = ring_reserve(r, PITRACE_SYSCALL, minor, sizeof(*data), PITRACE_LOST_SYSCALL);
	if (!data)
		return;
	syscall_get_arguments(current, regs, arguments);
	data->pid = current->tgid;
	data->tid = current->pid;
	data->arguments[0] = arguments[0];
	data->arguments[1] = arguments[1];
	data->arguments[2] = arguments[2];
	ring_commit(r);
}

static void leave(struct ring *r, u32 minor, u32 tid, long result)
{
	struct pitrace_sysexit *data;

	data = ring_reserve(r, PITRACE_SYSCALL, minor | PITRACE_EXIT, sizeof(*data),
			    PITRACE_LOST_SYSCALL);
	if (!data)
		return;
	data->pid = current->tgid;
	data->tid = tid;
	data->result = result;
	ring_commit(r);
}

static void on_enter(void *unused, struct pt_regs *regs, long number)
{
	struct session *s;
	struct ring *r;

	preempt_disable_notrace();
	for_each_wanting(s, WANT_SYSCALL) {
		r = session_trace(s);
		if (r && session_has(s, current->tgid))
			enter(s, r, regs, number);
	}
	preempt_enable_notrace();
}

static void on_exit(void *unused, struct pt_regs *regs, long result)
{
	struct session *s;
	struct session_call *c;
	struct ring *r;
	u32 minor, tid;

	preempt_disable_notrace();
	for_each_wanting(s, WANT_SYSCALL) {
		c = find(s, current);
		if (!c)
			continue;
		minor = c->minor;
		tid = c->tid;
		/* Released after the entry was read: another thread may then take it. */
		smp_store_release(&c->task, NULL);
		r = session_trace(s);
		if (r)
			leave(r, minor, tid, result);
	}
	preempt_enable_notrace();
}

void hook_syscall_forget(struct task_struct *task)
{
	struct session *s;
	struct session_call *c;

	preempt_disable_notrace();
	for_each_wanting(s, WANT_SYSCALL) {
		c = find(s, task);
		if (c)
			smp_store_release(&c->task, NULL); /* as at an exit */
	}
	preempt_enable_notrace();
}

struct hook_tracepoint hook_syscall_tracepoints[] = { HOOK(sys_enter, on_enter),
						      HOOK(sys_exit, on_exit),
						      {} };
