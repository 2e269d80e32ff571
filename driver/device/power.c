// SPDX-License-Identifier: GPL-2.0
/* CPU hotplug, and suspend: starts and stops timers and ptts, and writes clock syncs. */
#include <linux/cpuhotplug.h>
#include <linux/notifier.h>
#include <linux/suspend.h>
#include "device/control.h"
#include "device/session_state.h"
#include "ptt/ptt.h"

static enum cpuhp_state state;

/* Both run on the CPU itself. */
static int online(unsigned int cpu)
{
	sessions_cpu_online(cpu);
	ptts_cpu_online(cpu);
	return 0;
}

static int offline(unsigned int cpu)
{
	sessions_cpu_offline(cpu);
	ptts_cpu_offline(cpu);
	return 0;
}

static int on_suspend(struct notifier_block *nb, unsigned long what, void *unused)
{
	if (what == PM_SUSPEND_PREPARE || what == PM_HIBERNATION_PREPARE)
		sessions_sync(PITRACE_SYNC_SUSPEND);
	else if (what == PM_POST_SUSPEND || what == PM_POST_HIBERNATION)
		sessions_sync(PITRACE_SYNC_RESUME);
	return NOTIFY_OK;
}

static struct notifier_block notifier = { .notifier_call = on_suspend };

int power_init(void)
{
	int err = cpuhp_setup_state(CPUHP_AP_ONLINE_DYN, "pitrace:online", online, offline);

	if (err < 0)
		return err;
	state = err;
	err = register_pm_notifier(&notifier);
	if (err)
		cpuhp_remove_state_nocalls(state);
	return err;
}

void power_exit(void)
{
	unregister_pm_notifier(&notifier);
	cpuhp_remove_state_nocalls(state);
}
