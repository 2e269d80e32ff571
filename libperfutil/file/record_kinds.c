/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The table of records. To add one, define its number and struct in pitrace.h, and here its fields,
 * its kinds and a line in the list of majors.
 */
#include "file/record_kinds.h"

#include <stddef.h>

#define WIDTH(t, field) sizeof(((struct t *)0)->field)
#define NAMED(t, field, as, kind)                                   \
	{                                                           \
		.name = as, .type = kind, .width = WIDTH(t, field), \
		.offset = offsetof(struct t, field)                 \
	}
#define F(t, field, kind) NAMED(t, field, #field, kind)
/* Not an integer: from the minor, or after the struct. */
#define AT(as, kind, where)                               \
	{                                                 \
		.name = as, .type = kind, .offset = where \
	}
#define END                       \
	{                         \
		.type = FIELD_END \
	}

static const struct field sample[] = {
	F(pitrace_sample, pid, FIELD_ID),
	F(pitrace_sample, tid, FIELD_ID),
	F(pitrace_sample, address, FIELD_HEX64),
	F(pitrace_sample, period, FIELD_U32),
	AT("stack", FIELD_STACK, sizeof(struct pitrace_sample)),
	END,
};
static const struct field dispatch[] = {
	F(pitrace_dispatch, old_pid, FIELD_ID),
	F(pitrace_dispatch, old_tid, FIELD_ID),
	F(pitrace_dispatch, new_pid, FIELD_ID),
	F(pitrace_dispatch, new_tid, FIELD_ID),
	F(pitrace_dispatch, old_priority, FIELD_S16),
	F(pitrace_dispatch, new_priority, FIELD_S16),
	AT("stack", FIELD_STACK, sizeof(struct pitrace_dispatch)),
	END,
};
static const struct field wakeup[] = {
	F(pitrace_wakeup, pid, FIELD_ID),
	F(pitrace_wakeup, tid, FIELD_ID),
	F(pitrace_wakeup, waker_pid, FIELD_ID),
	F(pitrace_wakeup, waker_tid, FIELD_ID),
	NAMED(pitrace_wakeup, cpu, "on_cpu", FIELD_U32),
	F(pitrace_wakeup, priority, FIELD_S16),
	F(pitrace_wakeup, reserved, FIELD_HIDDEN),
	END,
};
static const struct field interrupt[] = {
	F(pitrace_interrupt, number, FIELD_U32),
	F(pitrace_interrupt, tid, FIELD_ID),
	END,
};
static const struct field sysenter[] = {
	AT("number", FIELD_CALL, 0),
	F(pitrace_sysenter, pid, FIELD_ID),
	F(pitrace_sysenter, tid, FIELD_ID),
	NAMED(pitrace_sysenter, arguments[0], "argument0", FIELD_HEX64),
	NAMED(pitrace_sysenter, arguments[1], "argument1", FIELD_HEX64),
	NAMED(pitrace_sysenter, arguments[2], "argument2", FIELD_HEX64),
	END,
};
static const struct field sysexit[] = {
	AT("number", FIELD_CALL, 0),
	F(pitrace_sysexit, pid, FIELD_ID),
	F(pitrace_sysexit, tid, FIELD_ID),
	F(pitrace_sysexit, result, FIELD_S64),
	END,
};
static const struct field fault[] = {
	F(pitrace_fault, pid, FIELD_ID),
	F(pitrace_fault, tid, FIELD_ID),
	F(pitrace_fault, flags, FIELD_FLAGS_FAULT),
	F(pitrace_fault, reserved, FIELD_HIDDEN),
	F(pitrace_fault, ip, FIELD_HEX64),
	F(pitrace_fault, address, FIELD_HEX64),
	END,
};
static const struct field idle[] = {
	F(pitrace_idle, ticks, FIELD_U32),
	F(pitrace_idle, reserved, FIELD_HIDDEN),
	F(pitrace_idle, since, FIELD_U64),
	END,
};
static const struct field sync[] = {
	F(pitrace_sync, cpu, FIELD_HIDDEN),    F(pitrace_sync, stamp, FIELD_HIDDEN),
	F(pitrace_sync, monotonic, FIELD_U64), F(pitrace_sync, boottime, FIELD_U64),
	F(pitrace_sync, realtime, FIELD_U64),  END,
};
static const struct field lost[] = {
	F(pitrace_lost_rec, count, FIELD_U32),
	F(pitrace_lost_rec, total, FIELD_U64),
	F(pitrace_lost_rec, uid, FIELD_U32),
	END,
};
static const struct field task[] = {
	F(pitrace_mte_task, pid, FIELD_ID),    F(pitrace_mte_task, tid, FIELD_ID),
	F(pitrace_mte_task, ppid, FIELD_ID),   F(pitrace_mte_task, flags, FIELD_FLAGS_TASK),
	F(pitrace_mte_task, start, FIELD_U64), F(pitrace_mte_task, cgroup, FIELD_U64),
	F(pitrace_mte_task, pidns, FIELD_U32), F(pitrace_mte_task, reserved, FIELD_HIDDEN),
	F(pitrace_mte_task, comm, FIELD_COMM), END,
};
static const struct field cgroup[] = {
	F(mte_cgroup, pid, FIELD_ID),
	F(mte_cgroup, path_len, FIELD_HIDDEN),
	F(mte_cgroup, id, FIELD_U64),
	AT("path", FIELD_PATH, offsetof(struct mte_cgroup, path)),
	END,
};
static const struct field map[] = {
	F(pitrace_mte_map, pid, FIELD_ID),
	F(pitrace_mte_map, flags, FIELD_FLAGS_MAP),
	F(pitrace_mte_map, start, FIELD_HEX64),
	F(pitrace_mte_map, length, FIELD_HEX64),
	F(pitrace_mte_map, offset, FIELD_HEX64),
	F(pitrace_mte_map, dev_major, FIELD_U32),
	F(pitrace_mte_map, dev_minor, FIELD_U32),
	F(pitrace_mte_map, inode, FIELD_U64),
	F(pitrace_mte_map, generation, FIELD_U32),
	F(pitrace_mte_map, path_len, FIELD_HIDDEN),
	AT("path", FIELD_PATH, offsetof(struct pitrace_mte_map, path)),
	END,
};
static const struct field buildid[] = {
	F(pitrace_mte_buildid, dev_major, FIELD_U32),
	F(pitrace_mte_buildid, dev_minor, FIELD_U32),
	F(pitrace_mte_buildid, inode, FIELD_U64),
	F(pitrace_mte_buildid, generation, FIELD_U32),
	F(pitrace_mte_buildid, length, FIELD_U32),
	F(pitrace_mte_buildid, id, FIELD_BYTES),
	END,
};
static const struct field unmap[] = {
	F(pitrace_mte_unmap, pid, FIELD_ID),
	F(pitrace_mte_unmap, reserved, FIELD_HIDDEN),
	F(pitrace_mte_unmap, start, FIELD_HEX64),
	F(pitrace_mte_unmap, length, FIELD_HEX64),
	END,
};
static const struct field interval[] = {
	F(pitrace_interval, flags, FIELD_U32),       F(pitrace_interval, interval, FIELD_U64),
	F(pitrace_interval, rate, FIELD_U32),        F(pitrace_interval, dither, FIELD_U32),
	F(pitrace_interval, seed, FIELD_HEX64),      F(pitrace_interval, cpus_present, FIELD_U32),
	F(pitrace_interval, cpus_online, FIELD_U32), END,
};

static const struct field event[] = {
	NAMED(pitrace_event_rec, event, "number", FIELD_U32),
	F(pitrace_event_rec, flags, FIELD_FLAGS_EVENT),
	F(pitrace_event_rec, period, FIELD_U64),
	F(pitrace_event_rec, name, FIELD_EVENT),
	END,
};

static const struct field branch[] = {
	F(pitrace_branch, pid, FIELD_ID),
	F(pitrace_branch, tid, FIELD_ID),
	F(pitrace_branch, count, FIELD_U32),
	F(pitrace_branch, from, FIELD_HEX64),
	F(pitrace_branch, to, FIELD_HEX64),
	AT("flags", FIELD_FLAGS_BRANCH, 0),
	END,
};
static const struct field brk[] = {
	F(pitrace_break_rec, pid, FIELD_ID),    F(pitrace_break_rec, tid, FIELD_ID),
	F(pitrace_break_rec, count, FIELD_U32), F(pitrace_break_rec, number, FIELD_U32),
	F(pitrace_break_rec, at, FIELD_HEX64),  F(pitrace_break_rec, to, FIELD_HEX64),
	AT("flags", FIELD_FLAGS_BRANCH, 0),     END,
};
static const struct field itrace_switch[] = {
	F(pitrace_itrace_switch, pid, FIELD_ID),
	F(pitrace_itrace_switch, tid, FIELD_ID),
	F(pitrace_itrace_switch, from_cpu, FIELD_U32),
	F(pitrace_itrace_switch, reserved, FIELD_HIDDEN),
	AT("flags", FIELD_FLAGS_BRANCH, 0),
	END,
};
static const struct field itrace_mark[] = {
	F(pitrace_itrace_mark, pid, FIELD_ID),
	F(pitrace_itrace_mark, tid, FIELD_ID),
	F(pitrace_itrace_mark, count, FIELD_U32),
	F(pitrace_itrace_mark, reserved, FIELD_HIDDEN),
	F(pitrace_itrace_mark, address, FIELD_HEX64),
	AT("flags", FIELD_FLAGS_BRANCH, 0),
	END,
};
static const struct field access_to[] = {
	F(pitrace_access, pid, FIELD_ID),    F(pitrace_access, tid, FIELD_ID),
	F(pitrace_access, bytes, FIELD_U32), F(pitrace_access, reserved, FIELD_HIDDEN),
	F(pitrace_access, at, FIELD_HEX64),  F(pitrace_access, address, FIELD_HEX64),
	AT("flags", FIELD_FLAGS_BRANCH, 0),  END,
};
static const struct field code[] = {
	F(pitrace_code, pid, FIELD_ID),
	F(pitrace_code, address, FIELD_HEX64),
	F(pitrace_code, bytes, FIELD_U32),
	AT("code", FIELD_CODE, sizeof(struct pitrace_code)),
	END,
};

#define ALL UINT32_MAX
#define KIND(number, bits, words, list, t)                                    \
	{                                                                     \
		.minor = number, .mask = bits, .name = words, .fields = list, \
		.size = sizeof(struct t)                                      \
	}
#define KINDS_END            \
	{                    \
		.name = NULL \
	}

#define TPROF(minor, name, fields, type) KIND(minor, PITRACE_TPROF_KIND, name, fields, type)
static const struct record_kind tprof_kinds[] = {
	TPROF(PITRACE_TPROF_KERNEL, "kernel", sample, pitrace_sample),
	TPROF(PITRACE_TPROF_USER, "user", sample, pitrace_sample),
	TPROF(PITRACE_TPROF_IDLE, "idle", idle, pitrace_idle),
	KINDS_END,
};

#define LEFT(minor, name) KIND(minor, PITRACE_LEFT_MASK, name, dispatch, pitrace_dispatch)
static const struct record_kind dispatch_kinds[] = {
	LEFT(PITRACE_LEFT_RUNNING, "running"), LEFT(PITRACE_LEFT_PREEMPTED, "preempted"),
	LEFT(PITRACE_LEFT_SLEEP, "sleep"),     LEFT(PITRACE_LEFT_BLOCKED, "blocked"),
	LEFT(PITRACE_LEFT_STOPPED, "stopped"), LEFT(PITRACE_LEFT_TRACED, "traced"),
	LEFT(PITRACE_LEFT_DEAD, "dead"),       LEFT(PITRACE_LEFT_IDLE, "idle"),
	LEFT(PITRACE_LEFT_OTHER, "other"),     KINDS_END,
};

#define WAKEUP(minor, name) KIND(minor, ALL, name, wakeup, pitrace_wakeup)
static const struct record_kind wakeup_kinds[] = {
	WAKEUP(0, "task"),
	WAKEUP(PITRACE_WAKE_INTERRUPT, "interrupt"),
	WAKEUP(PITRACE_WAKE_NEW, "new"),
	WAKEUP(PITRACE_WAKE_NEW | PITRACE_WAKE_INTERRUPT, "new-interrupt"),
	KINDS_END,
};

#define IRQ(source, name)                                      \
	KIND(source, ALL, name, interrupt, pitrace_interrupt), \
		KIND(source | PITRACE_EXIT, ALL, name "-exit", interrupt, pitrace_interrupt)
static const struct record_kind interrupt_kinds[] = {
	IRQ(PITRACE_IRQ_DEVICE, "device"),
	IRQ(PITRACE_IRQ_SOFTIRQ, "softirq"),
	IRQ(PITRACE_IRQ_TIMER, "timer"),
	IRQ(PITRACE_IRQ_RESCHEDULE, "reschedule"),
	IRQ(PITRACE_IRQ_CALL, "call"),
	IRQ(PITRACE_IRQ_WORK, "work"),
	IRQ(PITRACE_IRQ_IPI, "ipi"),
	IRQ(PITRACE_IRQ_OTHER, "other"),
	KINDS_END,
};

#define SYSCALL(minor, name, fields, type) \
	KIND(minor, PITRACE_EXIT | PITRACE_SYSCALL_COMPAT, name, fields, type)
static const struct record_kind syscall_kinds[] = {
	SYSCALL(0, "entry", sysenter, pitrace_sysenter),
	SYSCALL(PITRACE_EXIT, "exit", sysexit, pitrace_sysexit),
	SYSCALL(PITRACE_SYSCALL_COMPAT, "compat-entry", sysenter, pitrace_sysenter),
	SYSCALL(PITRACE_EXIT | PITRACE_SYSCALL_COMPAT, "compat-exit", sysexit, pitrace_sysexit),
	KINDS_END,
};

#define FAULT(minor, name) KIND(minor, ALL, name, fault, pitrace_fault)
static const struct record_kind fault_kinds[] = {
	FAULT(PITRACE_TPROF_KERNEL, "kernel"),
	FAULT(PITRACE_TPROF_USER, "user"),
	KINDS_END,
};

#define MTE(minor, name, fields, type) KIND(minor, ALL, name, fields, type)
#define TASK(minor, name)              MTE(minor, name, task, pitrace_mte_task)
static const struct record_kind mte_kinds[] = {
	TASK(PITRACE_MTE_NAME, "name"),
	TASK(PITRACE_MTE_CLONE, "clone"),
	TASK(PITRACE_MTE_PROCESS, "process"),
	TASK(PITRACE_MTE_PROCESS_EXIT, "process-exit"),
	TASK(PITRACE_MTE_THREAD, "thread"),
	TASK(PITRACE_MTE_THREAD_EXIT, "thread-exit"),
	TASK(PITRACE_MTE_FORK, "fork"),
	MTE(PITRACE_MTE_MODULE, "module", map, pitrace_mte_map),
	MTE(PITRACE_MTE_BUILDID, "build-id", buildid, pitrace_mte_buildid),
	MTE(MTE_CGROUP, "cgroup", cgroup, mte_cgroup),
	MTE(PITRACE_MTE_UNMAP, "unmap", unmap, pitrace_mte_unmap),
	MTE(PITRACE_MTE_UNLOAD, "unload", map, pitrace_mte_map),
	KINDS_END,
};

#define SYNC(minor, name) KIND(minor, ALL, name, sync, pitrace_sync)
static const struct record_kind sync_kinds[] = {
	SYNC(PITRACE_SYNC_ON, "on"),
	SYNC(PITRACE_SYNC_OFF, "off"),
	SYNC(PITRACE_SYNC_SECOND, "second"),
	SYNC(PITRACE_SYNC_SUSPEND, "suspend"),
	SYNC(PITRACE_SYNC_RESUME, "resume"),
	SYNC(PITRACE_SYNC_CPU_ONLINE, "cpu-online"),
	SYNC(PITRACE_SYNC_CPU_OFFLINE, "cpu-offline"),
	SYNC(PITRACE_SYNC_UNSTABLE, "unstable"),
	KINDS_END,
};

static const struct record_kind lost_kinds[] = {
	KIND(0, 0, "lost", lost, pitrace_lost_rec),
	KINDS_END,
};

static const struct record_kind sysinfo_kinds[] = {
	KIND(PITRACE_SYSINFO_INTERVAL, ALL, "interval", interval, pitrace_interval),
	KIND(PITRACE_SYSINFO_EVENT, ALL, "event", event, pitrace_event_rec),
	KINDS_END,
};

#define BRANCH(kind, name) KIND(kind, PITRACE_BRANCH_KIND, name, branch, pitrace_branch)
static const struct record_kind branch_kinds[] = {
	BRANCH(PITRACE_BRANCH_CALL, "call"),
	BRANCH(PITRACE_BRANCH_RETURN, "return"),
	BRANCH(PITRACE_BRANCH_JUMP, "jump"),
	BRANCH(PITRACE_BRANCH_IRET, "iret"),
	BRANCH(PITRACE_BRANCH_OTHER, "other"),
	BRANCH(PITRACE_BRANCH_UNDEFINED, "undefined"),
	KINDS_END,
};

#define BREAK(kind, name) KIND(kind, PITRACE_BRANCH_KIND, name, brk, pitrace_break_rec)
static const struct record_kind break_kinds[] = {
	BREAK(PITRACE_BREAK_INTERRUPT, "interrupt"),
	BREAK(PITRACE_BREAK_FAULT, "fault"),
	BREAK(PITRACE_BREAK_EXCEPTION, "exception"),
	BREAK(PITRACE_BREAK_SIGNAL, "signal"),
	BREAK(PITRACE_BREAK_SIGRETURN, "sigreturn"),
	BREAK(PITRACE_BREAK_SYSCALL, "syscall"),
	BREAK(PITRACE_BREAK_EXEC, "exec"),
	BREAK(PITRACE_BREAK_SWITCH, "switch"),
	BREAK(PITRACE_BREAK_OWN, "own"),
	KINDS_END,
};

static const struct record_kind switch_kinds[] = {
	KIND(0, PITRACE_BRANCH_KIND, "switch", itrace_switch, pitrace_itrace_switch),
	KINDS_END,
};

#define MARK(why, name) KIND(why, PITRACE_BRANCH_KIND, name, itrace_mark, pitrace_itrace_mark)
static const struct record_kind mark_kinds[] = {
	MARK(PITRACE_ITRACE_ON, "on"),           MARK(PITRACE_ITRACE_FORK, "fork"),
	MARK(PITRACE_ITRACE_EXEC, "exec"),       MARK(PITRACE_ITRACE_EXIT, "exit"),
	MARK(PITRACE_ITRACE_ADDRESS, "address"), MARK(PITRACE_ITRACE_SKIPPED, "skipped"),
	MARK(PITRACE_ITRACE_LIMIT, "limit"),     MARK(PITRACE_ITRACE_DEBUGGER, "debugger"),
	MARK(PITRACE_ITRACE_BUDGET, "budget"),   MARK(PITRACE_ITRACE_TAKEN, "taken"),
	MARK(PITRACE_ITRACE_PROBE, "probe"),     KINDS_END,
};

#define ACCESS(way, name) KIND(way, PITRACE_BRANCH_KIND, name, access_to, pitrace_access)
static const struct record_kind access_kinds[] = {
	ACCESS(PITRACE_ACCESS_LOAD, "load"),
	ACCESS(PITRACE_ACCESS_STORE, "store"),
	KINDS_END,
};

static const struct record_kind code_kinds[] = {
	KIND(0, ALL, "code", code, pitrace_code),
	KIND(PITRACE_CODE_CHANGED, ALL, "changed", code, pitrace_code),
	KINDS_END,
};

static const struct record_major majors[PITRACE_MAJORS] = {
	[PITRACE_FAULT] = { "fault", fault_kinds },
	[PITRACE_INTERRUPT] = { "interrupt", interrupt_kinds },
	[PITRACE_SYSCALL] = { "syscall", syscall_kinds },
	[PITRACE_HIGH] = { "high", NULL },
	[PITRACE_TPROF] = { "tprof", tprof_kinds },
	[PITRACE_SYSINFO] = { "sysinfo", sysinfo_kinds },
	[PITRACE_DISPATCH] = { "dispatch", dispatch_kinds },
	[PITRACE_MTE] = { "mte", mte_kinds },
	[PITRACE_PAD] = { "pad", NULL },
	[PITRACE_SYNC] = { "sync", sync_kinds },
	[PITRACE_LOST] = { "lost", lost_kinds },
	[PITRACE_WAKEUP] = { "wakeup", wakeup_kinds },
	[PITRACE_NAMED] = { "event", NULL },
	[PITRACE_BRANCH_KERNEL] = { "kbranch", branch_kinds },
	[PITRACE_BRANCH_USER] = { "ubranch", branch_kinds },
	[PITRACE_BREAK_KERNEL] = { "kbreak", break_kinds },
	[PITRACE_BREAK_USER] = { "ubreak", break_kinds },
	[PITRACE_ITRACE_SWITCH] = { "itswitch", switch_kinds },
	[PITRACE_ITRACE_START] = { "itstart", mark_kinds },
	[PITRACE_ITRACE_STOP] = { "itstop", mark_kinds },
	[PITRACE_LOAD_STORE] = { "access", access_kinds },
	[PITRACE_CODE] = { "code", code_kinds },
};

const struct record_kind *record_kind_of(const struct record_kind *kinds, uint32_t minor)
{
	for (; kinds && kinds->name; kinds++)
		if (kinds->minor == (minor & kinds->mask))
			return kinds;
	return NULL;
}

const struct record_kind *record_kind(uint16_t major, uint32_t minor)
{
	return major < PITRACE_MAJORS ? record_kind_of(majors[major].kinds, minor) : NULL;
}

const struct record_kind *record_layout(uint16_t major, uint32_t minor)
{
	const struct record_kind *kind = record_kind(major, minor);

	return kind || major >= PITRACE_MAJORS ? kind : majors[major].kinds;
}

const char *record_major_name(int major)
{
	return major >= 0 && major < PITRACE_MAJORS ? majors[major].name : NULL;
}
