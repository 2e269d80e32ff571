// SPDX-License-Identifier: GPL-2.0
/* Instruction traces at load and unload: what this machine supports, and what was requested. */
#include <linux/moduleparam.h>
#include "core/hooks.h"
#include "core/seen.h"
#include "itrace/die.h"
#include "itrace/itrace.h"
#include "itrace/itrace_kernel.h"
#include "itrace/load.h"
#include "itrace/itrace_table.h"
#include "itrace/work.h"

#ifndef CONFIG_X86
static bool itrace = true;
module_param(itrace, bool, 0444);
MODULE_PARM_DESC(itrace, "instruction traces by the driver");
#else
static const bool itrace = true;
#endif

static bool kernel_itrace;
module_param(kernel_itrace, bool, 0444);
MODULE_PARM_DESC(kernel_itrace, "with itrace: the kernel's side of system calls, too");

static bool served;

bool itrace_served(void)
{
	return served;
}

/* Is kernel tracing enabled, and possible? */
static bool kernel_served(void)
{
	const char *why;

	if (!kernel_itrace)
		return false;
	why = !hooks_serve(PITRACE_INTERRUPT) || !hooks_serve(PITRACE_FAULT) ? "hooks are missing" :
	      arch_itrace_no_kernel()                                        ?:
									       it_die_fixups();
	if (why)
		pr_warn("pitrace: the kernel's side of system calls is not traced here: %s\n", why);
	return !why;
}

void itrace_init(u64 *majors)
{
	static const u8 ours[] = {
		PITRACE_BRANCH_USER,   PITRACE_BREAK_USER,   PITRACE_ITRACE_SWITCH,
		PITRACE_ITRACE_START,  PITRACE_ITRACE_STOP,  PITRACE_CODE,
#ifdef ARCH_ACCESSES
		PITRACE_LOAD_STORE,
#endif
		PITRACE_BRANCH_KERNEL, PITRACE_BREAK_KERNEL, /* the last two majors */
	};
	const char *why = "tracepoints are missing: sys_enter, sys_exit or signal_deliver";
	unsigned int i, n = ARRAY_SIZE(ours);
	bool kernel;

	if (!itrace)
		return;
	if (hooks_serve(PITRACE_BRANCH_USER))
		why = it_die_init();
	if (why) {
		pr_info("pitrace: no instruction traces on this machine: %s\n", why);
		return;
	}
	served = true;
	hook_saw(PITRACE_HAVE_ITRACE);
	kernel = kernel_served();
	it_kernel_init(kernel);
	if (!kernel)
		n -= 2;
	for (i = 0; i < n; i++)
		majors[ours[i] / 64] |= BIT_ULL(ours[i] % 64);
}

void itrace_uninit(void)
{
	if (!served)
		return;
	it_work_exit();
	it_kernel_exit();
	it_die_exit();
	it_table_exit();
}
