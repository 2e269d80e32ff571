// SPDX-License-Identifier: GPL-2.0
/*
 * At load each kind of event is triggered once, and hooks that did not report it are listed: on a
 * kernel where a hook no longer works, tools must not miss events silently.
 */
#include <linux/kmod.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/sched.h>
#include <linux/sched/task.h>
#include <linux/umh.h>
#include "compat/unmap.h"
#include "core/seen.h"
#include "hook/hook.h"

u32 selftest_missing;

static int nothing(void *unused)
{
	return 0;
}

static void map_and_unmap(void)
{
	unsigned long at, page;

	if (!current->mm)
		return;
	at = vm_mmap(NULL, 0, 3 * PAGE_SIZE, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, 0);
	if (IS_ERR_VALUE(at))
		return;
	/* The last unmap must be of one whole mapping with no neighbours. */
	page = at + PAGE_SIZE;
	vm_munmap(at, PAGE_SIZE);
	vm_munmap(page + PAGE_SIZE, PAGE_SIZE);
	compat_unmap_learn(page, page + PAGE_SIZE);
	vm_munmap(page, PAGE_SIZE);
	compat_unmap_learned();
	/* Once more, with the learned offsets: this is how every unmap is handled from now on. */
	at = vm_mmap(NULL, 0, PAGE_SIZE, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, 0);
	if (!IS_ERR_VALUE(at))
		vm_munmap(at, PAGE_SIZE);
}

void selftest(void)
{
	/* A child of the kernel runs a program that every system has; /proc may not be mounted. */
	static char *argv[] = { "/bin/true", NULL };
	static char *envp[] = { NULL };
	u32 tried = PITRACE_HAVE_FORK | PITRACE_HAVE_EXIT | PITRACE_HAVE_NAME;
	struct task_struct *t;

	if (hooks_get(NULL, true)) {
		selftest_missing = ~0u;
		return;
	}
	t = kthread_create(nothing, NULL, "pitrace-selftest");
	if (!IS_ERR(t)) {
		get_task_struct(t);
		wake_up_process(t);
	}
	if (current->mm) {
		map_and_unmap();
		tried |= PITRACE_HAVE_MAP | PITRACE_HAVE_UNMAP;
	}
	if (!call_usermodehelper(argv[0], argv, envp, UMH_WAIT_PROC))
		tried |= PITRACE_HAVE_EXEC;
	if (IS_ERR(t)) {
		tried &= ~(u32)PITRACE_HAVE_FORK;
	} else {
		/* The thread runs code of the module, so it must have ended before we return. */
		kthread_stop(t);
		put_task_struct(t);
	}
	hooks_put(NULL, true);
	selftest_missing = tried & ~(u32)atomic_read(&hooks_seen);
	if (selftest_missing)
		pr_warn("pitrace: self-test: events %#x do not arrive on this kernel\n",
			selftest_missing);
}
