/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Parsers of /proc texts, as supplied by the kernel or (timer collector) by a traced program. The
 * texts may be malformed or truncated; a NUL ends them.
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
	uint32_t flags;   /* PITRACE_MAP_* */
	const char *path; /* points into the line, or "//anon"; not terminated */
	size_t path_len;  /* without " (deleted)", which is a flag */
};

/* False: not a mapping, or not executable. */
bool proc_map_parse(const char *line, size_t length, struct proc_map *map);

/* A line of /proc/PID/mountinfo: the folder `root` of this device is mounted at `point`. */
struct proc_mount {
	uint32_t dev_major, dev_minor;
	const char *root, *point; /* point into the line, blanks are \040; not terminated */
	size_t root_len, point_len;
};

bool proc_mount_parse(const char *line, size_t length, struct proc_mount *mount);
/* Decodes this escaping and adds a NUL. False: it does not fit. */
bool proc_unescape(const char *text, size_t length, char *out, size_t room);

/* A line of /proc/PID/cgroup. */
struct proc_cgroup_line {
	bool unified;     /* of the default hierarchy (version 2) */
	const char *path; /* points into the line, begins with a slash; not terminated */
	size_t path_len;  /* without " (deleted)" */
};

bool proc_cgroup_parse(const char *line, size_t length, struct proc_cgroup_line *cgroup);

/* /proc/PID/stat, or that of a thread */
struct proc_task {
	uint32_t pid, ppid;
	uint32_t flags; /* the kernel's, PF_* */
	uint64_t start; /* CLOCK_BOOTTIME ns, to a tick's precision */
	char comm[16];
};

bool proc_task_parse(const char *text, size_t length, struct proc_task *task);

/* Reads the first line of /proc/PID/status that begins with `key`: returns the number of its
 * numbers, and stores the last of them. 0: there is none; *last is unchanged. */
unsigned int proc_numbers(const char *text, size_t length, const char *key, uint64_t *last);

/* A line of /proc/kallsyms. */
struct proc_symbol {
	uint64_t address;
	char type;
	const char *name; /* points into the line; not terminated */
	size_t name_len;
};

bool proc_symbol_parse(const char *line, size_t length, struct proc_symbol *symbol);

/* ---- CPUs (proc_cpus.c) ---------------------------------------------------------------------- */

/* A CPU's line of /proc/stat, in clock ticks. Fields that older kernels lack are 0. */
struct proc_cpu {
	uint32_t cpu;
	uint64_t user, nice, system, idle, iowait, irq, softirq, steal;
};

bool proc_cpu_parse(const char *line, size_t length, struct proc_cpu *cpu);

/* /proc/interrupts and /proc/softirqs: the first line names the CPUs of the columns; the counts of
 * the other lines are added up by column. False: not a line of counts, or one that counts no
 * interrupts. */
bool proc_heads_parse(const char *line, size_t length, uint32_t *cpus, uint32_t room,
		      uint32_t *columns);
bool proc_counts_add(const char *line, size_t length, uint64_t *sum, uint32_t columns);

/* A CPU's line of /proc/schedstat. */
struct proc_sched {
	uint32_t cpu;
	uint64_t dispatches; /* to threads, not to idle */
};

bool proc_sched_parse(const char *line, size_t length, struct proc_sched *sched);

#endif
