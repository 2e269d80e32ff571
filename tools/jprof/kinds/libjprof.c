/* SPDX-License-Identifier: GPL-3.0-or-later */
/* libjprof.so: the agent that traces calls by default. */
#include "agent_options.h"

const struct agent_kind agent_kind = {
	.name = "jprof",
	.library = "libjprof.so",
	.does = "counts and measures each call of Java methods.",
	.part = PART_CALLS,
};
