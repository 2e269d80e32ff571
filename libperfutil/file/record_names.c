/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The names of majors and of losses, the same in all tools. */
#include <stddef.h>
#include <perfutil.h>

static const char *const majors[PITRACE_MAJORS] = {
	[PITRACE_FAULT] = "fault",
	[PITRACE_INTERRUPT] = "interrupt",
	[PITRACE_SYSCALL] = "syscall",
	[PITRACE_HIGH] = "high",
	[PITRACE_TPROF] = "tprof",
	[PITRACE_SYSINFO] = "sysinfo",
	[PITRACE_DISPATCH] = "dispatch",
	[PITRACE_MTE] = "mte",
	[PITRACE_PAD] = "pad",
	[PITRACE_SYNC] = "sync",
	[PITRACE_LOST] = "lost",
	[PITRACE_WAKEUP] = "wakeup",
	[PITRACE_BRANCH_KERNEL] = "kbranch",
	[PITRACE_BRANCH_USER] = "ubranch",
	[PITRACE_BREAK_KERNEL] = "kbreak",
	[PITRACE_BREAK_USER] = "ubreak",
	[PITRACE_ITRACE_SWITCH] = "itswitch",
	[PITRACE_ITRACE_START] = "itstart",
	[PITRACE_ITRACE_STOP] = "itstop",
	[PITRACE_LOAD_STORE] = "access",
	[PITRACE_CODE] = "code",
};

static const char *const losses[PITRACE_LOST_KINDS] = {
	[PITRACE_LOST_MTE] = "names",
	[PITRACE_LOST_TPROF] = "samples",
	[PITRACE_LOST_OVERRUN] = "overruns",
	[PITRACE_LOST_OTHER] = "others",
	[PITRACE_LOST_DISPATCH] = "dispatches",
	[PITRACE_LOST_WAKEUP] = "wake-ups",
	[PITRACE_LOST_INTERRUPT] = "interrupts",
	[PITRACE_LOST_SYSCALL] = "system calls",
	[PITRACE_LOST_FAULT] = "page faults",
	[PITRACE_LOST_USER] = "user records",
	[PITRACE_LOST_BUDGET] = "user records beyond the budget",
	[PITRACE_LOST_THROTTLED] = "throttled samples",
	[PITRACE_LOST_BRANCH] = "branches",
};

const char *TraceMajorName(int major)
{
	if (major < 0 || major >= PITRACE_MAJORS)
		return NULL;
	return major == PITRACE_HOOKIT || major >= PITRACE_USER_FIRST ? "user" : majors[major];
}

const char *TraceLostName(int kind)
{
	return kind >= 0 && kind < PITRACE_LOST_KINDS && losses[kind] ? losses[kind] : "unknown";
}
