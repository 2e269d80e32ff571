/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The texts of /proc that the collectors read, as the kernel or (the timer collector) a traced
 * program hands them over: nothing in them is believed to be whole. A NUL ends them.
 */
#ifndef PITRACE_PROC_TEXT_H
#define PITRACE_PROC_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A line of /proc/PID/maps. */
struct proc_map {
	uint64_t start, end, offset, inode;
	uint32_t dev_major, dev_minor;
	uint32_t flags;			/* PITRACE_MAP_* */
	const char *path;		/* in the line, or "//anon"; no NUL at its end */
	size_t path_len;		/* without " (deleted)": that is a flag */
};

/* False: none, or not executable. */
bool proc_map_parse(const char *line, size_t length, struct proc_map *map);

/* A line of /proc/PID/mountinfo: this device's folder `root` is to be seen at `point`. */
struct proc_mount {
	uint32_t dev_major, dev_minor;
	const char *root, *point;	/* in the line, blanks as \040; no NUL at their ends */
	size_t root_len, point_len;
};

bool proc_mount_parse(const char *line, size_t length, struct proc_mount *mount);
/* Such a text as it is meant, with a NUL. False: it has no room. */
bool proc_unescape(const char *text, size_t length, char *out, size_t room);

/* /proc/PID/stat, or that of a thread. */
struct proc_task {
	uint32_t pid, ppid;
	uint32_t flags;			/* the kernel's, PF_* */
	uint64_t start;			/* CLOCK_BOOTTIME ns, to a tick's precision */
	char comm[16];
};

bool proc_task_parse(const char *text, size_t length, struct proc_task *task);

/* A line of /proc/kallsyms. */
struct proc_symbol {
	uint64_t address;
	char type;
	const char *name;		/* in the line; no NUL at its end */
	size_t name_len;
};

bool proc_symbol_parse(const char *line, size_t length, struct proc_symbol *symbol);

/* ---- CPUs (proc_cpus.c) ---------------------------------------------------------------------- */

/* A CPU's line of /proc/stat, in clock ticks; older kernels' last ones are missing, and 0. */
struct proc_cpu {
	uint32_t cpu;
	uint64_t user, nice, system, idle, iowait, irq, softirq, steal;
};

bool proc_cpu_parse(const char *line, size_t length, struct proc_cpu *cpu);

/* /proc/interrupts, /proc/softirqs: the first line names the CPUs of the columns; the others'
 * counts are added up by column. False: no such line, or it counts no interrupts of CPUs. */
bool proc_heads_parse(const char *line, size_t length, uint32_t *cpus, uint32_t room,
		      uint32_t *columns);
bool proc_counts_add(const char *line, size_t length, uint64_t *sum, uint32_t columns);

/* A CPU's line of /proc/schedstat. */
struct proc_sched {
	uint32_t cpu;
	uint64_t dispatches;		/* of threads, not of idle */
};

bool proc_sched_parse(const char *line, size_t length, struct proc_sched *sched);

#endif
