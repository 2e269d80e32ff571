// SPDX-License-Identifier: GPL-2.0
/* /dev/pitrace and its descriptors: checks of permissions and arguments. */
#include <linux/anon_inodes.h>
#include <linux/capability.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/mm.h>
#include <linux/nospec.h>
#include <linux/poll.h>
#include <linux/uaccess.h>
#include "core/access.h"
#include "core/args.h"
#include "core/pages.h"
#include "core/seen.h"
#include "core/session.h"
#include "device/control.h"
#include "device/session_create.h"
#include "device/session_state.h"
#include "hook/hook.h"
#include "itrace/itrace.h"
#include "records/event.h"
#include "ptt/open.h"
#include "records/buildid.h"
#include "records/user.h"
#include "ring/clock.h"

/* ---- sessions -------------------------------------------------------------------------------- */

static long session_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	struct session *s = file->private_data;
	void __user *user = (void __user *)arg;

	if (_IOC_TYPE(cmd) != PITRACE_IOC_MAGIC)
		return -ENOTTY;
	if (!caller_may_use(s->cred))
		return -EPERM;
	/* Only the number is compared: the size in an ioctl code may grow with its struct. */
	switch (_IOC_NR(cmd)) {
	case _IOC_NR(PITRACE_IOC_SETUP): {
		struct pitrace_setup_args args;
		int err = get_args(&args, sizeof(args), user);

		return err ?: session_setup(s, &args);
	}
	case _IOC_NR(PITRACE_IOC_EVENT): {
		struct pitrace_event_args args;
		int err = get_args(&args, sizeof(args), user);

		if (s->cred)
			return -EPERM;
		return err ?: event_set(s, &args);
	}
	case _IOC_NR(PITRACE_IOC_ITRACE): {
		struct pitrace_itrace_args args;
		int err = get_args(&args, sizeof(args), user);

		return err ?: itrace_set(s, &args);
	}
	case _IOC_NR(PITRACE_IOC_ON):
		access_prune_scope(s);
		return session_on(s);
	case _IOC_NR(PITRACE_IOC_OFF):
		return session_off(s);
	case _IOC_NR(PITRACE_IOC_SUSPEND):
		return session_suspend(s, true);
	case _IOC_NR(PITRACE_IOC_RESUME):
		access_prune_scope(s);
		return session_suspend(s, false);
	case _IOC_NR(PITRACE_IOC_CONSUME): {
		struct pitrace_consume_args args;
		int err;

		if (copy_from_user(&args, user, sizeof(args)))
			return -EFAULT;
		if (args.cpu >= s->ncpus || args.ring >= PITRACE_RINGS)
			return -EINVAL;
		args.cpu = array_index_nospec(args.cpu, s->ncpus);
		args.ring = array_index_nospec(args.ring, PITRACE_RINGS);
		err = session_consume(s, &args);
		if (!err)
			itrace_consumed(s);
		return err;
	}
	case _IOC_NR(PITRACE_IOC_FLUSH): {
		u32 what;

		if (get_user(what, (u32 __user *)user))
			return -EFAULT;
		if (what & ~(PITRACE_FLUSH_MTE | PITRACE_FLUSH_TRACE))
			return -EINVAL;
		return session_flush(s, what);
	}
	case _IOC_NR(PITRACE_IOC_RESCAN):
		return session_rescan(s);
	case _IOC_NR(PITRACE_IOC_HAS):
		return user_has(s, user);
	}
	return -ENOTTY;
}

static __poll_t session_poll(struct file *file, poll_table *wait)
{
	struct session *s = file->private_data;
	unsigned int cpu;

	if (!caller_may_use(s->cred))
		return EPOLLERR;
	poll_wait(file, &s->wait, wait);
	if (READ_ONCE(s->state) == PITRACE_STATE_STOPPED)
		return EPOLLIN | EPOLLRDNORM | EPOLLHUP;
	for (cpu = 0; cpu < s->ncpus; cpu++)
		if (s->cpu[cpu] && (ring_readable(&s->cpu[cpu]->ring[PITRACE_RING_MTE]) ||
				    (s->mode != PITRACE_MODE_WRAP &&
				     ring_readable(&s->cpu[cpu]->ring[PITRACE_RING_TRACE]))))
			return EPOLLIN | EPOLLRDNORM;
	return 0;
}

static int session_mmap(struct file *file, struct vm_area_struct *vma)
{
	struct session *s = file->private_data;
	u64 offset = (u64)vma->vm_pgoff << PAGE_SHIFT;
	u64 stride = s->control->data_stride, start = s->control->data_offset;
	u64 cpu;

	if (vma->vm_flags & VM_WRITE || !caller_may_use(s->cred))
		return -EPERM;
	vm_flags_mod(vma, VM_DONTCOPY | VM_DONTDUMP | VM_DONTEXPAND, VM_MAYWRITE | VM_MAYEXEC);
	if (offset < start)
		return pages_map(vma, s->control, s->control_bytes, vma->vm_pgoff);
	offset -= start;
	cpu = div64_u64_rem(offset, stride, &offset);
	if (cpu >= s->ncpus || !s->cpu[array_index_nospec(cpu, s->ncpus)])
		return -ENXIO;
	cpu = array_index_nospec(cpu, s->ncpus);
	return pages_map(vma, s->cpu[cpu]->data, stride, offset >> PAGE_SHIFT);
}

/* The last descriptor and the last mapping are closed. */
static int session_release(struct inode *inode, struct file *file)
{
	session_off(file->private_data);
	session_destroy(file->private_data);
	build_id_settle();
	return 0;
}

static const struct file_operations session_fops = {
	.owner = THIS_MODULE,
	.unlocked_ioctl = session_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
	.poll = session_poll,
	.mmap = session_mmap,
	.release = session_release,
	.llseek = noop_llseek,
};

static long open_session(const struct pitrace_session_args __user *user)
{
	struct pitrace_session_args args;
	struct session *s;
	int fd, err = get_args(&args, sizeof(args), user);

	if (err)
		return err;
	if (args.flags & ~PITRACE_SESSION_STOP_ON_CRASH ||
	    !args_zero(args.reserved, ARRAY_SIZE(args.reserved)))
		return -EINVAL;
	s = session_create(&args);
	if (IS_ERR(s))
		return PTR_ERR(s);
	fd = anon_inode_getfd("[pitrace-session]", &session_fops, s, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		session_destroy(s);
	return fd;
}

/* ---- the device ------------------------------------------------------------------------------ */

static long put_info(struct pitrace_info __user *user)
{
	struct pitrace_info info = {
		.size = sizeof(info),
		.version = PITRACE_ABI_VERSION,
		.have = (u32)atomic_read(&hooks_seen),
		.missing = selftest_missing,
		.sessions = sessions_alive(),
		.clock = clock_pick(PITRACE_CLOCK_AUTO),
		.ptts = ptts_alive(),
	};
	u32 size;

	if (get_user(size, &user->size))
		return -EFAULT;
	if (size < 2 * sizeof(u32))
		return -EINVAL;
	info.clock_hz = clock_hz(info.clock);
	memcpy(info.majors, session_majors, sizeof(info.majors));
	return copy_to_user(user, &info, min_t(size_t, size, sizeof(info))) ? -EFAULT : 0;
}

static long device_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	if (_IOC_TYPE(cmd) != PITRACE_IOC_MAGIC)
		return -ENOTTY;
	switch (_IOC_NR(cmd)) {
	case _IOC_NR(PITRACE_IOC_INFO):
		return put_info((void __user *)arg);
	case _IOC_NR(PITRACE_IOC_SESSION):
		return open_session((void __user *)arg);
	case _IOC_NR(PITRACE_IOC_HOOK_OPEN):
		return user_open();
	case _IOC_NR(PITRACE_IOC_PTT):
		return ptt_open((void __user *)arg);
	}
	return -ENOTTY;
}

static const struct file_operations device_fops = {
	.owner = THIS_MODULE,
	.unlocked_ioctl = device_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
	.llseek = noop_llseek,
};

static struct miscdevice device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "pitrace",
	.fops = &device_fops,
	.mode = 0660,
};

int control_init(void)
{
	return misc_register(&device);
}

void control_exit(void)
{
	misc_deregister(&device);
}
