/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A second judge of walks: AsyncGetCallTrace, the VM's own, for the same place of the same thread.
 * For checks (SCSCHECK) alone: it can crash a VM. The counts are printed at the end.
 */
#ifndef STACK_JUDGE_H
#define STACK_JUDGE_H

#include <jvmti.h>
#include <stdbool.h>

#include "stack_walk.h"

/* NULL, or why not. */
const char *stack_judge_begin(jvmtiEnv *vm, const void *inside);
bool stack_judge_wanted(void);
/* In the handler: room for the methods of a walk, for stack_judge. NULL: another thread has it. */
struct walk_methods *stack_judge_room(void);
void stack_judge(void *env, void *context, const struct walked *w);
void stack_judge_print(void);

#endif
