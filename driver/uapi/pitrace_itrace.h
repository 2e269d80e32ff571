/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * A part of pitrace.h, which includes it: instruction traces (ITrace).
 *
 * A traced thread runs in *runs* of instructions that follow one another in memory. A record ends
 * each run: a branch that was taken (BRANCH: from the branch to its target), or a break (BREAK: the
 * flow was interrupted before an instruction was executed, and continues there or elsewhere: an
 * interrupt, a page fault, a signal, a system call whose kernel side is not traced, an exec). Each
 * has the number of instructions of the run. The next run of this thread, on the same side, begins
 * at `to`. So the records of a thread, in order, describe everything it executed: between START and
 * STOP nothing is missing, except where a record has the flag GAP.
 *
 * An instruction counts once, as hardware counts it: a rep string instruction too. A branch that is
 * not taken does not end a run. A run is the user's or the kernel's by the major of the record that
 * ends it; CROSS means that `to` is on the other side. Interrupts and exceptions are not followed:
 * a BREAK stands for each.
 *
 * The kernel's side is that of system calls. It is traced from the tracepoint sys_enter on. The
 * kernel's entry code before it, about a hundred instructions, is not traced; the flag GAP is not
 * set for it, because it cannot be traced. From there on everything is traced up to the instruction
 * that returns to user code: the call itself, its sleeps and its exit work. The exceptions are the
 * driver's own code, the scheduler while it switches the thread, and softirqs that run on top of
 * it: a BREAK stands for each. A call of more than PITRACE_KERNEL_STEPS instructions is not traced
 * further (STOP, BUDGET; then a BREAK says where it returned to). Without the user's side a
 * BRANCH_USER of one instruction, the call's own, with the flag GAP, comes before each call's
 * records. With it, the kernel may return to a place other than the instruction after the call (a
 * handler, a new program, code that a handler had interrupted). Then `to` is the normal return
 * address, and a BREAK_USER follows with the reason and the actual target.
 *
 * PITRACE_IOC_ITRACE sets, while the session is off, which threads are traced. Majors select what
 * is recorded: BRANCH_USER, BRANCH_KERNEL or both; LOAD_STORE where it is available. A CPU's trace
 * ring holds the records of the threads that run there; in continuous mode a thread waits before it
 * returns to user code while that ring is more than half full, unless FLAG_LOSSY is set. While it
 * waits it can be killed, stopped and frozen; the end of the session ends the wait. The process
 * that holds the session is never traced. A thread leaves the trace when it executes a program that
 * changes its credentials or is not dumpable (STOP, EXEC). Only one session can trace a thread:
 * another one that requests it gets a STOP (TAKEN) and counts it (pitrace_cpu.taken).
 *
 * Users without CAP_PERFMON: the user side only, of their own processes. The kernel's side needs
 * CAP_PERFMON, a system that is not locked down, and the module parameter kernel_itrace=1.
 */
#ifndef _UAPI_PITRACE_ITRACE_H
#define _UAPI_PITRACE_ITRACE_H

#include "pitrace.h"

/* BRANCH_KERNEL, BRANCH_USER: minor = kind | flags; BREAK_*: enum pitrace_break | flags. */
enum pitrace_branch_kind { /* the type of the run's last instruction */
			   PITRACE_BRANCH_CALL = 1,
			   PITRACE_BRANCH_RETURN = 2,
			   PITRACE_BRANCH_JUMP = 3,
			   PITRACE_BRANCH_IRET =
				   4, /* back from the kernel: iret, sysret, rfid, eret … */
			   PITRACE_BRANCH_OTHER =
				   5, /* a system call instruction; STEP: not a branch */
			   PITRACE_BRANCH_UNDEFINED = 6, /* its bytes could not be read */
};
#define PITRACE_BRANCH_KIND  0xFF
#define PITRACE_BRANCH_GAP   0x100 /* records of this thread are missing before this one */
#define PITRACE_BRANCH_CROSS 0x200 /* `to` is of the other side */
#define PITRACE_BRANCH_STEP  0x400 /* FLAG_STEPS: one instruction, followed by the next one */
struct pitrace_branch {
	__u32 pid;
	__u32 tid;
	__u32 count; /* instructions of the run, the one at `from` included */
	__u64 from;  /* the branch */
	__u64 to;    /* its target */
} __attribute__((packed, aligned(4)));
PITRACE_ASSERT(sizeof(struct pitrace_branch) == 28, "branch");

enum pitrace_break {
	PITRACE_BREAK_INTERRUPT = 1, /* number: enum pitrace_irq_source */
	PITRACE_BREAK_FAULT = 2,     /* a page fault; number: PITRACE_FAULT_* */
	PITRACE_BREAK_EXCEPTION = 3, /* another one; number: the vector, 0 unknown; kernel: the
					   instruction at `at` may fault and did, or is a probe's
					   breakpoint; GAP: the code after it was not traced */
	PITRACE_BREAK_SIGNAL = 4,    /* number: the signal; `to` is its handler */
	PITRACE_BREAK_SIGRETURN = 5, /* number: of the call; `to` is where the signal arrived */
	PITRACE_BREAK_SYSCALL = 6,   /* user side only; number: of the call; its instruction is
					   counted, `at` is the one after it, `to` the return
					   address */
	PITRACE_BREAK_EXEC = 7,      /* `to` is the first instruction of the new program */
	PITRACE_BREAK_SWITCH = 8,    /* kernel: other threads ran on this CPU */
	PITRACE_BREAK_OWN = 9,       /* kernel: this driver ran, from `at` on */
};
#define PITRACE_BREAK_LAST PITRACE_BREAK_OWN
struct pitrace_break_rec {
	__u32 pid;
	__u32 tid;
	__u32 count; /* instructions of the run, without the one at `at` */
	__u32 number;
	__u64 at; /* the instruction that was not executed */
	__u64 to; /* where execution continues, same side */
} __attribute__((packed, aligned(4)));
PITRACE_ASSERT(sizeof(struct pitrace_break_rec) == 32, "break");

/* ITRACE_SWITCH: a traced thread is on this CPU from here on; minor: GAP or 0. */
struct pitrace_itrace_switch {
	__u32 pid;
	__u32 tid;
	__u32 from_cpu; /* where it was before */
	__u32 reserved;
} __attribute__((packed, aligned(4)));
PITRACE_ASSERT(sizeof(struct pitrace_itrace_switch) == 16, "thread switch");

/* ITRACE_START, ITRACE_STOP: minor: enum pitrace_itrace_why | flags. Between a START and the next
 * record of the thread it may have been asleep. */
enum pitrace_itrace_why {
	PITRACE_ITRACE_ON = 1,   /* the session was turned on or off, suspended or resumed */
	PITRACE_ITRACE_FORK,     /* START: a new thread or process */
	PITRACE_ITRACE_EXEC,     /* STOP: a program that this user may not trace */
	PITRACE_ITRACE_EXIT,     /* STOP: the thread ends */
	PITRACE_ITRACE_ADDRESS,  /* the start or stop address was reached */
	PITRACE_ITRACE_SKIPPED,  /* START: this many instructions were skipped */
	PITRACE_ITRACE_LIMIT,    /* STOP: this many instructions were traced */
	PITRACE_ITRACE_DEBUGGER, /* STOP: a debugger steps this thread, or has done so */
	PITRACE_ITRACE_BUDGET,   /* STOP of the kernel side: this call took too many steps */
	PITRACE_ITRACE_TAKEN,    /* STOP, on its own: another session traces this thread */
	PITRACE_ITRACE_PROBE,    /* STOP of the kernel side: this call reaches a probe */
};
#define PITRACE_KERNEL_STEPS 8000000 /* of one call */
struct pitrace_itrace_mark {
	__u32 pid;
	__u32 tid;
	__u32 count; /* STOP: instructions of the run that is cut here; START: 0 */
	__u32 reserved;
	__u64 address; /* of the next instruction; 0: unknown */
} __attribute__((packed, aligned(4)));
PITRACE_ASSERT(sizeof(struct pitrace_itrace_mark) == 24, "start, stop");

/* LOAD_STORE: the memory that an instruction reads or writes; before the record of the branch that
 * ends its run. minor: LOAD or STORE | GAP. */
#define PITRACE_ACCESS_LOAD  1
#define PITRACE_ACCESS_STORE 2
struct pitrace_access {
	__u32 pid;
	__u32 tid;
	__u32 bytes;
	__u32 reserved;
	__u64 at; /* the instruction */
	__u64 address;
} __attribute__((packed, aligned(4)));
PITRACE_ASSERT(sizeof(struct pitrace_access) == 32, "load, store");

/* CODE: executed bytes that are not in any file: an anonymous page when it is first stepped into,
 * and again each time a part of it has changed. minor 0. The driver does not write the kernel's own
 * code (pid 0): libperfutil reads it while the trace runs. CHANGED: the kernel has modified code
 * that was recorded at this address before, at an unknown time. */
#define PITRACE_CODE_MAX     4096
#define PITRACE_CODE_CHANGED 1
struct pitrace_code {
	__u32 pid;
	__u32 bytes;
	__u64 address;
	/* __u8 code[bytes], padded with NULs to a multiple of 4 */
} __attribute__((packed, aligned(4)));
PITRACE_ASSERT(sizeof(struct pitrace_code) == 16, "code");

/*
 * PITRACE_IOC_ITRACE, of a session. Selects threads within the session's scope; the pids are in the
 * caller's namespace. EOPNOTSUPP: this kernel or machine cannot do it (flags, majors: see
 * pitrace_info). EBUSY: the session is on. EPERM: this user may not do it.
 */
enum pitrace_itrace_scope {
	PITRACE_ITRACE_NONE = 0, /* the initial setting of a session */
	PITRACE_ITRACE_ALL,
	PITRACE_ITRACE_PIDS,  /* processes of the list */
	PITRACE_ITRACE_TIDS,  /* threads of the list */
	PITRACE_ITRACE_RANGE, /* pids from `first` to `last`; last 0: no end */
};
#define PITRACE_ITRACE_FOLLOW \
	0x1                      /* and processes that these create; without it only their new
					   threads, with TIDS none */
#define PITRACE_ITRACE_LOSSY 0x2 /* drop records, counted, when a ring is full; no wait */
#define PITRACE_ITRACE_STEPS 0x4 /* a record for each instruction */
#define PITRACE_ITRACE_FROM \
	0x8 /* start when `start` is reached, in each thread; also covers what a started thread
					   creates */
#define PITRACE_ITRACE_UNTIL \
	0x10 /* stop when `stop` is reached; START may come again; without FROM: excludes what a
					   stopped thread creates later */
#define PITRACE_ITRACE_NO_THREADS \
	0x20 /* excludes threads that a traced one creates, and what these create; FROM: that a
					   started one creates */
#define PITRACE_ITRACE_LIST 64
struct pitrace_itrace_place {
	__s32 fd; /* file that `address` is an offset in; -1: a memory address */
	__u32 reserved;
	__u64 address;
};
struct pitrace_itrace_args {
	__u32 size;
	__u32 version;
	__u32 flags; /* PITRACE_ITRACE_* */
	__u32 scope;
	__s32 first, last;
	__u32 listed; /* 1 - PITRACE_ITRACE_LIST, else 0 */
	__u32 reserved0;
	__u64 list;  /* address of __s32[listed] */
	__u64 skip;  /* instructions of each thread to skip before recording */
	__u64 limit; /* instructions of each thread before it stops; 0: no limit */
	struct pitrace_itrace_place start, stop;
	__u64 reserved1[2];
};
PITRACE_ASSERT(sizeof(struct pitrace_itrace_place) == 16, "place");
PITRACE_ASSERT(sizeof(struct pitrace_itrace_args) == 104, "ITrace arguments");

#endif /* _UAPI_PITRACE_ITRACE_H */
