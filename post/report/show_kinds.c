/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of record kinds. A new kind is a row here; show.c knows none by name. */
#include "report/show.h"

#include <stddef.h>

#define F(type, field, kind) { #field, kind, offsetof(struct type, field) }

static const struct field sample[] = {
	F(pitrace_sample, pid, FIELD_U32), F(pitrace_sample, tid, FIELD_U32),
	F(pitrace_sample, address, FIELD_HEX64), F(pitrace_sample, period, FIELD_U32),
	{ NULL, FIELD_END, 0 },
};
static const struct field idle[] = {
	F(pitrace_idle, ticks, FIELD_U32), F(pitrace_idle, since, FIELD_U64),
	{ NULL, FIELD_END, 0 },
};
static const struct field sync[] = {
	F(pitrace_sync, monotonic, FIELD_U64), F(pitrace_sync, boottime, FIELD_U64),
	F(pitrace_sync, realtime, FIELD_U64), { NULL, FIELD_END, 0 },
};
static const struct field lost[] = {
	F(pitrace_lost_rec, count, FIELD_U32), F(pitrace_lost_rec, total, FIELD_U64),
	{ NULL, FIELD_END, 0 },
};
static const struct field task[] = {
	F(pitrace_mte_task, pid, FIELD_U32), F(pitrace_mte_task, tid, FIELD_U32),
	F(pitrace_mte_task, ppid, FIELD_U32), F(pitrace_mte_task, flags, FIELD_FLAGS_TASK),
	F(pitrace_mte_task, start, FIELD_U64), F(pitrace_mte_task, cgroup, FIELD_U64),
	F(pitrace_mte_task, pidns, FIELD_U32), F(pitrace_mte_task, comm, FIELD_COMM),
	{ NULL, FIELD_END, 0 },
};
static const struct field map[] = {
	F(pitrace_mte_map, pid, FIELD_U32), F(pitrace_mte_map, flags, FIELD_FLAGS_MAP),
	F(pitrace_mte_map, start, FIELD_HEX64), F(pitrace_mte_map, length, FIELD_HEX64),
	F(pitrace_mte_map, offset, FIELD_HEX64), F(pitrace_mte_map, dev_major, FIELD_U32),
	F(pitrace_mte_map, dev_minor, FIELD_U32), F(pitrace_mte_map, inode, FIELD_U64),
	F(pitrace_mte_map, generation, FIELD_U32), F(pitrace_mte_map, path, FIELD_PATH),
	{ NULL, FIELD_END, 0 },
};
static const struct field buildid[] = {
	F(pitrace_mte_buildid, dev_major, FIELD_U32), F(pitrace_mte_buildid, dev_minor, FIELD_U32),
	F(pitrace_mte_buildid, inode, FIELD_U64), F(pitrace_mte_buildid, generation, FIELD_U32),
	F(pitrace_mte_buildid, length, FIELD_U32), F(pitrace_mte_buildid, id, FIELD_BYTES),
	{ NULL, FIELD_END, 0 },
};
static const struct field unmap[] = {
	F(pitrace_mte_unmap, pid, FIELD_U32), F(pitrace_mte_unmap, start, FIELD_HEX64),
	F(pitrace_mte_unmap, length, FIELD_HEX64), { NULL, FIELD_END, 0 },
};
static const struct field interval[] = {
	F(pitrace_interval, interval, FIELD_U64), F(pitrace_interval, rate, FIELD_U32),
	F(pitrace_interval, dither, FIELD_U32), F(pitrace_interval, seed, FIELD_HEX64),
	F(pitrace_interval, cpus_present, FIELD_U32), F(pitrace_interval, cpus_online, FIELD_U32),
	{ NULL, FIELD_END, 0 },
};

#define ALL UINT32_MAX
#define TPROF(minor, name, fields, type) \
	{ PITRACE_TPROF, minor, PITRACE_TPROF_KIND, name, fields, sizeof(struct type) }
#define MTE(minor, name, fields, type) \
	{ PITRACE_MTE, minor, ALL, name, fields, sizeof(struct type) }
#define SYNC(minor, name) \
	{ PITRACE_SYNC, minor, ALL, name, sync, sizeof(struct pitrace_sync) }
#define LOST(minor, name) \
	{ PITRACE_LOST, minor, ALL, name, lost, sizeof(struct pitrace_lost_rec) }

static const struct kind kinds[] = {
	TPROF(PITRACE_TPROF_KERNEL, "kernel", sample, pitrace_sample),
	TPROF(PITRACE_TPROF_USER, "user", sample, pitrace_sample),
	TPROF(PITRACE_TPROF_IDLE, "idle", idle, pitrace_idle),
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
	LOST(PITRACE_LOST_MTE, "names"),
	LOST(PITRACE_LOST_TPROF, "samples"),
	LOST(PITRACE_LOST_OVERRUN, "overruns"),
	LOST(PITRACE_LOST_OTHER, "others"),
	{ PITRACE_SYSINFO, PITRACE_SYSINFO_INTERVAL, ALL, "interval", interval,
	  sizeof(struct pitrace_interval) },
};

static const struct {
	uint16_t major;
	const char *name;
} majors[] = {
	{ PITRACE_HIGH, "high" }, { PITRACE_TPROF, "tprof" }, { PITRACE_SYSINFO, "sysinfo" },
	{ PITRACE_MTE, "mte" }, { PITRACE_PAD, "pad" }, { PITRACE_SYNC, "sync" },
	{ PITRACE_LOST, "lost" },
};

const struct flag show_task_flags[] = {
	{ PITRACE_TASK_WALK, "walk" }, { PITRACE_TASK_KTHREAD, "kthread" },
	{ PITRACE_TASK_COMPAT, "compat" }, { PITRACE_TASK_ANCESTOR, "ancestor" }, { 0, NULL },
};
const struct flag show_map_flags[] = {
	{ PITRACE_MAP_READ, "read" }, { PITRACE_MAP_WRITE, "write" }, { PITRACE_MAP_EXEC, "exec" },
	{ PITRACE_MAP_SHARED, "shared" }, { PITRACE_MAP_ANON, "anon" },
	{ PITRACE_MAP_VDSO, "vdso" }, { PITRACE_MAP_DELETED, "deleted" },
	{ PITRACE_MAP_KERNEL, "kernel" }, { PITRACE_MAP_WALK, "walk" }, { 0, NULL },
};

const struct kind *show_kind(const struct pirecord *r)
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

const char *show_major(uint16_t major)
{
	size_t i;

	for (i = 0; i < sizeof(majors) / sizeof(majors[0]); i++) {
		if (majors[i].major == major)
			return majors[i].name;
	}
	return major == 0xB0 || (major >= 0xD0 && major <= 0xFF) ? "user" : "unknown";
}
