// SPDX-License-Identifier: GPL-2.0
/*
 * pitrace.ko: sets up all parts in order, and undoes them in reverse order.
 *
 * The driver's folders, from the ground up. Each one includes and calls only those before it:
 *
 *   uapi, compat	the interface to user space; the differences between kernels
 *   arch		the differences between architectures
 *   ring		one CPU's buffer, and the clock of its records
 *   core		sessions, and who may do what; memory, arguments, the registry of hooks
 *   records		what goes into the rings: names, samples, stacks, records of programs
 *   ptt		what threads use, counted
 *   itrace		instruction traces
 *   hook		the hooks into the kernel, which call the three before
 *   device		/dev/pitrace; sessions created, turned on and off; CPU hotplug and suspend
 */
#include <linux/init.h>
#include <linux/module.h>
#include <linux/workqueue.h>
#include "core/paranoid.h"
#include "core/session.h"
#include "device/control.h"
#include "device/session_state.h"
#include "hook/hook.h"
#include "itrace/itrace.h"
#include "records/buildid.h"
#include "records/user.h"

static int __init pitrace_init(void)
{
	int err;

	/* Hooks take locks that sleep on PREEMPT_RT. */
	if (IS_ENABLED(CONFIG_PREEMPT_RT)) {
		pr_err("pitrace: not made for PREEMPT_RT kernels\n");
		return -EOPNOTSUPP;
	}
	work_queue = alloc_workqueue("pitrace", WQ_UNBOUND, 0);
	if (!work_queue)
		return -ENOMEM;
	err = build_id_init();
	if (err)
		goto no_build_id;
	paranoid_init();
	hooks_init(&hook_set, session_majors);
	itrace_init(session_majors);
	err = hook_module_init();
	if (err)
		goto no_hooks;
	selftest();
	err = power_init();
	if (err)
		goto no_power;
	err = user_init();
	if (err)
		goto no_user;
	err = control_init();
	if (err)
		goto no_control;
	return 0;

no_control:
	user_exit();
no_user:
	power_exit();
no_power:
	hook_module_exit();
no_hooks:
	itrace_uninit();
	paranoid_exit();
	build_id_exit();
no_build_id:
	destroy_workqueue(work_queue);
	return err;
}

/* No descriptor is open here: each holds a reference to the module. */
static void __exit pitrace_exit(void)
{
	control_exit();
	user_exit();
	power_exit();
	hook_module_exit();
	itrace_uninit();
	paranoid_exit();
	build_id_exit();
	destroy_workqueue(work_queue);
}

module_init(pitrace_init);
module_exit(pitrace_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("pitrace: MTE and trace buffers, tprof sampling (Performance Inspector)");
MODULE_VERSION("0.1.0");
