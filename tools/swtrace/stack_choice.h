/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which stacks -g records that does not say which. */
#ifndef SWTRACE_STACK_CHOICE_H
#define SWTRACE_STACK_CHOICE_H

#include <tracer.h>

/* -g without a word: frame pointers, and copies of stacks too where those are written while they
 * come. lean: they would be too many, or of no use. Call when all options are known. */
void stacks_settle(struct tracer_options *o, bool lean);
#endif
