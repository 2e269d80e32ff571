// SPDX-License-Identifier: GPL-2.0
/* Kernel modules that are loaded and unloaded. /proc/modules has those that are loaded already. */
#include <linux/module.h>
#include <linux/notifier.h>
#include "hook/hook.h"
#include "records/mte.h"

static int on_module(struct notifier_block *nb, unsigned long state, void *data)
{
	if (state == MODULE_STATE_COMING) {
		mte_module(data, false, PITRACE_MTE_MODULE);
		mte_module(data, true, PITRACE_MTE_MODULE);
	} else if (state == MODULE_STATE_GOING) {
		mte_module(data, false, PITRACE_MTE_UNLOAD);
	}
	return NOTIFY_OK;
}

static struct notifier_block notifier = { .notifier_call = on_module };

int hook_module_init(void)
{
	return register_module_notifier(&notifier);
}

void hook_module_exit(void)
{
	unregister_module_notifier(&notifier);
}
