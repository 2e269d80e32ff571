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

#endif
