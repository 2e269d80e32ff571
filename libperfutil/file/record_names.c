/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The names of majors and of losses, the same in all tools. */
#include <stddef.h>
#include <perfutil.h>
#include <pifile.h>
#include "file/record_kinds.h"

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
	if (major != PITRACE_NAMED && pifile_user_major((unsigned int)major))
		return "user";
	return record_major_name(major);
}

const char *TraceLostName(int kind)
{
	return kind >= 0 && kind < PITRACE_LOST_KINDS && losses[kind] ? losses[kind] : "unknown";
}
