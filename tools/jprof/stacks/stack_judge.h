/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Compares each walk with the VM's own AsyncGetCallTrace, for the same context of the same thread.
 * Only for checks (SCSCHECK): it can crash a VM. The counts are printed at the end.
 */
#ifndef STACK_JUDGE_H
#define STACK_JUDGE_H

#include <jvmti.h>
#include <stdbool.h>

#include "stack_walk.h"

/* Returns NULL, or the reason for the failure. */
const char *stack_judge_begin(jvmtiEnv *vm, const void *inside);
bool stack_judge_wanted(void);
/* Call it in the handler: returns room for the walk's methods, which stack_judge() compares. NULL
 * if another thread uses it. */
struct walk_methods *stack_judge_room(void);
void stack_judge(void *env, void *context, const struct walked *w);
void stack_judge_print(void);

#endif
