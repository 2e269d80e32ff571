/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * A part of pitrace.h, which includes it: what threads use (PTT).
 *
 * PITRACE_IOC_PTT returns a *ptt*: up to PITRACE_METRICS metrics and the threads that are watched.
 * Several know nothing of one another. What a CPU's counter counts from one event to the next (a
 * dispatch; an interrupt's begin or end) goes to one bucket: watched threads, other threads, idle
 * or interrupts. So a CPU's four buckets always add up to last - start, and those of threads, over
 * all CPUs, to the values of all threads that were ever watched. System calls and faults are the
 * thread's own; interrupts are not (unless they are to be charged to it): nested ones count once,
 * and what they take of a thread stands beside its value.
 *
 * mmap of a ptt, read-only, one area at a time: struct pitrace_ptt_control at offset 0; struct
 * pitrace_ptt_cpu of CPU c at cpu_offset + c * cpu_stride; slot t, a page with one thread's struct
 * pitrace_ptt_thread, at thread_offset + t * thread_stride. A thread reads itself without a call:
 * between two reads of the same sequence it was not dispatched nor interrupted.
 *	do { s = sequence; v = value + (counter() - last); } while (sequence != s);
 * Others find, by (F), the value as of the last event, or of PITRACE_IOC_PTT_UPDATE.
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
#define PITRACE_METRIC_USER   0x1 /* what user code did, alone; the kernel, alone */
#define PITRACE_METRIC_KERNEL 0x2
struct pitrace_metric {
	__u32 type;
	__u32 flags;                    /* PITRACE_METRIC_USER, KERNEL; CYCLES and clocks: 0 */
	__u64 config, config1, config2; /* CYCLES: 0 */
};
PITRACE_ASSERT(sizeof(struct pitrace_metric) == 32, "metric");

/* PITRACE_IOC_PTT. EUSERS: none is free (PITRACE_MAX_PTTS, fewer for members). EDQUOT: this user
 * has his share of them. The metric `failed`: EEXIST: is there twice; EOPNOTSUPP, ENODEV, ENOENT,
 * EINVAL: is not to be had here; EADDRINUSE: found no counter free, be they held by others or by
 * the metrics before it; EPERM: counts what a member may not know, or takes a hardware counter
 * that he may not have. */
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
 * flag: a process, or all, and returns how many threads were added; ENOSPC: not all had room, those
 * that had are watched. EPERM: not for this user to see. ESRCH: no such thread, or it is ending.
 * PITRACE_IOC_PTT_REMOVE: the reverse; returns how many it was; ESRCH: none. What they used is in
 * gone_value. PITRACE_IOC_PTT_CHARGE: PITRACE_PTT_CHARGE, or 0.
 */
#define PITRACE_PTT_PROCESS  0x1 /* all threads of tid's process, and future ones */
#define PITRACE_PTT_CHILDREN 0x2 /* and processes that these will begin; not for REMOVE */
#define PITRACE_PTT_ALL      0x4 /* all threads there are and will be; tid is 0 */
#define PITRACE_PTT_SLOT     0x8 /* REMOVE: tid is a slot, perhaps of one that ended */
struct pitrace_ptt_thread_args {
	__u32 size;
	__u32 version;
	__u32 flags; /* PITRACE_PTT_*, 0: the thread alone */
	__s32 tid;   /* in the caller's namespace; 0: the calling thread */
};
PITRACE_ASSERT(sizeof(struct pitrace_ptt_thread_args) == 16, "ptt thread arguments");

/* The means by which a thread may read a metric's counter itself. */
enum pitrace_ptt_how {
	PITRACE_HOW_NOT = 0, /* it may not */
	PITRACE_HOW_CYCLES,  /* rdtsc, mrs cntvct_el0, mftb, stckf >> 2 */
	PITRACE_HOW_COUNTER, /* the hardware's own one, by its index */
};
struct pitrace_ptt_value {
	__u64 value;     /* what the thread used, up to the last event */
	__u64 last;      /* the counter at that event */
	__u64 interrupt; /* what interrupts of it used; not in value */
	__u16 how;       /* enum pitrace_ptt_how */
	__u16 width;     /* bits of the counter; differences are modulo that */
	/* COUNTER: from 1 on: arm64: pmevcntr0_el0 …, 32 is pmccntr_el0; powerpc: PMC1 …; 0: not
	 * at this moment: the instruction would be illegal. Else 0. */
	__u32 index;
};
PITRACE_ASSERT(sizeof(struct pitrace_ptt_value) == 32, "ptt value");

enum pitrace_ptt_state {
	PITRACE_PTT_FREE = 0,
	PITRACE_PTT_WATCHED,
	PITRACE_PTT_ENDED, /* the thread did; the slot goes when none is free */
};
struct pitrace_ptt_thread {
	__u32 size;
	__u32 version;
	__u32 state; /* enum pitrace_ptt_state */
	__u32 metrics;
	__u64 sequence;   /* (F) */
	__u64 dispatches; /* while it was watched; of these */
	__u64 interrupts; /* outermost ones, that came while it ran */
	__u64 generation; /* counts the threads that had this slot */
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
	PITRACE_PTT_THREADS = 0, /* watched ones */
	PITRACE_PTT_OTHER,       /* threads that are not */
	PITRACE_PTT_IDLE,
	PITRACE_PTT_INTERRUPTS, /* nothing with PITRACE_PTT_CHARGE */
	PITRACE_PTT_BUCKETS
};
struct pitrace_ptt_cpu {
	__u32 present;
	__u32 online;     /* it counts */
	__u64 sequence;   /* (F) */
	__u64 dispatches; /* those from one unwatched thread to another as of UPDATE */
	__u64 interrupts;
	__u64 steal;   /* ns the host gave to others, by UPDATE; in the buckets, too */
	__u32 missing; /* a bit for each metric that it did not count all the time */
	__u32 reserved0;
	__u64 reserved1[2];
	__u64 start[PITRACE_METRICS]; /* counters at the begin; later by what was off line */
	__u64 last[PITRACE_METRICS];  /* at the last event */
	__u64 bucket[PITRACE_PTT_BUCKETS][PITRACE_METRICS]; /* add up to last - start */
};
PITRACE_ASSERT(sizeof(struct pitrace_ptt_cpu) == 448, "ptt CPU");

#define PITRACE_PTT_STOPPED 0x100 /* no more is counted */
#define PITRACE_PTT_BLIND   0x200 /* this kernel has no hooks for interrupts */
#define PITRACE_PTT_UNSURE  0x400 /* CYCLES may change their rate, or differ by CPU */
struct pitrace_ptt_control {
	__u32 size;
	__u32 version;
	__u32 flags; /* PITRACE_PTT_CHARGE, STOPPED, BLIND, UNSURE */
	__u32 metrics;
	__u32 ncpus;
	__u32 slots;
	__u64 cpu_offset; /* 0: the CPUs are not for this user to see */
	__u64 cpu_stride;
	__u64 thread_offset;
	__u64 thread_stride;
	__u64 cycles_hz; /* 0: unknown */
	__u64 unwatched; /* threads that would have been added, but for room */
	__u64 sequence;  /* of what follows, (F) */
	__u64 gone;      /* threads whose slot was released */
	__u64 gone_dispatches;
	__u64 gone_interrupts;
	__u64 reserved[3];
	__u64 gone_value[PITRACE_METRICS];
	__u64 gone_interrupt[PITRACE_METRICS];
};
PITRACE_ASSERT(sizeof(struct pitrace_ptt_control) == 256, "ptt control page");

#endif /* _UAPI_PITRACE_PTT_H */
