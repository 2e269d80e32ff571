/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Frame pointers are cheap but miss code that has none; copies of stacks show every frame, at up to
 * 8 KB per sample. With both, reports choose stack by stack. -g without a word has set both bits
 * and a copy size of 0.
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
