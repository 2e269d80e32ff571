/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Registers of a stopped thread, as far as whoever steps it needs them, and the breakpoints of this
 * machine. */
#ifndef PITRACE_PTRACE_REGS_H
#define PITRACE_PTRACE_REGS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct ptrace_regs {
	uint64_t pc;
	uint64_t number;		/* before a system call: its number, if not in the
					   instruction … */
	uint64_t argument[3];
	int64_t result;			/* … after it */
	bool failed;			/* … it has an error number for its result */
	bool wide;			/* 64-bit code */
	bool in_syscall;		/* x86: stopped in or right behind one, … */
	uint64_t called;		/* … this one */
};

/* 0 or -errno (ESRCH: it is dead, or not stopped). */
int ptrace_regs_get(pid_t tid, struct ptrace_regs *r);
int ptrace_pc_get(pid_t tid, uint64_t *pc);
int ptrace_pc_set(pid_t tid, uint64_t pc);

/* A system call of `length` bytes was interrupted and is behind r->pc: true if the kernel will go
 * back and begin it again, unless a signal's handler is entered first. */
bool ptrace_restarts(const struct ptrace_regs *r);

/* What a breakpoint is, and how far behind it the thread stops. */
extern const uint8_t ptrace_break[];
extern const unsigned int ptrace_break_bytes, ptrace_break_behind;

/* Before the thread's first step, and behind its last: what steps need beside. */
void ptrace_steps(pid_t tid, bool on);
#if defined(__s390x__)
/* The instruction that was executed last; a system call's leaves the one before it. */
uint64_t ptrace_executed(pid_t tid);
#endif

#endif
