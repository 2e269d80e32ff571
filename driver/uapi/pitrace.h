/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * The interface between pitrace.ko and user space: the only description of it.
 *
 * How a trace is made ------------------- /dev/pitrace hands out three types of descriptors:
 * sessions; hooks, for programs that write their own records (TraceHook); and ptts, which are not
 * part of a trace (pitrace_ptt.h). PITRACE_IOC_SESSION returns a *session*: a scope (the whole
 * system or a process with its children), a set of enabled majors and, for each CPU, two rings: one
 * for MTE records (what symbol resolution needs: processes, threads, mappings, clock syncs) and one
 * for all other records. The session ends when its descriptor and every mapping of it are closed.
 *
 * mmap of the session: offset 0 holds struct pitrace_control; struct pitrace_cpu of CPU c is at
 * cpu_offset + c * cpu_stride. Offsets and strides are read from the control page, never computed
 * by sizeof. The rings of CPU c begin at data_offset + c * data_stride: first MTE, then trace. All
 * pages are read-only to user space. The kernel reads nothing that user space writes except the
 * arguments of ioctls; the consumed position travels in PITRACE_IOC_CONSUME and is clamped.
 *
 * Rings, segments, records ------------------------ A ring is a row of segments of segment_bytes.
 * Positions (head, tail) are byte counts that only grow; position modulo the ring's size is the
 * place. A segment opens with struct pitrace_segment, can be decoded on its own, and is closed by a
 * PAD record, which reaches to the segment's end whatever length it states (a remainder of 4 or 8
 * bytes holds only the first word of it, or two). Records are 4-byte aligned, begin with struct
 * pitrace_rec and carry the low half of the time stamp; a HIGH record announces that the high half
 * differs from the segment's or the last HIGH record's. Within a ring time stamps never decrease.
 *
 * Bytes below head are complete: head is published when a segment has been closed, by the outermost
 * writer of a CPU when every writer nested in it (task, interrupt, NMI) has finished.
 *
 * normal mode      a ring that fills stops the session: state STOPPED, stop_cpu and stop_ring say
 *                  which one.
 * continuous mode  the consumer frees segments by PITRACE_IOC_CONSUME; a record without room is
 *                  counted in pitrace_cpu.lost[] and announced by a LOST record at the gap.
 * wrap mode        MTE rings work as in continuous mode. A trace ring has no consumer: its writers
 *                  overwrite the oldest segments, and pitrace_ring.opened says up to where. Only
 *                  what nested writers wrote while they interrupted one that they would overwrite
 *                  is lost, and counted.
 *
 * Barriers            kernel                               user
 *   (A)  write records; smp_wmb; head = h       |  h = head; load-acquire; read records below h
 *   (B)  tail read (ioctl, under its own lock)  |  finish reading; PITRACE_IOC_CONSUME(tail)
 *   (C)  stop_*; smp_wmb; state = STOPPED       |  s = state; load-acquire; read stop_*
 *   (D)  wrap: opened = o; smp_wmb; write the   |  copy a segment; read-acquire fence; o = opened;
 *        segment that ends at o                 |  it is whole if its position >= o - ring's size
 *   (E)  on: heads = 0; smp_wmb; interval = i   |  i = interval; load-acquire; a new one: tails = 0
 *   (F)  ptt: sequence odd; smp_wmb; write;     |  s = sequence; load-acquire; read; fence;
 *        smp_wmb; sequence even                 |  good if s is even and the sequence is still s
 *
 * Compatibility: every struct passed in begins with its size and the version of this interface.
 * A shorter struct than the kernel's is padded with zeros, a longer one is accepted when the excess
 * is zero. Unknown flags and reserved fields that are not zero are refused with EINVAL.
 *
 * Permissions: a caller with CAP_PERFMON may trace everything. Other users who may open the device
 * (group pitrace) may create a session with scope PROCESS for a process of their own that is
 * dumpable and has no capability that they lack. They may record TPROF and what it needs, for user
 * code only; a sample in the kernel has no address. They may also write their own records
 * (PITRACE_IOC_HOOK) and watch the threads of these processes, but not whole CPUs. A descriptor
 * that was passed on works only for a caller who could have opened it.
 *
 * Times are in stamps: TSC cycles or nanoseconds of CLOCK_MONOTONIC, as control.clock says. SYNC
 * records tie stamps to the system's clocks. Pids are those of the initial pid namespace.
 */
#ifndef _UAPI_PITRACE_H
#define _UAPI_PITRACE_H

#include <linux/types.h>
#include <linux/ioctl.h>

#define PITRACE_ABI_VERSION  1
#define PITRACE_DEVICE       "/dev/pitrace"
#define PITRACE_MAX_SESSIONS 8
#define PITRACE_MAX_RATE     20000 /* samples a second */

/* Fails the build if a layout differs from this header. C before C11 has no static assertion. */
#ifdef __cplusplus
#define PITRACE_ASSERT(cond, what) static_assert(cond, what)
#elif defined(__KERNEL__) || (defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L)
#define PITRACE_ASSERT(cond, what) _Static_assert(cond, what)
#else
#define PITRACE_ASSERT(cond, what) extern char pitrace_asserted[(cond) ? 1 : -1]
#endif

/* ---- records ---------------------------------------------------------------------------- */

/* Every record. type_len: low 2 bits the type of the data, the rest the length in bytes, this
 * header included. Layout after the Performance Inspector paper, figure 1. */
struct pitrace_rec {
	__u16 type_len;
	__u16 major;
	__u32 minor;
	__u32 stamp;
};
PITRACE_ASSERT(sizeof(struct pitrace_rec) == 12, "record header");

#define PITRACE_TYPE_MASK   0x0003
#define PITRACE_LEN_MASK    0xFFFC
#define PITRACE_TYPE_U32    0     /* data: 32-bit integers */
#define PITRACE_TYPE_U64    1     /* data: 64-bit integers */
#define PITRACE_TYPE_MIXED  2     /* data: counts, 64-bit integers, strings */
#define PITRACE_TYPE_STRUCT 3     /* data: the struct of this (major, minor), below */
#define PITRACE_MAX_RECORD  16384 /* longest record that the driver writes */

/* Majors. 0x00-0xAF are the original's, 0xB0 and 0xD0-0xFF belong to programs, 0xC0-0xCF are
 * ours. */
enum pitrace_major {
	PITRACE_FAULT = 0x03,     /* page fault: struct pitrace_fault */
	PITRACE_INTERRUPT = 0x04, /* entry and exit: struct pitrace_interrupt */
	PITRACE_SYSCALL = 0x05,   /* struct pitrace_sysenter, struct pitrace_sysexit */
	PITRACE_HIGH = 0x08,      /* high half of the time stamp, in minor; no data */
	PITRACE_TPROF = 0x10,
	PITRACE_SYSINFO = 0x11,
	PITRACE_DISPATCH = 0x12, /* struct pitrace_dispatch */
	PITRACE_MTE = 0x19,
	PITRACE_BRANCH_KERNEL = 0x20, /* struct pitrace_branch */
	PITRACE_BRANCH_USER = 0x21,
	PITRACE_BREAK_KERNEL = 0x28, /* struct pitrace_break_rec */
	PITRACE_BREAK_USER = 0x29,
	PITRACE_ITRACE_SWITCH = 0x2C, /* struct pitrace_itrace_switch */
	PITRACE_ITRACE_START = 0x2E,  /* struct pitrace_itrace_mark */
	PITRACE_ITRACE_STOP = 0x2F,
	PITRACE_LOAD_STORE = 0x31, /* struct pitrace_access */
	PITRACE_HOOKIT = 0xB0,     /* the first of programs: struct pitrace_user */
	PITRACE_PAD = 0xC0,        /* to the end of the segment */
	PITRACE_SYNC = 0xC1,       /* struct pitrace_sync */
	PITRACE_LOST = 0xC2,       /* struct pitrace_lost_rec; minor: enum pitrace_lost */
	PITRACE_CODE = 0xC4,       /* struct pitrace_code */
	PITRACE_WAKEUP = 0xC6,     /* struct pitrace_wakeup */
	PITRACE_NAMED = 0xC8,      /* minor: its number; struct pitrace_user */
	PITRACE_USER_FIRST = 0xD0, /* … to 0xFF: records of programs, struct pitrace_user */
};
#define PITRACE_MAJORS 256

/* Minors of entry and exit of one thing are the same but for this bit. */
#define PITRACE_EXIT 0x80000000u

/* TPROF: minor = kind, optionally | LATE | STACK | event << EVENT_SHIFT. */
#define PITRACE_TPROF_KERNEL 0x20
#define PITRACE_TPROF_USER   0x23
#define PITRACE_TPROF_IDLE   0x40 /* struct pitrace_idle */
#define PITRACE_TPROF_KIND   0xFF
#define PITRACE_TPROF_LATE   0x100 /* the timer was served late: interrupts had been off */
#define PITRACE_TPROF_STACK  0x200 /* struct pitrace_stack follows the sample */
#define PITRACE_TPROF_EVENT_SHIFT \
	16 /* which event overflowed: its number (SYSINFO EVENT) + 1;
					   0: the timer */
struct pitrace_sample {
	__u32 pid;
	__u32 tid;
	__u64 address; /* of the interrupted instruction; 0: not shown to this user */
	__u32 period;  /* timer: ns from the previous tick's due time to this tick's; event: its
				   count since its previous sample */
} __attribute__((packed, aligned(4)));
PITRACE_ASSERT(sizeof(struct pitrace_sample) == 20, "sample");

/*
 * A call stack, at the end of the record that says so. Addresses follow, innermost first:
 * `kernel` of them (the first is the interrupted instruction, when that was in the kernel), then
 * `user` (the first is the user program counter). All but the first of each part are return
 * addresses. With STACK_COPY then `regs` 64-bit registers in DWARF's numbering of this machine,
 * the program counter last, and `bytes` of the user stack from the stack pointer up. The
 * registers are
 * 	x86-64	0-15, pc		i386	0-7, pc
 * 	arm64	0-30, 31 (sp), pc	arm	0-14, pc
 * 	ppc64	0-31, 65 (lr), pc	s390x	0-15, pc	(32-bit code there: the same)
 */
#define PITRACE_STACK_MAX      127  /* addresses of each part */
#define PITRACE_STACK_COPY_MAX 8192 /* bytes */
#define PITRACE_STACK_CUT_K    0x01 /* the kernel part was longer than the session's depth */
#define PITRACE_STACK_CUT_U    0x02
#define PITRACE_STACK_FAULT \
	0x04                      /* user memory not present, or not a frame: the user part or
					   the copy ends early */
#define PITRACE_STACK_NONE_K 0x08 /* this kernel provides no stack here */
#define PITRACE_STACK_NONE_U 0x10 /* the thread has no user code, or it cannot be walked */
#define PITRACE_STACK_COPY   0x20
#define PITRACE_STACK_32BIT  0x40 /* user code is 32-bit: registers in that numbering */
struct pitrace_stack {
	__u16 kernel;
	__u16 user;
	__u16 flags;
	__u16 regs;
	__u32 bytes;
	__u32 reserved;
	/* __u64 addresses[kernel + user], registers[regs]; __u8 copy[bytes] */
} __attribute__((packed, aligned(4)));
PITRACE_ASSERT(sizeof(struct pitrace_stack) == 16, "stack");

/*
 * HOOKIT: minors of samples that a program takes of its own threads. SAMPLE | enum pitrace_sampled,
 * integers: the period (ns; ALLOC: bytes; LOCK: ns that it waited); the number of ticks | addresses
 * of the user's part << 32 | of the kernel's << 48; the addresses, as those of a stack. They belong
 * to the thread that writes the record. From its first CPU sample until SAMPLES_END (of the
 * process) they replace the timer's samples of that thread.
 */
#define PITRACE_HOOKIT_SAMPLE      0x100
#define PITRACE_HOOKIT_SAMPLES_END 0x110
enum pitrace_sampled {
	PITRACE_SAMPLED_CPU = 0,
	PITRACE_SAMPLED_WALL,
	PITRACE_SAMPLED_ALLOC,
	PITRACE_SAMPLED_LOCK,
	PITRACE_SAMPLED_KINDS
};

/* DISPATCH: minor = why the old thread left the CPU, optionally | DISPATCH_STACK. */
#define PITRACE_LEFT_RUNNING \
	0                          /* still runnable: its time slice ended, another thread's turn
					   came, or it yielded */
#define PITRACE_LEFT_PREEMPTED   1 /* preempted in the kernel */
#define PITRACE_LEFT_SLEEP       2 /* interruptible */
#define PITRACE_LEFT_BLOCKED     3 /* uninterruptible (disk) */
#define PITRACE_LEFT_STOPPED     4
#define PITRACE_LEFT_TRACED      5
#define PITRACE_LEFT_DEAD        6
#define PITRACE_LEFT_IDLE        7 /* uninterruptible, not counted as load */
#define PITRACE_LEFT_OTHER       8
#define PITRACE_LEFT_MASK        0xFF
#define PITRACE_DISPATCH_STACK   0x100  /* struct pitrace_stack of the old thread follows */
#define PITRACE_PRIORITY_UNKNOWN 0x7FFF /* unknown to this collector */
struct pitrace_dispatch {
	__u32 old_pid;
	__u32 old_tid; /* 0: idle */
	__u32 new_pid;
	__u32 new_tid;
	__s16 old_priority; /* the kernel's: 0-99 real time, 100-139 normal, -1 deadline */
	__s16 new_priority;
} __attribute__((packed, aligned(4)));
PITRACE_ASSERT(sizeof(struct pitrace_dispatch) == 20, "dispatch");

/* WAKEUP: a thread is about to be made runnable. minor: flags. */
#define PITRACE_WAKE_INTERRUPT 0x1 /* by an interrupt: the waker is the interrupted thread */
#define PITRACE_WAKE_NEW       0x2 /* for the first time */
struct pitrace_wakeup {
	__u32 pid; /* the woken thread */
	__u32 tid;
	__u32 waker_pid;
	__u32 waker_tid;
	__u32 cpu; /* where it slept; it may wake elsewhere */
	__s16 priority;
	__u16 reserved;
} __attribute__((packed, aligned(4)));
PITRACE_ASSERT(sizeof(struct pitrace_wakeup) == 24, "wake-up");

/* INTERRUPT: minor = source, exit | PITRACE_EXIT. They nest: softirqs run at the end of a device's,
 * and another interrupt may come meanwhile. */
enum pitrace_irq_source {
	PITRACE_IRQ_DEVICE = 1, /* number: Linux's irq */
	PITRACE_IRQ_SOFTIRQ,    /* number: the kernel's vector, 0 HI, 1 TIMER … */
	PITRACE_IRQ_TIMER,      /* the CPU's own timer */
	PITRACE_IRQ_RESCHEDULE,
	PITRACE_IRQ_CALL,  /* smp_call_function, many or single */
	PITRACE_IRQ_WORK,  /* irq_work */
	PITRACE_IRQ_IPI,   /* another of the machine's own; number: its code or 0 */
	PITRACE_IRQ_OTHER, /* number: the vector */
};
struct pitrace_interrupt {
	__u32 number; /* the vector or 0, unless the source says otherwise */
	__u32 tid;    /* the interrupted thread, 0 idle */
} __attribute__((packed, aligned(4)));
PITRACE_ASSERT(sizeof(struct pitrace_interrupt) == 8, "interrupt");

/* SYSCALL: minor = number, optionally | COMPAT; exit | PITRACE_EXIT. */
#define PITRACE_SYSCALL_COMPAT 0x40000000u /* a 32-bit program, numbered by that table */
struct pitrace_sysenter {
	__u32 pid;
	__u32 tid;
	__u64 arguments[3]; /* the first three */
} __attribute__((packed, aligned(4)));
PITRACE_ASSERT(sizeof(struct pitrace_sysenter) == 32, "system call entry");
struct pitrace_sysexit {
	__u32 pid;
	__u32 tid;
	__s64 result;
} __attribute__((packed, aligned(4)));
PITRACE_ASSERT(sizeof(struct pitrace_sysexit) == 16, "system call exit");

/* FAULT: minor = the privilege it came from, TPROF_KERNEL or TPROF_USER. */
#define PITRACE_FAULT_WRITE 0x1
#define PITRACE_FAULT_EXEC  0x2
struct pitrace_fault {
	__u32 pid;
	__u32 tid;
	__u32 flags;
	__u32 reserved;
	__u64 ip;
	__u64 address;
} __attribute__((packed, aligned(4)));
PITRACE_ASSERT(sizeof(struct pitrace_fault) == 32, "page fault");

/*
 * Records that programs write (TraceHook): PITRACE_TYPE_MIXED. The kernel fills in the writer (in a
 * hook file, libperfutil does). After the struct: `ints` 64-bit integers, `strs` 32-bit lengths,
 * the strings' bytes one after the other, without NULs.
 */
#define PITRACE_USER_MAX 4096 /* bytes of the whole record */
struct pitrace_user {
	__u32 pid;
	__u32 tid;
	__u32 uid;
	__u32 cpu; /* where it was written */
	__u16 ints;
	__u16 strs;
} __attribute__((packed, aligned(4)));
PITRACE_ASSERT(sizeof(struct pitrace_user) == 20, "user record");

/*
 * Named events. A program numbers its own; before the first record of a number (major NAMED, minor
 * the number) in a session it writes MTE DECLARE: the integer is the number, the strings are the
 * event's name and its fields, "name:type" or "name:type:unit" with commas between. Types are u8 to
 * u64, i8 to i64, hex, ptr, bool, f64, enum (the unit is the values' names, with | between), str.
 * In a NAMED record strings are str fields in their order, integers all others; f64 as a double's
 * bits. A declaration of a number by a process is valid from its time stamp on.
 */
#define PITRACE_NAMED_FIELDS 32   /* at most */
#define PITRACE_NAMED_NAME   64   /* bytes of a name, an event's or a field's, at most */
#define PITRACE_NAMED_TEXT   2048 /* bytes of the fields' text, at most */

/* Ticks that an idle CPU would have had while its timer slept. They are between `since` and the
 * record's time stamp. */
struct pitrace_idle {
	__u32 ticks;
	__u32 reserved;
	__u64 since;
} __attribute__((packed, aligned(4)));
PITRACE_ASSERT(sizeof(struct pitrace_idle) == 16, "idle ticks");

/* One instant on all clocks, nanoseconds. */
enum pitrace_sync_why {
	PITRACE_SYNC_ON = 1,
	PITRACE_SYNC_OFF,
	PITRACE_SYNC_SECOND,
	PITRACE_SYNC_SUSPEND,
	PITRACE_SYNC_RESUME,
	PITRACE_SYNC_CPU_ONLINE,
	PITRACE_SYNC_CPU_OFFLINE,
	PITRACE_SYNC_UNSTABLE, /* the clock turned unstable: stamps from here on are unsure */
};
struct pitrace_sync { /* minor: enum pitrace_sync_why */
	__u32 cpu;
	__u64 stamp;
	__u64 monotonic;
	__u64 boottime;
	__u64 realtime;
} __attribute__((packed, aligned(4)));
PITRACE_ASSERT(sizeof(struct pitrace_sync) == 36, "clock sync");

/* Losses, counted by CPU and kind: kinds index pitrace_cpu.lost[]. */
enum pitrace_lost {
	PITRACE_LOST_MTE = 0,  /* MTE ring full */
	PITRACE_LOST_TPROF,    /* trace ring full: samples */
	PITRACE_LOST_OVERRUN,  /* ticks that fell due before an earlier one was served */
	PITRACE_LOST_OTHER,    /* trace ring full: records of other majors */
	PITRACE_LOST_DISPATCH, /* trace ring full: of these majors */
	PITRACE_LOST_WAKEUP,
	PITRACE_LOST_INTERRUPT,
	PITRACE_LOST_SYSCALL,
	PITRACE_LOST_FAULT,
	PITRACE_LOST_USER,
	PITRACE_LOST_BUDGET,    /* a user's records beyond that user's share of time */
	PITRACE_LOST_THROTTLED, /* samples held back by perf, at least: the event came too
					   often */
	PITRACE_LOST_BRANCH,    /* of ITrace, all its majors */
	PITRACE_LOST_KINDS = 16,
};
struct pitrace_lost_rec {
	__u32 count;
	__u32 uid;   /* BUDGET: user with the losses; else 0 */
	__u64 total; /* of this kind on this CPU, since the session began */
} __attribute__((packed, aligned(4)));
PITRACE_ASSERT(sizeof(struct pitrace_lost_rec) == 16, "lost");

/* MTE: records for symbol resolution. PITRACE_TYPE_STRUCT, except JIT, JAVA_THREAD and DECLARE. */
enum pitrace_mte_minor {
	PITRACE_MTE_MODULE = 0x01,       /* struct pitrace_mte_map: an executable mapping */
	PITRACE_MTE_BUILDID = 0x02,      /* struct pitrace_mte_buildid */
	PITRACE_MTE_NAME = 0x34,         /* struct pitrace_mte_task: tid has this name now */
	PITRACE_MTE_JIT = 0x41,          /* struct pitrace_user: a jitted method */
	PITRACE_MTE_JAVA_THREAD = 0x42,  /* struct pitrace_user: a Java thread's name */
	PITRACE_MTE_DECLARE = 0x43,      /* struct pitrace_user: declares a named event, above */
	PITRACE_MTE_CLONE = 0x63,        /* a process that shares its parent's memory */
	PITRACE_MTE_PROCESS = 0x64,      /* a process with empty memory (exec, walk) */
	PITRACE_MTE_PROCESS_EXIT = 0x65, /* the last thread is exiting */
	PITRACE_MTE_THREAD = 0x66,
	PITRACE_MTE_THREAD_EXIT = 0x67,
	PITRACE_MTE_UNMAP = 0x78,  /* struct pitrace_mte_unmap */
	PITRACE_MTE_UNLOAD = 0x79, /* struct pitrace_mte_map: a kernel module is unloaded */
	PITRACE_MTE_FORK = 0x7A,   /* a process with a copy of its parent's memory */
};

/* JIT: four integers: this kind, address, size, and for MOVE the old address; LOAD also has a
 * string, the name. JAVA_THREAD: a string, the name of the writing thread. ITRACE describes no
 * code: the thread switches its process's instruction trace (ITraceOn and others of libperfutil);
 * its integers are this kind, the call's return address, enum pitrace_itrace_switched, the address
 * of the called function. */
enum pitrace_jit_kind {
	PITRACE_JIT_LOAD = 0,
	PITRACE_JIT_MOVE,
	PITRACE_JIT_UNLOAD,
	PITRACE_JIT_ITRACE,
};
enum pitrace_itrace_switched {
	PITRACE_SWITCHED_OFF = 0, /* is about to be switched off */
	PITRACE_SWITCHED_ON,      /* has been switched on */
	PITRACE_SWITCHED_AGAIN,   /* was already on */
};

/* NAME CLONE PROCESS PROCESS_EXIT THREAD THREAD_EXIT FORK */
#define PITRACE_TASK_WALK     0x1 /* written by the walk of live tasks, not by an event */
#define PITRACE_TASK_KTHREAD  0x2
#define PITRACE_TASK_COMPAT   0x4 /* 32-bit user code */
#define PITRACE_TASK_ANCESTOR 0x8 /* out of scope; written because a descendant is in scope */
struct pitrace_mte_task {
	__u32 pid;
	__u32 tid;
	__u32 ppid;
	__u32 flags;
	__u64 start;  /* of the thread, CLOCK_BOOTTIME ns: tells reuses of a pid apart */
	__u64 cgroup; /* id of the default hierarchy's group, 0 unknown */
	__u32 pidns;  /* inode number of the pid namespace, 0 unknown */
	__u32 reserved;
	char comm[16];
} __attribute__((packed, aligned(4)));
PITRACE_ASSERT(sizeof(struct pitrace_mte_task) == 56, "task");

/* MODULE UNLOAD */
#define PITRACE_MAP_READ    0x1
#define PITRACE_MAP_WRITE   0x2
#define PITRACE_MAP_EXEC    0x4
#define PITRACE_MAP_SHARED  0x8
#define PITRACE_MAP_ANON    0x10  /* no file: path is "//anon", "[heap]", "[stack]" */
#define PITRACE_MAP_VDSO    0x20  /* path is "[vdso]" */
#define PITRACE_MAP_DELETED 0x40  /* the file was already unlinked; path is its last name */
#define PITRACE_MAP_KERNEL  0x80  /* a kernel module; path is its name, pid 0 */
#define PITRACE_MAP_WALK    0x100 /* as PITRACE_TASK_WALK */
#define PITRACE_MAP_SYMBOL \
	0x200 /* KERNEL: code generated by the kernel (a BPF program): path is its symbol's name;
					   UNLOAD: only start and length are valid, others of
					   that name stay */
#define PITRACE_BUILDID_MAX 20
/* C++ allows a flexible array member only as a compiler extension. */
#ifdef __cplusplus
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
#endif
struct pitrace_mte_map {
	__u32 pid;
	__u32 flags;
	__u64 start;
	__u64 length;
	__u64 offset; /* in the file, bytes */
	__u64 inode;
	__u32 dev_major;
	__u32 dev_minor;
	__u32 generation; /* of the inode; in layers also of the layer's file */
	__u32 path_len;   /* bytes of path, without the NUL that follows it */
	char path[];      /* padded with NULs to a multiple of 4 */
} __attribute__((packed, aligned(4)));
#ifdef __cplusplus
#pragma GCC diagnostic pop
#endif
PITRACE_ASSERT(sizeof(struct pitrace_mte_map) == 56, "map");

/* The build id of a mapped file, read a moment after the mapping. */
struct pitrace_mte_buildid {
	__u32 dev_major;
	__u32 dev_minor;
	__u64 inode;
	__u32 generation;
	__u32 length; /* 0: the file has none */
	__u8 id[PITRACE_BUILDID_MAX];
} __attribute__((packed, aligned(4)));
PITRACE_ASSERT(sizeof(struct pitrace_mte_buildid) == 44, "build id");

struct pitrace_mte_unmap {
	__u32 pid;
	__u32 reserved;
	__u64 start;
	__u64 length;
} __attribute__((packed, aligned(4)));
PITRACE_ASSERT(sizeof(struct pitrace_mte_unmap) == 24, "unmap");

/* SYSINFO */
enum pitrace_sysinfo_minor {
	PITRACE_SYSINFO_INTERVAL = 0xB2, /* struct pitrace_interval: tracing is on from here */
	PITRACE_SYSINFO_EVENT = 0xB9,    /* struct pitrace_event_rec: the sampled event */
};
/* The session was already on: the interval is repeated, with all live tasks, for a file that begins
 * here. */
#define PITRACE_INTERVAL_AGAIN 1u
struct pitrace_interval {
	__u32 flags;    /* PITRACE_INTERVAL_* */
	__u64 interval; /* counts the session's switches to on, from 1 */
	__u32 rate;     /* ticks a second */
	__u32 dither;   /* thousandths of a period */
	__u64 seed;
	__u32 cpus_present;
	__u32 cpus_online;
} __attribute__((packed, aligned(4)));
PITRACE_ASSERT(sizeof(struct pitrace_interval) == 36, "interval");

/* SYSINFO_EVENT: describes one event of the session; repeated in every interval. */
#define PITRACE_EVENTS 8 /* a session's, at most */
struct pitrace_event_rec {
	__u32 event;   /* its number, from 0 */
	__u32 flags;   /* PITRACE_EVENT_* */
	__u64 period;  /* counts per sample; EVENT_RATE: samples per second */
	char name[64]; /* as given by the user */
} __attribute__((packed, aligned(4)));
PITRACE_ASSERT(sizeof(struct pitrace_event_rec) == 80, "event");

/* ---- segments --------------------------------------------------------------------------- */

#define PITRACE_SEGMENT_MAGIC 0x47534950u /* "PISG" in a little-endian file */
enum pitrace_ring_kind { PITRACE_RING_MTE = 0, PITRACE_RING_TRACE = 1, PITRACE_RINGS = 2 };
#define PITRACE_STOP_CRASH 2 /* pitrace_control.stop_ring: not a ring */

struct pitrace_segment {
	__u32 magic;
	__u16 size; /* of this header: the first record follows it */
	__u16 ring; /* enum pitrace_ring_kind */
	__u32 session;
	__u32 cpu;
	__u64 sequence; /* of the segment in its ring, from 0 */
	__u64 stamp;    /* whole stamp of the segment's first record */
	__u64 lost;     /* records lost in this ring before this segment */
	__u64 reserved[3];
};
PITRACE_ASSERT(sizeof(struct pitrace_segment) == 64, "segment header");

/* ---- mapped pages ----------------------------------------------------------------------- */

enum pitrace_state {
	PITRACE_STATE_OFF = 0,
	PITRACE_STATE_STARTING, /* hooks are on, live tasks are being written */
	PITRACE_STATE_ON,
	PITRACE_STATE_SUSPENDED,
	PITRACE_STATE_STOPPED, /* a ring filled in normal mode, or STOP_ON_CRASH */
};
enum pitrace_mode { PITRACE_MODE_NORMAL = 0, PITRACE_MODE_CONTINUOUS = 1, PITRACE_MODE_WRAP = 2 };
enum pitrace_clock { PITRACE_CLOCK_AUTO = 0, PITRACE_CLOCK_TSC = 1, PITRACE_CLOCK_MONOTONIC = 2 };

struct pitrace_control {
	__u32 size;
	__u32 version;
	__u32 session; /* id, 1 … */
	__u32 state;   /* enum pitrace_state */
	__u32 ncpus;   /* CPU numbers run from 0 to ncpus - 1; some may be absent */
	__u32 cpu_offset;
	__u32 cpu_stride;
	__u32 segment_bytes;
	__u64 mte_bytes;
	__u64 trace_bytes;
	__u64 data_offset;
	__u64 data_stride;
	__u32 mode;
	__u32 clock;    /* enum pitrace_clock: TSC or MONOTONIC */
	__u64 clock_hz; /* stamps a second */
	__u32 stop_cpu;
	__u32 stop_ring; /* enum pitrace_ring_kind, or PITRACE_STOP_CRASH */
	__u64 interval;  /* counts *on* */
	__u32 rate;
	__u32 dither;
	__u32 stop_pid;      /* STOP_CRASH: the process that died, */
	__u32 stop_signal;   /* … and the signal that killed it */
	__u64 rescans_asked; /* incremented by PITRACE_IOC_RESCAN, */
	__u64 rescans_done;  /* … and here when that walk has finished */
	__u32 serial;        /* unique among all sessions; 0: an older driver */
	__u32 reserved0;
	__u64 reserved[15];
};
PITRACE_ASSERT(sizeof(struct pitrace_control) == 256, "control page");

struct pitrace_ring {
	__u64 head;
	__u64 opened; /* wrap: end of the newest segment that was begun; (D) */
	__u64 reserved[6];
};
struct pitrace_cpu {
	__u32 present; /* this CPU has rings */
	__u32 online;
	__u64 reserved0[7];
	__u64 lost[PITRACE_LOST_KINDS];          /* at 64 */
	struct pitrace_ring ring[PITRACE_RINGS]; /* at 192, 256 */
	__u64 ticks;                             /* samples taken (recorded or lost), at 320 */
	__u64 idle_ticks;
	__u64 late;
	__u64 out_of_scope; /* ticks of the time of tasks outside the session's scope */
	__u64 instructions; /* of ITrace's threads */
	__u64 branches;
	__u64 waits;  /* of these threads, for the consumer; */
	__u64 waited; /* … ns of these waits */
	__u64 taken;  /* threads not traced: another session traces them */
	__u64 reserved1[15];
};
PITRACE_ASSERT(sizeof(struct pitrace_cpu) == 512, "CPU page");

/* ---- ioctls ----------------------------------------------------------------------------- */

/* PITRACE_IOC_INFO, of the device: the capabilities of this driver. */
#define PITRACE_HAVE_FORK    0x01
#define PITRACE_HAVE_EXEC    0x02
#define PITRACE_HAVE_MAP     0x04
#define PITRACE_HAVE_UNMAP   0x08
#define PITRACE_HAVE_REMAP   0x10
#define PITRACE_HAVE_NAME    0x20
#define PITRACE_HAVE_EXIT    0x40
#define PITRACE_HAVE_BUILDID 0x80
#define PITRACE_HAVE_BTF     0x100 /* ITrace stops only at branches, not at each step */
#define PITRACE_HAVE_ITRACE  0x200 /* of user code; for the kernel: BRANCH_KERNEL in majors */
struct pitrace_info {
	__u32 size;
	__u32 version;
	__u32 have;     /* PITRACE_HAVE_*: seen to work by the self-test at load */
	__u32 missing;  /* PITRACE_HAVE_*: tested, but not seen */
	__u32 sessions; /* alive now */
	__u32 clock;    /* the clock that AUTO selects here */
	__u64 clock_hz;
	__u64 majors[4]; /* bitmap of the majors this driver can record here */
	__u32 ptts;      /* alive now */
	__u32 reserved;
};
PITRACE_ASSERT(sizeof(struct pitrace_info) == 72, "info");

enum pitrace_scope { PITRACE_SCOPE_SYSTEM = 0, PITRACE_SCOPE_PROCESS = 1 };

/* SCOPE_PROCESS: the session stops when one of its processes dies from a signal whose default
 * action is a core dump. */
#define PITRACE_SESSION_STOP_ON_CRASH 0x1
struct pitrace_session_args {
	__u32 size;
	__u32 version;
	__u32 flags; /* PITRACE_SESSION_* */
	__u32 mode;
	__u32 scope;
	__s32 pid; /* SCOPE_PROCESS: it and its children, in the caller's namespace */
	__u32 clock;
	__u32 segment_bytes; /* power of two, 32 KB - 1 MB; 0: 64 KB */
	__u64 mte_bytes;     /* a CPU; rounded up to a power of two; 0: 2 MB */
	__u64 trace_bytes;   /* a CPU; likewise; 0: 4 MB */
	__u64 reserved[2];
};
PITRACE_ASSERT(sizeof(struct pitrace_session_args) == 64, "session arguments");

/* PITRACE_IOC_SETUP, of a session. Settings that may change only while off fail with EBUSY while
 * on. All calls fail with EPERM if the caller has neither CAP_PERFMON nor the credentials of the
 * member who made the session. */
struct pitrace_setup_args {
	__u32 size;
	__u32 version;
	__u32 rate;   /* ticks a second, 1 - PITRACE_MAX_RATE; 0: unchanged */
	__u32 dither; /* thousandths of a period, 0 - 100 */
	__u64 seed;
	__u64 majors[PITRACE_MAJORS / 64]; /* bitmap of majors to record; MTE always is */
	__u32 stacks;                      /* PITRACE_WANT_* */
	__u16 depth; /* addresses of each part, 1 - PITRACE_STACK_MAX; 0: the maximum */
	__u16 copy;  /* bytes of user stack for WANT_COPY, a multiple of 8 */
};
PITRACE_ASSERT(sizeof(struct pitrace_setup_args) == 64, "setup arguments");

/* Call stacks with samples; DISPATCH: with dispatch records too. */
#define PITRACE_WANT_KERNEL   0x1
#define PITRACE_WANT_USER     0x2 /* by frame pointers */
#define PITRACE_WANT_COPY     0x4 /* registers and `copy` bytes of the stack, unwound later */
#define PITRACE_WANT_DISPATCH 0x8

/* Samples each time an event was counted `period` times, on every CPU; can be set only while off.
 * An event is one of perf_event_open(2): type and config. Events replace the timer: it samples only
 * if there are none. */
#define PITRACE_EVENT_RATE   0x1 /* period is samples a second, up to PITRACE_MAX_RATE */
#define PITRACE_EVENT_USER   0x2 /* count user code only */
#define PITRACE_EVENT_KERNEL 0x4 /* count the kernel only */
#define PITRACE_EVENT_CLEAR  0x8 /* first removes all events that were set; NONE adds no other */
#define PITRACE_EVENT_NONE   0xFFFFFFFFu
struct pitrace_event_args {
	__u32 size;
	__u32 version;
	__u32 flags;
	__u32 type;
	__u64 config, config1, config2;
	__u64 period;
	char name[64]; /* ends with a NUL */
};
PITRACE_ASSERT(sizeof(struct pitrace_event_args) == 112, "event arguments");

/*
 * PITRACE_IOC_HOOK, of a hook descriptor: writes one record into every session that is on, records
 * this major and has the caller in its scope. ENODATA: no session matches. ENOBUFS: it was counted
 * as lost (BUDGET: this user has used up its share of this CPU's time, module parameter
 * user_budget; USER: user records fill at most half of a ring, so that they neither stop a session
 * nor push out its samples).
 */
struct pitrace_hook_args {
	__u32 size;
	__u32 version;
	__u32 major; /* 0xB0, 0xC8, 0xD0 - 0xFF; MTE with minor 0x41 to 0x43 */
	__u32 minor;
	__u32 ints;
	__u32 strs;
	__u64 values;  /* address of __u64[ints] */
	__u64 lengths; /* address of __u32[strs] */
	__u64 strings; /* address of the bytes of all of them, one after the other */
	__u64 except;  /* serial of a session that already has the record; 0: none */
};
PITRACE_ASSERT(sizeof(struct pitrace_hook_args) == 56, "hook arguments");

/* mmap of a hook descriptor, offset 0, read-only: a program that finds no bit set needs no ioctl. A
 * bit means that some session may record this major; for MTE, that any session is on. */
struct pitrace_hook_page {
	__u32 size;
	__u32 version;
	__u64 majors[PITRACE_MAJORS / 64];
	__u32 begun; /* changes when a session begins or walks its tasks: declare again */
	__u32 reserved;
	/* Indexed by PITRACE_SERIAL_PLACE of a session that is on: the majors that all other
	 * sessions may record. In the last word PITRACE_SERIAL_MASK has that session's serial; 0:
	 * none is on there. So one comparison shows that this session is on and that no other one
	 * records the major. */
	__u64 others[PITRACE_MAX_SESSIONS][PITRACE_MAJORS / 64];
};
PITRACE_ASSERT(sizeof(struct pitrace_hook_page) == 48 + 32 * PITRACE_MAX_SESSIONS, "hook page");
#define PITRACE_SERIAL_PLACE(serial) ((serial) % PITRACE_MAX_SESSIONS)
#define PITRACE_SERIAL_MASK          0xFEFFu /* majors that programs cannot write */
PITRACE_ASSERT(!(PITRACE_SERIAL_MASK & 1u << PITRACE_NAMED % 64), "a serial beside the majors");

/*
 * The holder of a session may instead take records from files that its programs write (no system
 * call per record). PITRACE_IOC_HOOK_FILE, of a hook descriptor, queries the session of this
 * serial: 0: the caller is in its scope, and its ids are those that the driver records; EPERM: it
 * is not; ENODATA: no session with this serial is on. PITRACE_IOC_HAS, of a session, queries
 * whether a process, which may just have ended, is or was in its scope: ESRCH: no. Both work only
 * in the initial pid namespace; elsewhere EPERM.
 */

struct pitrace_consume_args {
	__u32 cpu;
	__u32 ring;
	__u64 position;
};
PITRACE_ASSERT(sizeof(struct pitrace_consume_args) == 16, "consume arguments");

#include "pitrace_itrace.h"
#include "pitrace_ptt.h"

/* Flush closes the open segments (bit 0: MTE, bit 1: trace), so that all records so far are in
 * whole segments. Rescan writes all live tasks again (after MTE records were lost). */
#define PITRACE_FLUSH_MTE   0x1
#define PITRACE_FLUSH_TRACE 0x2

#define PITRACE_IOC_MAGIC           0xB5
#define PITRACE_IOC_INFO            _IOR(PITRACE_IOC_MAGIC, 0x00, struct pitrace_info)
#define PITRACE_IOC_SESSION         _IOW(PITRACE_IOC_MAGIC, 0x01, struct pitrace_session_args)
#define PITRACE_IOC_HOOK_OPEN       _IO(PITRACE_IOC_MAGIC, 0x02) /* returns a hook descriptor */
#define PITRACE_IOC_PTT             _IOWR(PITRACE_IOC_MAGIC, 0x03, struct pitrace_ptt_args)
#define PITRACE_IOC_SETUP           _IOW(PITRACE_IOC_MAGIC, 0x10, struct pitrace_setup_args)
#define PITRACE_IOC_ON              _IO(PITRACE_IOC_MAGIC, 0x11)
#define PITRACE_IOC_OFF             _IO(PITRACE_IOC_MAGIC, 0x12)
#define PITRACE_IOC_SUSPEND         _IO(PITRACE_IOC_MAGIC, 0x13)
#define PITRACE_IOC_RESUME          _IO(PITRACE_IOC_MAGIC, 0x14)
#define PITRACE_IOC_CONSUME         _IOW(PITRACE_IOC_MAGIC, 0x15, struct pitrace_consume_args)
#define PITRACE_IOC_FLUSH           _IOW(PITRACE_IOC_MAGIC, 0x16, __u32)
#define PITRACE_IOC_RESCAN          _IO(PITRACE_IOC_MAGIC, 0x17)
#define PITRACE_IOC_EVENT           _IOW(PITRACE_IOC_MAGIC, 0x18, struct pitrace_event_args)
#define PITRACE_IOC_ITRACE          _IOW(PITRACE_IOC_MAGIC, 0x19, struct pitrace_itrace_args)
#define PITRACE_IOC_HAS             _IOW(PITRACE_IOC_MAGIC, 0x1A, __s32) /* a process */
#define PITRACE_IOC_HOOK            _IOW(PITRACE_IOC_MAGIC, 0x20, struct pitrace_hook_args)
#define PITRACE_IOC_HOOK_FILE       _IOW(PITRACE_IOC_MAGIC, 0x21, __u32) /* a serial */
#define PITRACE_IOC_PTT_ADD         _IOW(PITRACE_IOC_MAGIC, 0x30, struct pitrace_ptt_thread_args)
#define PITRACE_IOC_PTT_REMOVE      _IOW(PITRACE_IOC_MAGIC, 0x31, struct pitrace_ptt_thread_args)
#define PITRACE_IOC_PTT_CHARGE      _IOW(PITRACE_IOC_MAGIC, 0x32, __u32)
#define PITRACE_IOC_PTT_UPDATE      _IO(PITRACE_IOC_MAGIC, 0x33) /* brings all values up to date */
#define PITRACE_IOC_PTT_STOP        _IO(PITRACE_IOC_MAGIC, 0x34) /* permanently; values stay */
#define PITRACE_IOC_PTT_UPDATE_HERE _IO(PITRACE_IOC_MAGIC, 0x35) /* of this CPU only */

#endif /* _UAPI_PITRACE_H */
