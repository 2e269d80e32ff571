/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Frame pointers are cheap and miss what has none; copies of stacks show all, at up to 8 KB a
 * sample. Both together let reports choose, stack by stack. Where -g did not say which, its option
 * has set both, and copies of no size.
 */
#include "stack_choice.h"

void stacks_settle(struct tracer_options *o, bool lean)
{
	const uint32_t both = PITRACE_WANT_USER | PITRACE_WANT_COPY;

	if ((o->stacks & both) != both || o->copy)
		return;
	if (lean || o->mode != TRACE_CONTINUOUS)
		o->stacks &= ~(uint32_t)PITRACE_WANT_COPY;
	else
		o->copy = PITRACE_STACK_COPY_MAX;
}
