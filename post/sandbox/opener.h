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

#include "options.h"
#include "output.h"

/* 0 or -errno. */
int opener_begin(const struct options *o);
void opener_end(void);

/* The i-th output (report.h, reports_output). 0 or -errno. */
int opener_output(const struct options *o, unsigned int i, struct output *out);
/* The same, of a format that is a folder: its descriptor or -errno. */
int opener_folder(const struct options *o, unsigned int i, bool *renamed);
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
