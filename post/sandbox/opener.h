/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A helper process with the rights that post's sandbox takes away: it starts before the first byte
 * of input is read, and does nothing but what the options ask for. It opens the outputs that they
 * name, each once; files in the folder of a format that is a folder; unnamed files for copies of
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

/* The helper's tasks: the outputs in the order of their numbers, at most 64. */
struct opener_task {
	const struct opener_output *output;
	unsigned int outputs;
	uint32_t debuginfod; /* seconds for a file; 0: ask no server */
};

/* 0 or -errno. */
int opener_begin(const struct opener_task *task);
void opener_end(void);

/* Opens the i-th output, which is `to`. 0 or -errno. */
int opener_output(unsigned int i, const struct opener_output *to, struct output *out);
/* The same for a format that is a folder: its descriptor or -errno. An older one is renamed. */
int opener_folder(unsigned int i, const struct opener_output *to, bool *renamed);
/* Creates a file in that folder; its name has small letters and digits. A descriptor or -errno. */
int opener_in_folder(int folder, const char *name);
/* Opens a file below the root of a running process for reading; links in there lead nowhere else.
 * The user must be allowed to look into that process. A descriptor or -errno. */
int opener_inside(uint32_t pid, const char *path);
/* Opens a regular file with this user's rights, without other groups; no link. A descriptor or
 * -errno. */
int opener_as(uid_t uid, gid_t gid, const char *path);
/* Creates an unnamed file in TMPDIR, for writing and reading. A descriptor or -errno. */
int opener_spool(void);

#endif
