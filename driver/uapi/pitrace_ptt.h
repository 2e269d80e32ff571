/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * A part of pitrace.h, which includes it: what threads use (PTT).
 *
 * PITRACE_IOC_PTT returns a *ptt*: up to PITRACE_METRICS metrics and the threads that are watched.
 * Ptts are independent of each other. The counts of a CPU's counter from one event to the next (a
 * dispatch; an interrupt's begin or end) go to one bucket: watched threads, other threads, idle or
 * interrupts. So a CPU's four buckets always add up to last - start, and those of threads, over all
 * CPUs, to the values of all threads that were ever watched. System calls and faults are charged to
 * the thread. Interrupts are not, unless that is requested; nested ones count once, and what they
 * use while a thread runs is kept in a separate field beside its value.
 *
 * mmap of a ptt, read-only, one area at a time: struct pitrace_ptt_control at offset 0; struct
 * pitrace_ptt_cpu of CPU c at cpu_offset + c * cpu_stride; slot t, a page with one thread's
 * struct pitrace_ptt_thread, at thread_offset + t * thread_stride. A thread reads its own values
 * without a call: between two reads of the same sequence it was not dispatched nor interrupted.
 * 	do { s = sequence; v = value + (counter() - last); } while (sequence != s);
 * Other threads read, by (F), the value as of the last event, or of PITRACE_IOC_PTT_UPDATE.
 */
#ifndef _UAPI_PITRACE_PTT_H
#define _UAPI_PITRACE_PTT_H

#include "pitrace.h"

#define PITRACE_METRICS   8 /* of a ptt */
#define PITRACE_MAX_PTTS  8
#define PITRACE_PTT_SLOTS 4096 /* threads of a ptt at one time */

/* A metric: CYCLES, the machine's free-running counter (x86: TSC; arm64: CNTVCT; powerpc: timebase;
 * s390x: TOD clock without its two lowest bits); or an event of perf_event_open(2), by its type and
 * configuration: one that each CPU counts for itself, hardware or software.
 * Members: USER only, of the types HARDWARE, SOFTWARE and HW_CACHE. */
#define PITRACE_METRIC_CYCLES 0xFFFFFFFFu
#define PITRACE_METRIC_USER   0x1 /* only user code; only the kernel */
#define PITRACE_METRIC_KERNEL 0x2
struct pitrace_metric {
	__u32 type;
	__u32 flags;                    /* PITRACE_METRIC_USER, KERNEL; CYCLES and clocks: 0 */
	__u64 config, config1, config2; /* CYCLES: 0 */
};
PITRACE_ASSERT(sizeof(struct pitrace_metric) == 32, "metric");

/* PITRACE_IOC_PTT. EUSERS: none are free (PITRACE_MAX_PTTS, fewer for members). EDQUOT: this user's
 * share is used up. The metric number `failed`: EEXIST: is a duplicate; EOPNOTSUPP, ENODEV, ENOENT,
 * EINVAL: is not available here; EADDRINUSE: has no free counter, because other users or the
 * metrics before it hold them; EPERM: counts something that this user may not see, or needs a
 * hardware counter that this user may not have. */
#define PITRACE_PTT_CHARGE 0x1 /* interrupts are charged to the interrupted thread */
struct pitrace_ptt_args {
	__u32 size;
	__u32 version;
	__u32 flags;   /* PITRACE_PTT_CHARGE */
	__u32 metrics; /* 1 - PITRACE_METRICS */
	__u32 slots;   /* 1 - PITRACE_PTT_SLOTS; 0: 64 */
	__u32 failed;  /* 0; out, on these errors */
	__u64 reserved[3];
	struct pitrace_metric metric[PITRACE_METRICS];
};
PITRACE_ASSERT(sizeof(struct pitrace_ptt_args) == 304, "ptt arguments");

/*
 * PITRACE_IOC_PTT_ADD: watch a thread; returns its slot, also when it is watched already. With a
 * flag: watch a process or all threads; returns the number of threads added; ENOSPC: not all fit,
 * those that did are watched. EPERM: this user may not watch it. ESRCH: no such thread, or it is
 * ending. PITRACE_IOC_PTT_REMOVE: the reverse; returns the number of threads removed; ESRCH: none.
 * Their usage is added to gone_value. PITRACE_IOC_PTT_CHARGE: PITRACE_PTT_CHARGE, or 0.
 */
#define PITRACE_PTT_PROCESS  0x1 /* all threads of tid's process, and future ones */
#define PITRACE_PTT_CHILDREN 0x2 /* and processes that these create later; not for REMOVE */
#define PITRACE_PTT_ALL      0x4 /* all existing and future threads; tid is 0 */
#define PITRACE_PTT_SLOT     0x8 /* REMOVE: tid is a slot, possibly of a thread that ended */
struct pitrace_ptt_thread_args {
	__u32 size;
	__u32 version;
	__u32 flags; /* PITRACE_PTT_*, 0: only the thread */
	__s32 tid;   /* in the caller's namespace; 0: the calling thread */
};
PITRACE_ASSERT(sizeof(struct pitrace_ptt_thread_args) == 16, "ptt thread arguments");

/* How a thread may read a metric's counter itself. */
enum pitrace_ptt_how {
	PITRACE_HOW_NOT = 0, /* it cannot */
	PITRACE_HOW_CYCLES,  /* rdtsc, mrs cntvct_el0, mftb, stckf >> 2 */
	PITRACE_HOW_COUNTER, /* the hardware counter, by its index */
};
struct pitrace_ptt_value {
	__u64 value;     /* the thread's usage up to the last event */
	__u64 last;      /* the counter at that event */
	__u64 interrupt; /* used by interrupts while it ran; not in value */
	__u16 how;       /* enum pitrace_ptt_how */
	__u16 width;     /* bits of the counter; differences wrap at this width */
	/* COUNTER: from 1 on: arm64: pmevcntr0_el0 …, 32 is pmccntr_el0; powerpc: PMC1 …; 0: not
	 * readable at the moment: the instruction would be illegal. For other kinds 0. */
	__u32 index;
};
PITRACE_ASSERT(sizeof(struct pitrace_ptt_value) == 32, "ptt value");

enum pitrace_ptt_state {
	PITRACE_PTT_FREE = 0,
	PITRACE_PTT_WATCHED,
	PITRACE_PTT_ENDED, /* the thread ended; the slot is reused when none is free */
};
struct pitrace_ptt_thread {
	__u32 size;
	__u32 version;
	__u32 state; /* enum pitrace_ptt_state */
	__u32 metrics;
	__u64 sequence;   /* (F) */
	__u64 dispatches; /* while it was watched; of these */
	__u64 interrupts; /* outermost ones, that came while it ran */
	__u64 generation; /* counts the threads that have used this slot */
	__u32 pid, tid;
	__u64 start; /* of the thread, CLOCK_BOOTTIME ns */
	__u32 cpu;   /* where it was dispatched last */
	__u32 reserved0;
	char comm[16]; /* ENDED: its last one; else at begin */
	__u64 reserved1[5];
	struct pitrace_ptt_value metric[PITRACE_METRICS]; /* at 128 */
};
PITRACE_ASSERT(sizeof(struct pitrace_ptt_thread) == 384, "ptt thread");

enum pitrace_ptt_bucket {
	PITRACE_PTT_THREADS = 0, /* watched threads */
	PITRACE_PTT_OTHER,       /* threads that are not watched */
	PITRACE_PTT_IDLE,
	PITRACE_PTT_INTERRUPTS, /* always 0 with PITRACE_PTT_CHARGE */
	PITRACE_PTT_BUCKETS
};
struct pitrace_ptt_cpu {
	__u32 present;
	__u32 online;     /* the CPU is being counted */
	__u64 sequence;   /* (F) */
	__u64 dispatches; /* those between two unwatched threads are updated by UPDATE */
	__u64 interrupts;
	__u64 steal;   /* ns stolen by the host, as of UPDATE; also contained in the buckets */
	__u32 missing; /* a bit for each metric that was not counted all the time */
	__u32 reserved0;
	__u64 reserved1[2];
	__u64 start[PITRACE_METRICS]; /* counters at begin; advanced by the time spent offline */
	__u64 last[PITRACE_METRICS];  /* at the last event */
	__u64 bucket[PITRACE_PTT_BUCKETS][PITRACE_METRICS]; /* add up to last - start */
};
PITRACE_ASSERT(sizeof(struct pitrace_ptt_cpu) == 448, "ptt CPU");

#define PITRACE_PTT_STOPPED 0x100 /* counting has ended */
#define PITRACE_PTT_BLIND   0x200 /* this kernel has no hooks for interrupts */
#define PITRACE_PTT_UNSURE  0x400 /* CYCLES may change their rate or differ between CPUs */
struct pitrace_ptt_control {
	__u32 size;
	__u32 version;
	__u32 flags; /* PITRACE_PTT_CHARGE, STOPPED, BLIND, UNSURE */
	__u32 metrics;
	__u32 ncpus;
	__u32 slots;
	__u64 cpu_offset; /* 0: this user may not see the CPUs */
	__u64 cpu_stride;
	__u64 thread_offset;
	__u64 thread_stride;
	__u64 cycles_hz; /* 0: unknown */
	__u64 unwatched; /* threads that were not added for lack of room */
	__u64 sequence;  /* of the fields below, (F) */
	__u64 gone;      /* threads whose slot was released */
	__u64 gone_dispatches;
	__u64 gone_interrupts;
	__u64 reserved[3];
	__u64 gone_value[PITRACE_METRICS];
	__u64 gone_interrupt[PITRACE_METRICS];
};
PITRACE_ASSERT(sizeof(struct pitrace_ptt_control) == 256, "ptt control page");

#endif /* _UAPI_PITRACE_PTT_H */
