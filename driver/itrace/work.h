/* SPDX-License-Identifier: GPL-2.0 */
/* Deferred work, done by a traced thread on its way back to user code. */
#ifndef PITRACE_ITRACE_WORK_H
#define PITRACE_ITRACE_WORK_H

#include <linux/types.h>

/* Each thread's task work. It holds a reference to the thread's entry and to the module. */
void it_work(struct callback_head *head);
/* At unload: waits for work that is about to return. */
void it_work_exit(void);

#endif
