/* SPDX-License-Identifier: GPL-2.0 */
/* Records of one traced thread, written to this CPU's ring; preemption off. */
#ifndef PITRACE_ITRACE_EMIT_H
#define PITRACE_ITRACE_EMIT_H

#include "core/session.h"
#include "itrace/itrace_table.h"

void it_emit_branch(struct it_thread *t, bool user, u32 kind, u64 from, u64 to);
/* Records the step from the thread's system call to the first kernel instruction traced. */
void it_emit_entry(struct it_thread *t, u64 to);
void it_emit_break(struct it_thread *t, bool user, u32 why, u32 number, u64 at, u64 to);
void it_emit_mark(struct it_thread *t, bool start, u32 why, u32 count, u64 address);
/* The session does not trace this thread because another one does. */
void it_emit_taken(struct session *s, struct task_struct *task);
void it_emit_switch(struct it_thread *t, u32 from_cpu);
/* Writes the thread's reads and writes that were not recorded yet, if they are requested. */
#ifdef ARCH_ACCESSES
void it_emit_accesses(struct it_thread *t);
#else
static inline void it_emit_accesses(struct it_thread *t) { }
#endif
/* Reserves a record that the caller fills and commits to the ring. */
void *it_reserve(struct it_thread *t, u16 major, u32 minor, u32 size, struct ring **ring);

static __always_inline bool it_wants(const struct it_thread *t, bool user)
{
	return test_bit(user ? PITRACE_BRANCH_USER : PITRACE_BRANCH_KERNEL, t->session->majors);
}

#endif
