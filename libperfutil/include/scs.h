/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Sampling of a program's own call stacks: calls a function of the program, in a signal handler, on
 * each of its threads, each time that thread has used a given amount of CPU time. The function
 * walks the stack with its knowledge of its own code; the registers are those of the interrupted
 * thread.
 */
#ifndef PITRACE_SCS_H
#define PITRACE_SCS_H

#include "pitrace_attributes.h"

#ifdef __cplusplus
extern "C" {
#endif

/* tid: the sampled thread, which runs this; context: its ucontext_t. */
typedef void scs_callback(int tid, void *context);

/* rate: samples per second of CPU time, 1 to 20000. PI_INCORRECT_STATE while it is on. */
int InitScs(int rate, scs_callback *callback);
/* Samples all threads of the process, including those created later. */
int ScsOn(void);
/* No call begins after it has returned. */
int ScsOff(void);

#ifdef __cplusplus
}
#endif
#endif
