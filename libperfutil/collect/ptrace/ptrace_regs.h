/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The registers of a stopped thread that stepping needs, and the breakpoints of this machine. */
#ifndef PITRACE_PTRACE_REGS_H
#define PITRACE_PTRACE_REGS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct ptrace_regs {
	uint64_t pc;
	/* before a system call: its number, if not in the instruction … */
	uint64_t number;
	uint64_t argument[3];
	int64_t result;  /* … after it */
	bool failed;     /* … the result is an error number */
	bool wide;       /* 64-bit code */
	bool in_syscall; /* x86: stopped in or right after a system call, … */
	uint64_t called; /* … of this number */
};

/* Reads the registers. 0 or -errno (ESRCH: the thread has ended, or is not stopped). */
int ptrace_regs_get(pid_t tid, struct ptrace_regs *r);
int ptrace_pc_get(pid_t tid, uint64_t *pc);
int ptrace_pc_set(pid_t tid, uint64_t pc);

/* An interrupted system call of `length` bytes is before r->pc. True if the kernel will restart it,
 * unless a signal handler is entered first. */
bool ptrace_restarts(const struct ptrace_regs *r);

/* The breakpoint instruction, and the distance after it at which the thread stops. */
extern const uint8_t ptrace_break[];
extern const unsigned int ptrace_break_bytes, ptrace_break_behind;

/* Extra setup before a thread's first step, and after its last. */
void ptrace_steps(pid_t tid, bool on);
#if defined(__s390x__)
/* Returns the address of the instruction executed last; a system call leaves the previous one. */
uint64_t ptrace_executed(pid_t tid);
#endif

#endif
