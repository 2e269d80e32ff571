/* SPDX-License-Identifier: GPL-2.0 */
/* The threads that a ptt watches: added and removed by calls, at fork and at exit. */
#ifndef PITRACE_PTT_WATCH_H
#define PITRACE_PTT_WATCH_H

#include "ptt/ptt.h"

/* PITRACE_IOC_PTT_ADD, REMOVE; `changing` is held. */
int ptt_add(struct ptt *p, const struct pitrace_ptt_thread_args *args);
int ptt_remove(struct ptt *p, const struct pitrace_ptt_thread_args *args);

/* Hooks: a child was created; the current process executes a new program. */
void ptt_fork_slow(struct task_struct *parent, struct task_struct *child);
void ptt_exec_slow(void);

static inline void ptt_fork(struct task_struct *parent, struct task_struct *child)
{
	if (unlikely(READ_ONCE(ptts_on)))
		ptt_fork_slow(parent, child);
}

static inline void ptt_exec(void)
{
	if (unlikely(READ_ONCE(ptts_on)))
		ptt_exec_slow();
}

#endif
