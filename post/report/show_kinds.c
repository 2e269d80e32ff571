/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of record kinds. A new kind is a row here; show_report.c knows none by name. */
#include "report/show_report.h"

#include "record/call_record.h"
#include "record/detail.h"

#include <perfutil.h>
#include <stddef.h>

#define F(t, field, kind)                                                         \
	{                                                                         \
		.name = #field, .type = kind, .offset = offsetof(struct t, field) \
	}

static const struct field sample[] = {
	F(pitrace_sample, pid, FIELD_ID),
	F(pitrace_sample, tid, FIELD_ID),
	F(pitrace_sample, address, FIELD_HEX64),
	F(pitrace_sample, period, FIELD_U32),
	{ "stack", FIELD_STACK, sizeof(struct pitrace_sample) },
	{ NULL, FIELD_END, 0 },
};
static const struct field dispatch[] = {
	F(pitrace_dispatch, old_pid, FIELD_ID),
	F(pitrace_dispatch, old_tid, FIELD_ID),
	F(pitrace_dispatch, new_pid, FIELD_ID),
	F(pitrace_dispatch, new_tid, FIELD_ID),
	F(pitrace_dispatch, old_priority, FIELD_S16),
	F(pitrace_dispatch, new_priority, FIELD_S16),
	{ "stack", FIELD_STACK, sizeof(struct pitrace_dispatch) },
	{ NULL, FIELD_END, 0 },
};
static const struct field wakeup[] = {
	F(pitrace_wakeup, pid, FIELD_ID),
	F(pitrace_wakeup, tid, FIELD_ID),
	F(pitrace_wakeup, waker_pid, FIELD_ID),
	F(pitrace_wakeup, waker_tid, FIELD_ID),
	{ "on_cpu", FIELD_U32, offsetof(struct pitrace_wakeup, cpu) },
	F(pitrace_wakeup, priority, FIELD_S16),
	{ NULL, FIELD_END, 0 },
};
static const struct field interrupt[] = {
	F(pitrace_interrupt, number, FIELD_U32),
	F(pitrace_interrupt, tid, FIELD_ID),
	{ NULL, FIELD_END, 0 },
};
static const struct field sysenter[] = {
	{ "number", FIELD_CALL, 0 },
	F(pitrace_sysenter, pid, FIELD_ID),
	F(pitrace_sysenter, tid, FIELD_ID),
	{ "argument0", FIELD_HEX64, offsetof(struct pitrace_sysenter, arguments[0]) },
	{ "argument1", FIELD_HEX64, offsetof(struct pitrace_sysenter, arguments[1]) },
	{ "argument2", FIELD_HEX64, offsetof(struct pitrace_sysenter, arguments[2]) },
	{ NULL, FIELD_END, 0 },
};
static const struct field sysexit[] = {
	{ "number", FIELD_CALL, 0 },
	F(pitrace_sysexit, pid, FIELD_ID),
	F(pitrace_sysexit, tid, FIELD_ID),
	F(pitrace_sysexit, result, FIELD_S64),
	{ NULL, FIELD_END, 0 },
};
static const struct field fault[] = {
	F(pitrace_fault, pid, FIELD_ID),
	F(pitrace_fault, tid, FIELD_ID),
	F(pitrace_fault, flags, FIELD_FLAGS_FAULT),
	F(pitrace_fault, ip, FIELD_HEX64),
	F(pitrace_fault, address, FIELD_HEX64),
	{ NULL, FIELD_END, 0 },
};
static const struct field idle[] = {
	F(pitrace_idle, ticks, FIELD_U32),
	F(pitrace_idle, since, FIELD_U64),
	{ NULL, FIELD_END, 0 },
};
static const struct field sync[] = {
	F(pitrace_sync, monotonic, FIELD_U64),
	F(pitrace_sync, boottime, FIELD_U64),
	F(pitrace_sync, realtime, FIELD_U64),
	{ NULL, FIELD_END, 0 },
};
static const struct field lost[] = {
	F(pitrace_lost_rec, count, FIELD_U32),
	F(pitrace_lost_rec, total, FIELD_U64),
	F(pitrace_lost_rec, uid, FIELD_U32),
	{ NULL, FIELD_END, 0 },
};
static const struct field task[] = {
	F(pitrace_mte_task, pid, FIELD_ID),
	F(pitrace_mte_task, tid, FIELD_ID),
	F(pitrace_mte_task, ppid, FIELD_ID),
	F(pitrace_mte_task, flags, FIELD_FLAGS_TASK),
	F(pitrace_mte_task, start, FIELD_U64),
	F(pitrace_mte_task, cgroup, FIELD_U64),
	F(pitrace_mte_task, pidns, FIELD_U32),
	F(pitrace_mte_task, comm, FIELD_COMM),
	{ NULL, FIELD_END, 0 },
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
	F(pitrace_mte_map, path, FIELD_PATH),
	{ NULL, FIELD_END, 0 },
};
static const struct field buildid[] = {
	F(pitrace_mte_buildid, dev_major, FIELD_U32),
	F(pitrace_mte_buildid, dev_minor, FIELD_U32),
	F(pitrace_mte_buildid, inode, FIELD_U64),
	F(pitrace_mte_buildid, generation, FIELD_U32),
	F(pitrace_mte_buildid, length, FIELD_U32),
	F(pitrace_mte_buildid, id, FIELD_BYTES),
	{ NULL, FIELD_END, 0 },
};
static const struct field unmap[] = {
	F(pitrace_mte_unmap, pid, FIELD_ID),
	F(pitrace_mte_unmap, start, FIELD_HEX64),
	F(pitrace_mte_unmap, length, FIELD_HEX64),
	{ NULL, FIELD_END, 0 },
};
static const struct field interval[] = {
	F(pitrace_interval, flags, FIELD_U32),       F(pitrace_interval, interval, FIELD_U64),
	F(pitrace_interval, rate, FIELD_U32),        F(pitrace_interval, dither, FIELD_U32),
	F(pitrace_interval, seed, FIELD_HEX64),      F(pitrace_interval, cpus_present, FIELD_U32),
	F(pitrace_interval, cpus_online, FIELD_U32), { NULL, FIELD_END, 0 },
};

static const struct field event[] = {
	{ "number", FIELD_U32, offsetof(struct pitrace_event_rec, event) },
	F(pitrace_event_rec, flags, FIELD_FLAGS_EVENT),
	F(pitrace_event_rec, period, FIELD_U64),
	F(pitrace_event_rec, name, FIELD_EVENT),
	{ NULL, FIELD_END, 0 },
};

static const struct field branch[] = {
	F(pitrace_branch, pid, FIELD_ID),
	F(pitrace_branch, tid, FIELD_ID),
	F(pitrace_branch, count, FIELD_U32),
	F(pitrace_branch, from, FIELD_HEX64),
	F(pitrace_branch, to, FIELD_HEX64),
	{ "flags", FIELD_FLAGS_BRANCH, 0 },
	{ NULL, FIELD_END, 0 },
};
static const struct field brk[] = {
	F(pitrace_break_rec, pid, FIELD_ID),    F(pitrace_break_rec, tid, FIELD_ID),
	F(pitrace_break_rec, count, FIELD_U32), F(pitrace_break_rec, number, FIELD_U32),
	F(pitrace_break_rec, at, FIELD_HEX64),  F(pitrace_break_rec, to, FIELD_HEX64),
	{ "flags", FIELD_FLAGS_BRANCH, 0 },     { NULL, FIELD_END, 0 },
};
static const struct field itrace_switch[] = {
	F(pitrace_itrace_switch, pid, FIELD_ID),
	F(pitrace_itrace_switch, tid, FIELD_ID),
	F(pitrace_itrace_switch, from_cpu, FIELD_U32),
	{ "flags", FIELD_FLAGS_BRANCH, 0 },
	{ NULL, FIELD_END, 0 },
};
static const struct field itrace_mark[] = {
	F(pitrace_itrace_mark, pid, FIELD_ID),    F(pitrace_itrace_mark, tid, FIELD_ID),
	F(pitrace_itrace_mark, count, FIELD_U32), F(pitrace_itrace_mark, address, FIELD_HEX64),
	{ "flags", FIELD_FLAGS_BRANCH, 0 },       { NULL, FIELD_END, 0 },
};
static const struct field access_to[] = {
	F(pitrace_access, pid, FIELD_ID),
	F(pitrace_access, tid, FIELD_ID),
	F(pitrace_access, bytes, FIELD_U32),
	F(pitrace_access, at, FIELD_HEX64),
	F(pitrace_access, address, FIELD_HEX64),
	{ "flags", FIELD_FLAGS_BRANCH, 0 },
	{ NULL, FIELD_END, 0 },
};
static const struct field function[] = {
	F(call_record, pid, FIELD_ID),
	F(call_record, tid, FIELD_ID),
	F(call_record, function, FIELD_U32),
	F(call_record, address, FIELD_HEX64),
	F(call_record, arguments, FIELD_ARGUMENTS),
	{ NULL, FIELD_END, 0 },
};
static const struct field code[] = {
	F(pitrace_code, pid, FIELD_ID),
	F(pitrace_code, address, FIELD_HEX64),
	F(pitrace_code, bytes, FIELD_U32),
	{ "code", FIELD_CODE, sizeof(struct pitrace_code) },
	{ NULL, FIELD_END, 0 },
};

#define ALL UINT32_MAX
#define KIND(major, minor, mask, name, fields, type)                  \
	{                                                             \
		major, minor, mask, name, fields, sizeof(struct type) \
	}
#define TPROF(minor, name, fields, type) \
	KIND(PITRACE_TPROF, minor, PITRACE_TPROF_KIND, name, fields, type)
#define LEFT(minor, name) \
	KIND(PITRACE_DISPATCH, minor, PITRACE_LEFT_MASK, name, dispatch, pitrace_dispatch)
#define WAKEUP(minor, name) KIND(PITRACE_WAKEUP, minor, ALL, name, wakeup, pitrace_wakeup)
#define IRQ(source, name)                                                                    \
	KIND(PITRACE_INTERRUPT, source, ALL, name, interrupt, pitrace_interrupt),            \
		KIND(PITRACE_INTERRUPT, source | PITRACE_EXIT, ALL, name "-exit", interrupt, \
		     pitrace_interrupt)
#define SYSCALL(minor, name, fields, type) \
	KIND(PITRACE_SYSCALL, minor, PITRACE_EXIT | PITRACE_SYSCALL_COMPAT, name, fields, type)
#define FAULT(minor, name)             KIND(PITRACE_FAULT, minor, ALL, name, fault, pitrace_fault)
#define MTE(minor, name, fields, type) KIND(PITRACE_MTE, minor, ALL, name, fields, type)
#define BRANCH(kind, name)                                                                    \
	KIND(PITRACE_BRANCH_KERNEL, kind, PITRACE_BRANCH_KIND, name, branch, pitrace_branch), \
		KIND(PITRACE_BRANCH_USER, kind, PITRACE_BRANCH_KIND, name, branch, pitrace_branch)
#define BREAK(kind, name)                                                                    \
	KIND(PITRACE_BREAK_KERNEL, kind, PITRACE_BRANCH_KIND, name, brk, pitrace_break_rec), \
		KIND(PITRACE_BREAK_USER, kind, PITRACE_BRANCH_KIND, name, brk, pitrace_break_rec)
#define MARK(why, name)                                                                \
	KIND(PITRACE_ITRACE_START, why, PITRACE_BRANCH_KIND, name, itrace_mark,        \
	     pitrace_itrace_mark),                                                     \
		KIND(PITRACE_ITRACE_STOP, why, PITRACE_BRANCH_KIND, name, itrace_mark, \
		     pitrace_itrace_mark)
#define ACCESS(way, name) \
	KIND(PITRACE_LOAD_STORE, way, PITRACE_BRANCH_KIND, name, access_to, pitrace_access)
#define DETAIL(kind, name, type) KIND(DETAIL_RECORD, kind, DETAIL_KIND, name, NULL, type)
#define SYNC(minor, name)        KIND(PITRACE_SYNC, minor, ALL, name, sync, pitrace_sync)

static const struct show_kind kinds[] = {
	TPROF(PITRACE_TPROF_KERNEL, "kernel", sample, pitrace_sample),
	TPROF(PITRACE_TPROF_USER, "user", sample, pitrace_sample),
	TPROF(PITRACE_TPROF_IDLE, "idle", idle, pitrace_idle),
	LEFT(PITRACE_LEFT_RUNNING, "running"),
	LEFT(PITRACE_LEFT_PREEMPTED, "preempted"),
	LEFT(PITRACE_LEFT_SLEEP, "sleep"),
	LEFT(PITRACE_LEFT_BLOCKED, "blocked"),
	LEFT(PITRACE_LEFT_STOPPED, "stopped"),
	LEFT(PITRACE_LEFT_TRACED, "traced"),
	LEFT(PITRACE_LEFT_DEAD, "dead"),
	LEFT(PITRACE_LEFT_IDLE, "idle"),
	LEFT(PITRACE_LEFT_OTHER, "other"),
	WAKEUP(0, "task"),
	WAKEUP(PITRACE_WAKE_INTERRUPT, "interrupt"),
	WAKEUP(PITRACE_WAKE_NEW, "new"),
	WAKEUP(PITRACE_WAKE_NEW | PITRACE_WAKE_INTERRUPT, "new-interrupt"),
	IRQ(PITRACE_IRQ_DEVICE, "device"),
	IRQ(PITRACE_IRQ_SOFTIRQ, "softirq"),
	IRQ(PITRACE_IRQ_TIMER, "timer"),
	IRQ(PITRACE_IRQ_RESCHEDULE, "reschedule"),
	IRQ(PITRACE_IRQ_CALL, "call"),
	IRQ(PITRACE_IRQ_WORK, "work"),
	IRQ(PITRACE_IRQ_IPI, "ipi"),
	IRQ(PITRACE_IRQ_OTHER, "other"),
	SYSCALL(0, "entry", sysenter, pitrace_sysenter),
	SYSCALL(PITRACE_EXIT, "exit", sysexit, pitrace_sysexit),
	SYSCALL(PITRACE_SYSCALL_COMPAT, "compat-entry", sysenter, pitrace_sysenter),
	SYSCALL(PITRACE_EXIT | PITRACE_SYSCALL_COMPAT, "compat-exit", sysexit, pitrace_sysexit),
	FAULT(PITRACE_TPROF_KERNEL, "kernel"),
	FAULT(PITRACE_TPROF_USER, "user"),
	MTE(PITRACE_MTE_MODULE, "module", map, pitrace_mte_map),
	MTE(PITRACE_MTE_BUILDID, "build-id", buildid, pitrace_mte_buildid),
	MTE(PITRACE_MTE_NAME, "name", task, pitrace_mte_task),
	MTE(PITRACE_MTE_CLONE, "clone", task, pitrace_mte_task),
	MTE(PITRACE_MTE_PROCESS, "process", task, pitrace_mte_task),
	MTE(PITRACE_MTE_PROCESS_EXIT, "process-exit", task, pitrace_mte_task),
	MTE(PITRACE_MTE_THREAD, "thread", task, pitrace_mte_task),
	MTE(PITRACE_MTE_THREAD_EXIT, "thread-exit", task, pitrace_mte_task),
	MTE(PITRACE_MTE_UNMAP, "unmap", unmap, pitrace_mte_unmap),
	MTE(PITRACE_MTE_UNLOAD, "unload", map, pitrace_mte_map),
	MTE(PITRACE_MTE_FORK, "fork", task, pitrace_mte_task),
	SYNC(PITRACE_SYNC_ON, "on"),
	SYNC(PITRACE_SYNC_OFF, "off"),
	SYNC(PITRACE_SYNC_SECOND, "second"),
	SYNC(PITRACE_SYNC_SUSPEND, "suspend"),
	SYNC(PITRACE_SYNC_RESUME, "resume"),
	SYNC(PITRACE_SYNC_CPU_ONLINE, "cpu-online"),
	SYNC(PITRACE_SYNC_CPU_OFFLINE, "cpu-offline"),
	SYNC(PITRACE_SYNC_UNSTABLE, "unstable"),
	KIND(PITRACE_LOST, 0, 0, "lost", lost, pitrace_lost_rec),
	KIND(PITRACE_SYSINFO, PITRACE_SYSINFO_INTERVAL, ALL, "interval", interval,
	     pitrace_interval),
	KIND(PITRACE_SYSINFO, PITRACE_SYSINFO_EVENT, ALL, "event", event, pitrace_event_rec),
	BRANCH(PITRACE_BRANCH_CALL, "call"),
	BRANCH(PITRACE_BRANCH_RETURN, "return"),
	BRANCH(PITRACE_BRANCH_JUMP, "jump"),
	BRANCH(PITRACE_BRANCH_IRET, "iret"),
	BRANCH(PITRACE_BRANCH_OTHER, "other"),
	BRANCH(PITRACE_BRANCH_UNDEFINED, "undefined"),
	BREAK(PITRACE_BREAK_INTERRUPT, "interrupt"),
	BREAK(PITRACE_BREAK_FAULT, "fault"),
	BREAK(PITRACE_BREAK_EXCEPTION, "exception"),
	BREAK(PITRACE_BREAK_SIGNAL, "signal"),
	BREAK(PITRACE_BREAK_SIGRETURN, "sigreturn"),
	BREAK(PITRACE_BREAK_SYSCALL, "syscall"),
	BREAK(PITRACE_BREAK_EXEC, "exec"),
	BREAK(PITRACE_BREAK_SWITCH, "switch"),
	BREAK(PITRACE_BREAK_OWN, "own"),
	KIND(PITRACE_ITRACE_SWITCH, 0, PITRACE_BRANCH_KIND, "switch", itrace_switch,
	     pitrace_itrace_switch),
	MARK(PITRACE_ITRACE_ON, "on"),
	MARK(PITRACE_ITRACE_FORK, "fork"),
	MARK(PITRACE_ITRACE_EXEC, "exec"),
	MARK(PITRACE_ITRACE_EXIT, "exit"),
	MARK(PITRACE_ITRACE_ADDRESS, "address"),
	MARK(PITRACE_ITRACE_SKIPPED, "skipped"),
	MARK(PITRACE_ITRACE_LIMIT, "limit"),
	MARK(PITRACE_ITRACE_DEBUGGER, "debugger"),
	MARK(PITRACE_ITRACE_BUDGET, "budget"),
	MARK(PITRACE_ITRACE_TAKEN, "taken"),
	MARK(PITRACE_ITRACE_PROBE, "probe"),
	ACCESS(PITRACE_ACCESS_LOAD, "load"),
	ACCESS(PITRACE_ACCESS_STORE, "store"),
	KIND(PITRACE_CODE, 0, ALL, "code", code, pitrace_code),
	KIND(CALL_RECORD, CALL_ENTRY, ALL, "entry", function, call_record),
	KIND(CALL_RECORD, CALL_EXIT, ALL, "exit", function, call_record),
	KIND(CALL_RECORD, CALL_TAIL_EXIT, ALL, "tail-exit", function, call_record),
	KIND(CALL_RECORD, CALL_ENTRY_ARGUMENTS, ALL, "entry-arg", function, call_record),
	KIND(PITRACE_CODE, PITRACE_CODE_CHANGED, ALL, "changed", code, pitrace_code),
	DETAIL(DETAIL_EVENT, "event", detail_event),
	DETAIL(DETAIL_BRANCHES, "branches", detail_branches),
	DETAIL(DETAIL_RAW, "raw", detail_raw),
	DETAIL(DETAIL_ACCESS, "access", detail_access),
	DETAIL(DETAIL_REGS_USER, "user-registers", detail_registers),
	DETAIL(DETAIL_REGS_INTR, "registers", detail_registers),
	DETAIL(DETAIL_CGROUP_OF, "in-cgroup", detail_cgroup),
	DETAIL(DETAIL_CGROUP, "cgroup", detail_cgroup),
	DETAIL(DETAIL_NAMESPACES, "namespaces", detail_namespaces),
	DETAIL(DETAIL_POKE, "text-poke", detail_poke),
	DETAIL(DETAIL_KERNEL_MAP, "kernel-map", detail_kernel_map),
	DETAIL(DETAIL_KSYMBOL, "ksymbol", detail_ksymbol),
};

const struct flag show_task_flags[] = {
	{ PITRACE_TASK_WALK, "walk" },
	{ PITRACE_TASK_KTHREAD, "kthread" },
	{ PITRACE_TASK_COMPAT, "compat" },
	{ PITRACE_TASK_ANCESTOR, "ancestor" },
	{ 0, NULL },
};
const struct flag show_map_flags[] = {
	{ PITRACE_MAP_READ, "read" },
	{ PITRACE_MAP_WRITE, "write" },
	{ PITRACE_MAP_EXEC, "exec" },
	{ PITRACE_MAP_SHARED, "shared" },
	{ PITRACE_MAP_ANON, "anon" },
	{ PITRACE_MAP_VDSO, "vdso" },
	{ PITRACE_MAP_DELETED, "deleted" },
	{ PITRACE_MAP_KERNEL, "kernel" },
	{ PITRACE_MAP_WALK, "walk" },
	{ PITRACE_MAP_SYMBOL, "symbol" },
	{ 0, NULL },
};
const struct flag show_fault_flags[] = {
	{ PITRACE_FAULT_WRITE, "write" },
	{ PITRACE_FAULT_EXEC, "exec" },
	{ 0, NULL },
};
const struct flag show_event_flags[] = {
	{ PITRACE_EVENT_RATE, "rate" },
	{ PITRACE_EVENT_USER, "user" },
	{ PITRACE_EVENT_KERNEL, "kernel" },
	{ 0, NULL },
};

const struct flag show_branch_flags[] = {
	{ PITRACE_BRANCH_GAP, "gap" },
	{ PITRACE_BRANCH_CROSS, "cross" },
	{ PITRACE_BRANCH_STEP, "step" },
	{ 0, NULL },
};

const struct show_kind *show_kind(const struct pirecord *r)
{
	size_t i;

	if (r->type != PITRACE_TYPE_STRUCT)
		return NULL;
	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (kinds[i].major == r->major && kinds[i].minor == (r->minor & kinds[i].mask))
			return &kinds[i];
	}
	return NULL;
}

const char *show_kind_name(const struct show_kind *kind, const struct pirecord *r)
{
	if (!kind)
		return "";
	return kind->major == PITRACE_LOST ? TraceLostName((int)r->minor) : kind->name;
}

const char *show_major(uint16_t major)
{
	const char *name = major == CALL_RECORD   ? "call" :
			   major == DETAIL_RECORD ? "perf" :
						    TraceMajorName(major);

	return name ? name : "unknown";
}
