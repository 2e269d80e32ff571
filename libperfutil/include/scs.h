/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Sampling of a program's own call stacks: a function of the program is called, in a signal
 * handler, on each of its threads, each time that one has used so much CPU time. It walks the stack
 * as it knows its own code; the registers are those of the interrupted thread.
 */
#ifndef PITRACE_SCS_H
#define PITRACE_SCS_H

#include "pitrace_attributes.h"

#ifdef __cplusplus
extern "C" {
#endif

/* tid: the thread that is sampled, and runs this; context: its ucontext_t. */
typedef void scs_callback(int tid, void *context);

/* rate: samples a second of CPU time, 1 to 20000. While it is on: PI_INCORRECT_STATE. */
int InitScs(int rate, scs_callback *callback);
/* All threads of the process, those that it makes later too. */
int ScsOn(void);
/* No call begins when it has returned. */
int ScsOff(void);

#ifdef __cplusplus
}
#endif
#endif
