// SPDX-License-Identifier: GPL-2.0
/*
 * perf checks kernel.perf_event_paranoid only in perf_event_open(2), and does not export it to
 * modules. It is therefore read through /proc, as any program would; but in a private mount of
 * /proc, because a user may mount another file over it in a mount namespace.
 */
#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/mount.h>
#include "core/paranoid.h"

static struct vfsmount *proc;

void paranoid_init(void)
{
	/* proc is built into the kernel: there is no module reference to drop. */
	struct file_system_type *type = get_fs_type("proc");

	proc = type ? kern_mount(type) : NULL;
	if (IS_ERR_OR_NULL(proc))
		pr_warn("pitrace: no /proc: hardware counters are for CAP_PERFMON alone\n");
}

void paranoid_exit(void)
{
	kern_unmount(proc);
}

bool paranoid_allows_cpu_counters(void)
{
	char text[16] = "";
	struct file *file;
	loff_t at = 0;
	ssize_t n;
	int level;

	if (IS_ERR_OR_NULL(proc))
		return false;
	file = file_open_root(&(struct path){ .mnt = proc, .dentry = proc->mnt_root },
			      "sys/kernel/perf_event_paranoid", O_RDONLY, 0);
	if (IS_ERR(file))
		return false;
	n = kernel_read(file, text, sizeof(text) - 1, &at);
	fput(file);
	return n > 0 && !kstrtoint(text, 10, &level) && level <= 0;
}
