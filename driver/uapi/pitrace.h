/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * The interface between pitrace.ko and user space: the only description of it.
 *
 * How a trace is made
 * -------------------
 * /dev/pitrace gives out typed descriptors. PITRACE_IOC_SESSION returns a *session*: a scope (the
 * whole system or a process with its children), a set of enabled majors and, for each CPU, two
 * rings: one for MTE records (what names need: processes, threads, mappings, clock syncs) and one
 * for all others. The session ends when its descriptor and every mapping of it are closed.
 *
 * mmap of the session: offset 0 holds struct pitrace_control; struct pitrace_cpu of CPU c stands at
 * cpu_offset + c * cpu_stride. Offsets and strides are read from the control page, never computed
 * by sizeof. The rings of CPU c begin at data_offset + c * data_stride: first MTE, then trace.
 * All pages are read-only to user space. Nothing that user space writes is read by the kernel but
 * the arguments of ioctls; the consumed position travels in PITRACE_IOC_CONSUME and is clamped.
 *
 * Rings, segments, records
 * ------------------------
 * A ring is a row of segments of segment_bytes. Positions (head, tail) are byte counts that only
 * grow; position modulo the ring's size is the place. A segment opens with struct pitrace_segment,
 * decodes alone, and is closed by a PAD record, which reaches to the segment's end whatever length
 * it states (a remainder of 4 or 8 bytes holds only the first word of it, or two). Records are
 * 4-byte aligned, begin with struct pitrace_rec and carry the low half of the time stamp; a HIGH
 * record announces that the high half differs from the segment's or the last HIGH record's.
 * Within a ring time stamps never decrease.
 *
 * Bytes below head are complete: head is published by the outermost writer of a CPU when every
 * writer nested in it (task, interrupt, NMI) has finished.
 *
 * normal mode      a ring that fills stops the session: state STOPPED, stop_cpu and stop_ring say
 *                  which one.
 * continuous mode  the consumer frees segments by PITRACE_IOC_CONSUME; what finds no room is
 *                  counted in pitrace_cpu.lost[] and announced by a LOST record at the gap.
 * wrap mode        is reserved.
 *
 * Barriers            kernel                               user
 *   (A)  write records; smp_wmb; head = h       |  h = head; load-acquire; read records below h
 *   (B)  tail read (ioctl, under its own lock)  |  finish reading; PITRACE_IOC_CONSUME(tail)
 *   (C)  stop_*; smp_wmb; state = STOPPED       |  s = state; load-acquire; read stop_*
 *
 * Compatibility: every struct passed in begins with its size and the version of this interface.
 * A shorter struct than the kernel's is padded with zeros, a longer one is accepted when the excess
 * is zero. Unknown flags and reserved fields that are not zero are refused with EINVAL.
 *
 * Times are in stamps: TSC cycles or nanoseconds of CLOCK_MONOTONIC, as control.clock says. SYNC
 * records tie stamps to the system's clocks. Pids are those of the initial pid namespace.
 */
#ifndef _UAPI_PITRACE_H
#define _UAPI_PITRACE_H

#include <linux/types.h>
#include <linux/ioctl.h>

#define PITRACE_ABI_VERSION	1
#define PITRACE_DEVICE		"/dev/pitrace"
#define PITRACE_MAX_SESSIONS	8

/* Refuse a layout that differs from what this header promises. */
#ifdef __cplusplus
#define PITRACE_ASSERT(cond, what) static_assert(cond, what)
#else
#define PITRACE_ASSERT(cond, what) _Static_assert(cond, what)
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

#define PITRACE_TYPE_MASK	0x0003
#define PITRACE_LEN_MASK	0xFFFC
#define PITRACE_TYPE_U32	0	/* data: 32-bit integers */
#define PITRACE_TYPE_U64	1	/* data: 64-bit integers */
#define PITRACE_TYPE_MIXED	2	/* data: counts, 64-bit integers, strings */
#define PITRACE_TYPE_STRUCT	3	/* data: the struct of this (major, minor), below */
#define PITRACE_MAX_RECORD	16384	/* longest record that the driver writes */

/* Majors. 0x00-0xAF are the original's, 0xB0 and 0xD0-0xFF are the users', 0xC0-0xCF are ours. */
enum pitrace_major {
	PITRACE_HIGH		= 0x08,	/* high half of the time stamp, in minor; no data */
	PITRACE_TPROF		= 0x10,
	PITRACE_SYSINFO		= 0x11,
	PITRACE_MTE		= 0x19,
	PITRACE_PAD		= 0xC0,	/* to the end of the segment */
	PITRACE_SYNC		= 0xC1,	/* struct pitrace_sync */
	PITRACE_LOST		= 0xC2,	/* struct pitrace_lost_rec; minor: enum pitrace_lost */
};
#define PITRACE_MAJORS		256

/* TPROF: minor = kind, perhaps | LATE. */
#define PITRACE_TPROF_KERNEL	0x20
#define PITRACE_TPROF_USER	0x23
#define PITRACE_TPROF_IDLE	0x40	/* struct pitrace_idle */
#define PITRACE_TPROF_KIND	0xFF
#define PITRACE_TPROF_LATE	0x100	/* the timer was served late: interrupts had been off */

struct pitrace_sample {
	__u32 pid;
	__u32 tid;
	__u64 address;		/* of the interrupted instruction */
	__u32 period;		/* ns between this tick's due time and the one before it */
} __attribute__((packed, aligned(4)));
PITRACE_ASSERT(sizeof(struct pitrace_sample) == 20, "sample");

/* Ticks that an idle CPU would have had while its timer slept. They lie between `since` and the
 * record's stamp. */
struct pitrace_idle {
	__u32 ticks;
	__u32 reserved;
	__u64 since;
} __attribute__((packed, aligned(4)));
PITRACE_ASSERT(sizeof(struct pitrace_idle) == 16, "idle ticks");

/* One instant on all clocks, nanoseconds. */
enum pitrace_sync_why {
	PITRACE_SYNC_ON = 1, PITRACE_SYNC_OFF, PITRACE_SYNC_SECOND, PITRACE_SYNC_SUSPEND,
	PITRACE_SYNC_RESUME, PITRACE_SYNC_CPU_ONLINE, PITRACE_SYNC_CPU_OFFLINE,
	PITRACE_SYNC_UNSTABLE,	/* the clock turned unstable: stamps from here on are unsure */
};
struct pitrace_sync {		/* minor: enum pitrace_sync_why */
	__u32 cpu;
	__u64 stamp;
	__u64 monotonic;
	__u64 boottime;
	__u64 realtime;
} __attribute__((packed, aligned(4)));
PITRACE_ASSERT(sizeof(struct pitrace_sync) == 36, "clock sync");

/* What was lost, counted by CPU and kind: kinds index pitrace_cpu.lost[]. */
enum pitrace_lost {
	PITRACE_LOST_MTE = 0,		/* MTE ring full */
	PITRACE_LOST_TPROF,		/* trace ring full: samples */
	PITRACE_LOST_OVERRUN,		/* ticks that fell due before an earlier one was served */
	PITRACE_LOST_OTHER,		/* trace ring full: records of other majors */
	PITRACE_LOST_KINDS = 16,
};
struct pitrace_lost_rec {
	__u32 count;
	__u32 reserved;
	__u64 total;			/* of this kind on this CPU, since the session began */
} __attribute__((packed, aligned(4)));
PITRACE_ASSERT(sizeof(struct pitrace_lost_rec) == 16, "lost");

/* MTE: what names need. All are PITRACE_TYPE_STRUCT. */
enum pitrace_mte_minor {
	PITRACE_MTE_MODULE		= 0x01,	/* struct pitrace_mte_map: an executable mapping */
	PITRACE_MTE_BUILDID		= 0x02,	/* struct pitrace_mte_buildid */
	PITRACE_MTE_NAME		= 0x34,	/* struct pitrace_mte_task: tid has this name now */
	PITRACE_MTE_CLONE		= 0x63,	/* a process that shares its parent's memory */
	PITRACE_MTE_PROCESS		= 0x64,	/* a process with empty memory (exec, walk) */
	PITRACE_MTE_PROCESS_EXIT	= 0x65,	/* the last thread is exiting */
	PITRACE_MTE_THREAD		= 0x66,
	PITRACE_MTE_THREAD_EXIT		= 0x67,
	PITRACE_MTE_UNMAP		= 0x78,	/* struct pitrace_mte_unmap */
	PITRACE_MTE_UNLOAD		= 0x79,	/* struct pitrace_mte_map: a kernel module goes */
	PITRACE_MTE_FORK		= 0x7A,	/* a process with a copy of its parent's memory */
};

/* NAME CLONE PROCESS PROCESS_EXIT THREAD THREAD_EXIT FORK */
#define PITRACE_TASK_WALK	0x1	/* written by the walk of live tasks, not by an event */
#define PITRACE_TASK_KTHREAD	0x2
#define PITRACE_TASK_COMPAT	0x4	/* 32-bit user code */
#define PITRACE_TASK_ANCESTOR	0x8	/* out of scope; written because a descendant is in it */
struct pitrace_mte_task {
	__u32 pid;
	__u32 tid;
	__u32 ppid;
	__u32 flags;
	__u64 start;		/* of the thread, CLOCK_BOOTTIME ns: tells users of a pid apart */
	__u64 cgroup;		/* id of the default hierarchy's group, 0 unknown */
	__u32 pidns;		/* inode number of the pid namespace, 0 unknown */
	__u32 reserved;
	char  comm[16];
} __attribute__((packed, aligned(4)));
PITRACE_ASSERT(sizeof(struct pitrace_mte_task) == 56, "task");

/* MODULE UNLOAD */
#define PITRACE_MAP_READ	0x1
#define PITRACE_MAP_WRITE	0x2
#define PITRACE_MAP_EXEC	0x4
#define PITRACE_MAP_SHARED	0x8
#define PITRACE_MAP_ANON	0x10	/* no file: path is "//anon", "[heap]", "[stack]" */
#define PITRACE_MAP_VDSO	0x20	/* path is "[vdso]" */
#define PITRACE_MAP_DELETED	0x40	/* the file had no name any more; path is its last one */
#define PITRACE_MAP_KERNEL	0x80	/* a kernel module; path is its name, pid 0 */
#define PITRACE_MAP_WALK	0x100	/* as PITRACE_TASK_WALK */
#define PITRACE_BUILDID_MAX	20
struct pitrace_mte_map {
	__u32 pid;
	__u32 flags;
	__u64 start;
	__u64 length;
	__u64 offset;		/* in the file, bytes */
	__u64 inode;
	__u32 dev_major;
	__u32 dev_minor;
	__u32 generation;	/* of the inode */
	__u32 path_len;		/* bytes of path, without the NUL that follows it */
	char  path[];		/* padded with NULs to a multiple of 4 */
} __attribute__((packed, aligned(4)));
PITRACE_ASSERT(sizeof(struct pitrace_mte_map) == 56, "map");

/* The build id of a file that was mapped, found a moment after the mapping. */
struct pitrace_mte_buildid {
	__u32 dev_major;
	__u32 dev_minor;
	__u64 inode;
	__u32 generation;
	__u32 length;		/* 0: the file has none */
	__u8  id[PITRACE_BUILDID_MAX];
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
};
struct pitrace_interval {
	__u32 reserved;
	__u64 interval;		/* counts *on* within the session, from 1 */
	__u32 rate;		/* ticks a second */
	__u32 dither;		/* thousandths of a period */
	__u64 seed;
	__u32 cpus_present;
	__u32 cpus_online;
} __attribute__((packed, aligned(4)));
PITRACE_ASSERT(sizeof(struct pitrace_interval) == 36, "interval");

/* ---- segments --------------------------------------------------------------------------- */

#define PITRACE_SEGMENT_MAGIC	0x47534950u	/* "PISG" in a little-endian file */
enum pitrace_ring_kind { PITRACE_RING_MTE = 0, PITRACE_RING_TRACE = 1, PITRACE_RINGS = 2 };

struct pitrace_segment {
	__u32 magic;
	__u16 size;		/* of this header: the first record stands here */
	__u16 ring;		/* enum pitrace_ring_kind */
	__u32 session;
	__u32 cpu;
	__u64 sequence;		/* of the segment in its ring, from 0 */
	__u64 stamp;		/* whole stamp of the segment's first record */
	__u64 lost;		/* records lost in this ring before this segment */
	__u64 reserved[3];
};
PITRACE_ASSERT(sizeof(struct pitrace_segment) == 64, "segment header");

/* ---- mapped pages ----------------------------------------------------------------------- */

enum pitrace_state {
	PITRACE_STATE_OFF = 0,
	PITRACE_STATE_STARTING,		/* hooks are on, live tasks are being written */
	PITRACE_STATE_ON,
	PITRACE_STATE_SUSPENDED,
	PITRACE_STATE_STOPPED,		/* a ring filled in normal mode */
};
enum pitrace_mode { PITRACE_MODE_NORMAL = 0, PITRACE_MODE_CONTINUOUS = 1, PITRACE_MODE_WRAP = 2 };
enum pitrace_clock { PITRACE_CLOCK_AUTO = 0, PITRACE_CLOCK_TSC = 1, PITRACE_CLOCK_MONOTONIC = 2 };

struct pitrace_control {
	__u32 size;
	__u32 version;
	__u32 session;		/* id, 1 … */
	__u32 state;		/* enum pitrace_state */
	__u32 ncpus;		/* CPU numbers run from 0 to ncpus - 1; some may be absent */
	__u32 cpu_offset;
	__u32 cpu_stride;
	__u32 segment_bytes;
	__u64 mte_bytes;
	__u64 trace_bytes;
	__u64 data_offset;
	__u64 data_stride;
	__u32 mode;
	__u32 clock;		/* enum pitrace_clock: TSC or MONOTONIC */
	__u64 clock_hz;		/* stamps a second */
	__u32 stop_cpu;
	__u32 stop_ring;
	__u64 interval;		/* counts *on* */
	__u32 rate;
	__u32 dither;
	__u64 reserved[19];
};
PITRACE_ASSERT(sizeof(struct pitrace_control) == 256, "control page");

struct pitrace_ring {
	__u64 head;
	__u64 reserved[7];
};
struct pitrace_cpu {
	__u32 present;		/* it has rings */
	__u32 online;
	__u64 reserved0[7];
	__u64 lost[PITRACE_LOST_KINDS];		/* at 64 */
	struct pitrace_ring ring[PITRACE_RINGS];	/* at 192, 256 */
	__u64 ticks;		/* samples taken (recorded or lost), at 320 */
	__u64 idle_ticks;
	__u64 late;
	__u64 out_of_scope;	/* ticks that fell on tasks outside the session's scope */
	__u64 reserved1[20];
};
PITRACE_ASSERT(sizeof(struct pitrace_cpu) == 512, "CPU page");

/* ---- ioctls ----------------------------------------------------------------------------- */

/* Of the device: what this driver can do. */
#define PITRACE_HAVE_FORK	0x01
#define PITRACE_HAVE_EXEC	0x02
#define PITRACE_HAVE_MAP	0x04
#define PITRACE_HAVE_UNMAP	0x08
#define PITRACE_HAVE_REMAP	0x10
#define PITRACE_HAVE_NAME	0x20
#define PITRACE_HAVE_EXIT	0x40
#define PITRACE_HAVE_BUILDID	0x80
struct pitrace_info {
	__u32 size;
	__u32 version;
	__u32 have;		/* PITRACE_HAVE_*: seen to work by the self-test at load */
	__u32 missing;		/* PITRACE_HAVE_*: tried, not seen */
	__u32 sessions;		/* alive now */
	__u32 clock;		/* what AUTO means here */
	__u64 clock_hz;
	__u64 reserved[4];
};
PITRACE_ASSERT(sizeof(struct pitrace_info) == 64, "info");

enum pitrace_scope { PITRACE_SCOPE_SYSTEM = 0, PITRACE_SCOPE_PROCESS = 1 };
struct pitrace_session_args {
	__u32 size;
	__u32 version;
	__u32 flags;		/* none yet */
	__u32 mode;
	__u32 scope;
	__s32 pid;		/* SCOPE_PROCESS: it and its children, in the caller's namespace */
	__u32 clock;
	__u32 segment_bytes;	/* power of two, 32 KB - 1 MB; 0: 64 KB */
	__u64 mte_bytes;	/* a CPU; rounded up to a power of two; 0: 2 MB */
	__u64 trace_bytes;	/* a CPU; likewise; 0: 4 MB */
	__u64 reserved[2];
};
PITRACE_ASSERT(sizeof(struct pitrace_session_args) == 64, "session arguments");

/* Of a session. What may change only while off answers EBUSY while on. */
struct pitrace_setup_args {
	__u32 size;
	__u32 version;
	__u32 rate;		/* ticks a second, 1 - 20000; 0: leave */
	__u32 dither;		/* thousandths of a period, 0 - 100 */
	__u64 seed;
	__u64 majors[PITRACE_MAJORS / 64];	/* bitmap of what to record; MTE always is */
};
PITRACE_ASSERT(sizeof(struct pitrace_setup_args) == 56, "setup arguments");

struct pitrace_consume_args {
	__u32 cpu;
	__u32 ring;
	__u64 position;
};
PITRACE_ASSERT(sizeof(struct pitrace_consume_args) == 16, "consume arguments");

/* Flush closes the open segments (bit 0: MTE, bit 1: trace), so that all that was written stands
 * in whole segments. Rescan writes all live tasks again (after MTE records were lost). */
#define PITRACE_FLUSH_MTE	0x1
#define PITRACE_FLUSH_TRACE	0x2

#define PITRACE_IOC_MAGIC	0xB5
#define PITRACE_IOC_INFO	_IOR(PITRACE_IOC_MAGIC, 0x00, struct pitrace_info)
#define PITRACE_IOC_SESSION	_IOW(PITRACE_IOC_MAGIC, 0x01, struct pitrace_session_args)
#define PITRACE_IOC_SETUP	_IOW(PITRACE_IOC_MAGIC, 0x10, struct pitrace_setup_args)
#define PITRACE_IOC_ON		_IO(PITRACE_IOC_MAGIC, 0x11)
#define PITRACE_IOC_OFF		_IO(PITRACE_IOC_MAGIC, 0x12)
#define PITRACE_IOC_SUSPEND	_IO(PITRACE_IOC_MAGIC, 0x13)
#define PITRACE_IOC_RESUME	_IO(PITRACE_IOC_MAGIC, 0x14)
#define PITRACE_IOC_CONSUME	_IOW(PITRACE_IOC_MAGIC, 0x15, struct pitrace_consume_args)
#define PITRACE_IOC_FLUSH	_IOW(PITRACE_IOC_MAGIC, 0x16, __u32)
#define PITRACE_IOC_RESCAN	_IO(PITRACE_IOC_MAGIC, 0x17)

#endif /* _UAPI_PITRACE_H */
