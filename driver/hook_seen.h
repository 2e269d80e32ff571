/* SPDX-License-Identifier: GPL-2.0 */
/* What the hooks have seen happen since the module was loaded: PITRACE_HAVE_*. */
#ifndef PITRACE_HOOK_SEEN_H
#define PITRACE_HOOK_SEEN_H

#include <linux/compiler.h>
#include <linux/types.h>
#include "pitrace.h"

extern u32 hooks_seen;
static inline void hook_saw(u32 have)
{
	if (unlikely((READ_ONCE(hooks_seen) & have) != have))
		WRITE_ONCE(hooks_seen, hooks_seen | have);
}

#endif
