/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A helper process that keeps the rights that post's sandbox drops. It starts before the first byte
 * of input is read, and performs only the operations that the options require. It opens the named
 * outputs, each once; files in the output folder of a folder format; unnamed files for copies of
 * pipes; input files inside containers or as another user; and it queries debuginfod. Without the
 * helper (in tests) the caller performs these operations itself.
 */
#ifndef POST_OPENER_H
#define POST_OPENER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "output.h"

/* An output that the helper may open. */
struct opener_output {
	const char *path; /* "-": stdout */
	mode_t mode;
	bool folder;
};

/* The helper's tasks: the outputs by index, at most 64. */
struct opener_task {
	const struct opener_output *output;
	unsigned int outputs;
	uint32_t debuginfod; /* timeout for each file in seconds; 0: query no server */
};

/* 0 or -errno. */
int opener_begin(const struct opener_task *task);
void opener_end(void);

/* Opens the i-th output, described by `to`. Returns 0 or -errno. */
int opener_output(unsigned int i, const struct opener_output *to, struct output *out);
/* The same for an output that is a folder: returns its descriptor or -errno. Renames an older
 * one. */
int opener_folder(unsigned int i, const struct opener_output *to, bool *renamed);
/* Creates a file in that folder; the name consists of small letters and digits. Returns a
 * descriptor or -errno. */
int opener_in_folder(int folder, const char *name);
/* Opens a file below the root of a running process for reading; links cannot lead outside of it.
 * The user must have the right to inspect that process. Returns a descriptor or -errno. */
int opener_inside(uint32_t pid, const char *path);
/* Opens a regular file, not a symbolic link, with this user's rights and without supplementary
 * groups. Returns a descriptor or -errno. */
int opener_as(uid_t uid, gid_t gid, const char *path);
/* Creates an unnamed file in TMPDIR for writing and reading. Returns a descriptor or -errno. */
int opener_spool(void);

#endif
