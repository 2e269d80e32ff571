/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A process of post's own that has the rights which its sandbox takes: it began before the first
 * byte of input was read, and does nothing but what the options ask for. It opens the outputs that
 * they name, each once; files in the folder that a format is; files without names for copies of
 * pipes; files to be read of processes in containers, or as another user; and asks debuginfod.
 * Without it (tests) the caller does all that itself.
 */
#ifndef POST_OPENER_H
#define POST_OPENER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "output.h"

/* One of the outputs. */
struct opener_output {
	const char *path; /* "-": stdout */
	mode_t mode;
	bool folder;
};

/* All that it is to do: the outputs in the order of their numbers, at most 64. */
struct opener_task {
	const struct opener_output *output;
	unsigned int outputs;
	uint32_t debuginfod; /* seconds for a file; 0: ask no server */
};

/* 0 or -errno. */
int opener_begin(const struct opener_task *task);
void opener_end(void);

/* The i-th output, which is this one. 0 or -errno. */
int opener_output(unsigned int i, const struct opener_output *to, struct output *out);
/* The same, of a format that is a folder: its descriptor or -errno. An older one is set aside. */
int opener_folder(unsigned int i, const struct opener_output *to, bool *renamed);
/* In that folder: a new file of small letters and digits. A descriptor or -errno. */
int opener_in_folder(int folder, const char *name);
/* Of a process that runs: a file below its root, to be read; links in there lead nowhere else. Who
 * may look into no other process may not either. A descriptor or -errno. */
int opener_inside(uint32_t pid, const char *path);
/* A regular file that this user could read, with no other group; no link. A descriptor, -errno. */
int opener_as(uid_t uid, gid_t gid, const char *path);
/* A file without a name in TMPDIR, to be written and read. A descriptor or -errno. */
int opener_spool(void);

#endif
