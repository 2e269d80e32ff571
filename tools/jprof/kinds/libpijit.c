/* SPDX-License-Identifier: GPL-3.0-or-later */
/* libpijit.so: the agent that names compiled code by default. */
#include "agent_options.h"

const struct agent_kind agent_kind = {
	.name = "pijit",
	.library = "libpijit.so",
	.does = "writes to a jitdump (jit-PID.dump) which code this Java VM makes: names for profiles.",
	.part = PART_NAMES,
};
