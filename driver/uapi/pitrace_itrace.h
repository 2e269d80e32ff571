/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * A part of pitrace.h, which includes it: instruction traces (ITrace).
 *
 * A traced thread runs in *runs* of instructions that follow one another in memory. What ends a run
 * is a record: a branch that was taken (BRANCH: from the branch to its target), or a break (BREAK:
 * the flow left from before an instruction that was not executed yet, and goes on elsewhere or
 * there: an interrupt, a page fault, a signal, a system call whose kernel side is not traced, an
 * exec). Each tells how many instructions the run had. The next run of this thread, on the same
 * side, begins at `to`. So the records of a thread, in order, are all that it executed: nothing is
 * left out between START and STOP but where a record has the flag GAP.
 *
 * An instruction counts once, as hardware counts it: a rep string instruction too. A branch that is
 * not taken ends nothing. A run is the user's or the kernel's by the major of the record that ends
 * it; CROSS says that `to` lies on the other side. Interrupts and exceptions are not followed: a
 * BREAK stands for each.
 *
 * The kernel's side is that of system calls. It is seen from the tracepoint sys_enter on: what the
 * kernel runs before it, some hundred instructions of its entry, is not seen, and the flag GAP is
 * off, since nothing of what can be traced is missing. From there on all is seen down to the
 * instruction that leads back to user code: the call itself, sleeps in it and what it does on its
 * way out; but not the driver's own code, what runs in the scheduler while the thread is being
 * switched, and softirqs on its back: a BREAK stands for each. A call of more than
 * PITRACE_KERNEL_STEPS instructions is not seen further (STOP, BUDGET; then a BREAK says where it
 * returned to). Without the user's side a BRANCH_USER of one instruction, the call's own, with the
 * flag GAP, comes before each call's records. With it, where the kernel returns elsewhere than
 * behind the call (a handler, a new program, what a handler had interrupted) `to` is the place that
 * it would have returned to, and a BREAK_USER follows that says why and whereto.
 *
 * PITRACE_IOC_ITRACE sets, while the session is off, which threads are traced. What is recorded is
 * set by majors: BRANCH_USER, BRANCH_KERNEL or both; LOAD_STORE where it is to be had. A CPU's
 * trace ring holds the records of the threads that run there; in continuous mode a thread waits
 * before it goes on in user code while that ring is more than half full, unless FLAG_LOSSY is set;
 * it can be killed, stopped and frozen meanwhile, and waits no longer when the session ends. The
 * process that holds the session is never traced. A thread leaves the trace where it executes a
 * program that changes its credentials, or is not dumpable (STOP, EXEC). A thread is traced by one
 * session: another one that asks for it gets a STOP (TAKEN), and counts it (pitrace_cpu.taken).
 *
 * Members: user side only, of processes that are theirs. The kernel's side is for who has
 * CAP_PERFMON, where the system is not locked down, and the module was loaded with kernel_itrace=1.
 */
#ifndef _UAPI_PITRACE_ITRACE_H
#define _UAPI_PITRACE_ITRACE_H

#include "pitrace.h"

/* BRANCH_KERNEL, BRANCH_USER: minor = kind | flags; BREAK_*: enum pitrace_break | flags. */
enum pitrace_branch_kind { /* what the last instruction of the run is */
			   PITRACE_BRANCH_CALL = 1,
			   PITRACE_BRANCH_RETURN = 2,
			   PITRACE_BRANCH_JUMP = 3,
			   PITRACE_BRANCH_IRET =
				   4, /* back from the kernel: iret, sysret, rfid, eret … */
			   PITRACE_BRANCH_OTHER =
				   5, /* a system call's instruction; STEP: no branch at all */
			   PITRACE_BRANCH_UNDEFINED = 6, /* its bytes could not be read */
};
#define PITRACE_BRANCH_KIND  0xFF
#define PITRACE_BRANCH_GAP   0x100 /* records of this thread are missing before this one */
#define PITRACE_BRANCH_CROSS 0x200 /* `to` is of the other side */
#define PITRACE_BRANCH_STEP  0x400 /* FLAG_STEPS: one instruction, which went on to the next */
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
	PITRACE_BREAK_EXCEPTION = 3, /* another one; number: the vector, 0 unknown; kernel: `at`
					   may fail and has, or is a probe's breakpoint; GAP:
					   what came next was not seen */
	PITRACE_BREAK_SIGNAL = 4,    /* number: the signal; `to` is its handler */
	PITRACE_BREAK_SIGRETURN = 5, /* number: of the call; `to` is where the signal came */
	PITRACE_BREAK_SYSCALL = 6,   /* user side alone; number: of the call; its instruction is
					   counted, `at` is behind it, `to` where it returns to */
	PITRACE_BREAK_EXEC = 7,      /* `to` is the first instruction of the new program */
	PITRACE_BREAK_SWITCH = 8,    /* kernel: other threads have run here */
	PITRACE_BREAK_OWN = 9,       /* kernel: this driver has, which began at `at` */
};
#define PITRACE_BREAK_LAST PITRACE_BREAK_OWN
struct pitrace_break_rec {
	__u32 pid;
	__u32 tid;
	__u32 count; /* instructions of the run, without the one at `at` */
	__u32 number;
	__u64 at; /* the instruction that was not executed */
	__u64 to; /* where the flow goes on, same side */
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
	PITRACE_ITRACE_ON = 1,   /* the session was switched on, off, suspended, resumed */
	PITRACE_ITRACE_FORK,     /* START: a new thread or process */
	PITRACE_ITRACE_EXEC,     /* STOP: a program that is not for this user's eyes */
	PITRACE_ITRACE_EXIT,     /* STOP: the thread ends */
	PITRACE_ITRACE_ADDRESS,  /* the start or stop address was reached */
	PITRACE_ITRACE_SKIPPED,  /* START: so many instructions were skipped */
	PITRACE_ITRACE_LIMIT,    /* STOP: so many instructions were traced */
	PITRACE_ITRACE_DEBUGGER, /* STOP: a debugger steps this thread, or has */
	PITRACE_ITRACE_BUDGET,   /* STOP of the kernel side: this call took too many steps */
	PITRACE_ITRACE_TAKEN,    /* STOP, alone: another session traces this thread */
	PITRACE_ITRACE_PROBE,    /* STOP of the kernel side: this call meets a probe there */
};
#define PITRACE_KERNEL_STEPS 8000000 /* of one call */
struct pitrace_itrace_mark {
	__u32 pid;
	__u32 tid;
	__u32 count; /* STOP: instructions of the run that is cut here; START: 0 */
	__u32 reserved;
	__u64 address; /* of the next instruction; 0: not known */
} __attribute__((packed, aligned(4)));
PITRACE_ASSERT(sizeof(struct pitrace_itrace_mark) == 24, "start, stop");

/* LOAD_STORE: what an instruction reads or writes; before the record of the branch that ends its
 * run. minor: LOAD or STORE | GAP. */
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

/* CODE: bytes that are executed and stand in no file: an anonymous page when it is stepped into for
 * the first time, and each time after a part of it was seen to differ. minor 0. The kernel's own
 * (pid 0) are not written by the driver: libperfutil reads them while the trace runs; CHANGED: the
 * kernel has changed what was told of this address before, since when is not known. */
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
 * PITRACE_IOC_ITRACE, of a session. Threads of the session's scope, and of those these alone; the
 * pids are in the caller's namespace. EOPNOTSUPP: this kernel or machine cannot do it (flags,
 * majors: pitrace_info tells). EBUSY: the session is on. EPERM: not for this user.
 */
enum pitrace_itrace_scope {
	PITRACE_ITRACE_NONE = 0, /* how a session begins */
	PITRACE_ITRACE_ALL,
	PITRACE_ITRACE_PIDS,  /* processes of the list */
	PITRACE_ITRACE_TIDS,  /* threads of the list */
	PITRACE_ITRACE_RANGE, /* pids from `first` to `last`; last 0: no end */
};
#define PITRACE_ITRACE_FOLLOW \
	0x1                      /* and processes that these begin; without it new threads
					   of theirs alone, of TIDS none */
#define PITRACE_ITRACE_LOSSY 0x2 /* drop records, counted, when a ring is full; no wait */
#define PITRACE_ITRACE_STEPS 0x4 /* a record for each instruction */
#define PITRACE_ITRACE_FROM \
	0x8 /* start where `start` is reached, in each thread; what is
					   begun by a thread that has started has, too */
#define PITRACE_ITRACE_UNTIL \
	0x10 /* stop where `stop` is reached; START may come again;
					   without FROM: not what such a thread begins later */
#define PITRACE_ITRACE_NO_THREADS \
	0x20 /* not threads that a traced one begins, nor what
					   these begin; FROM: that one that has started */
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
	__u64 skip;  /* instructions of each thread that are not recorded at first */
	__u64 limit; /* instructions of each thread, then it stops; 0: none */
	struct pitrace_itrace_place start, stop;
	__u64 reserved1[2];
};
PITRACE_ASSERT(sizeof(struct pitrace_itrace_place) == 16, "place");
PITRACE_ASSERT(sizeof(struct pitrace_itrace_args) == 104, "ITrace arguments");

#endif /* _UAPI_PITRACE_ITRACE_H */
