/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Records that are not in our own files (the others: file/record_kinds.c), and names of flags. */
#include "report/show_report.h"

#include "record/call_record.h"
#include "record/detail.h"

#include <perfutil.h>
#include <stddef.h>

#define F(t, field, kind)                                                         \
	{                                                                         \
		.name = #field, .type = kind, .offset = offsetof(struct t, field) \
	}

static const struct field function[] = {
	F(call_record, pid, FIELD_ID),
	F(call_record, tid, FIELD_ID),
	F(call_record, function, FIELD_U32),
	F(call_record, address, FIELD_HEX64),
	F(call_record, arguments, FIELD_ARGUMENTS),
	{ .type = FIELD_END },
};

#define KIND(number, bits, words, list, t)                                    \
	{                                                                     \
		.minor = number, .mask = bits, .name = words, .fields = list, \
		.size = sizeof(struct t)                                      \
	}
#define CALL(number, words)       KIND(number, UINT32_MAX, words, function, call_record)
#define DETAIL(kind, words, type) KIND(kind, DETAIL_KIND, words, NULL, type)
#define KINDS_END            \
	{                    \
		.name = NULL \
	}

static const struct record_kind calls[] = {
	CALL(CALL_ENTRY, "entry"),
	CALL(CALL_EXIT, "exit"),
	CALL(CALL_TAIL_EXIT, "tail-exit"),
	CALL(CALL_ENTRY_ARGUMENTS, "entry-arg"),
	CALL(CALL_UNWIND, "unwind"),
	CALL(CALL_POPPED, "popped"),
	KINDS_END,
};

static const struct record_kind details[] = {
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
	KINDS_END,
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

const struct record_kind *show_kind(const struct pirecord *r)
{
	if (r->type != PITRACE_TYPE_STRUCT)
		return NULL;
	return r->major == CALL_RECORD   ? record_kind_of(calls, r->minor) :
	       r->major == DETAIL_RECORD ? record_kind_of(details, r->minor) :
					   record_kind(r->major, r->minor);
}

const char *show_kind_name(const struct record_kind *kind, const struct pirecord *r)
{
	if (!kind)
		return "";
	return r->major == PITRACE_LOST ? TraceLostName((int)r->minor) : kind->name;
}

const char *show_major(uint16_t major)
{
	const char *name = major == CALL_RECORD   ? "call" :
			   major == DETAIL_RECORD ? "perf" :
						    TraceMajorName(major);

	return name ? name : "unknown";
}
