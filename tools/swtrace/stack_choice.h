/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Chooses which stacks -g without a word records. */
#ifndef SWTRACE_STACK_CHOICE_H
#define SWTRACE_STACK_CHOICE_H

#include <tracer.h>

/* For -g without a word: frame pointers, and in continuous mode also copies of stacks. lean: copies
 * would be too many or useless. Call it when all options are known. */
void stacks_settle(struct tracer_options *o, bool lean);
#endif
