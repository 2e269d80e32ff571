/* SPDX-License-Identifier: GPL-2.0 */
/* The kinds of events that hooks have seen since the module was loaded: PITRACE_HAVE_*. */
#ifndef PITRACE_SEEN_H
#define PITRACE_SEEN_H

#include <linux/atomic.h>
#include <linux/compiler.h>
#include <linux/types.h>
#include "pitrace.h"

extern atomic_t hooks_seen;
static inline void hook_saw(u32 have)
{
	if (unlikely(((u32)atomic_read(&hooks_seen) & have) != have))
		atomic_or((int)have, &hooks_seen);
}

#endif
