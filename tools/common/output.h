/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * An output file: never overwritten in silence (an older one becomes NAME.old), never written
 * through a link that another user planted, errors reported at the end. A FIFO that is read, a
 * terminal, /dev/null and /dev/full may stand there; no other device is touched. "-" is stdout;
 * /dev/stdout, /dev/stderr and /dev/fd/N are what the process has open there. Under sudo an output
 * belongs to the caller and is made with the caller's rights: where the caller may not write, and
 * where the caller's links lead to, nothing is written.
 */
#ifndef COMMON_OUTPUT_H
#define COMMON_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

struct rights_saved;

struct output {
	FILE *file;
	const char *path;
	bool renamed; /* an older file is now path.old */
};

/* 0, or -errno. The mode is cut by the umask. */
int output_open(struct output *o, const char *path, mode_t mode);
/* The same for an empty folder: its descriptor or -errno. */
int output_folder(const char *path, mode_t mode, bool *renamed);
/* From here on this thread makes files as outputs are made, until it gives the rights back
 * (rights.h). 0 or -errno. */
int output_take_rights(struct rights_saved *kept);
/* 0, or -errno of the first write that failed (a closed pipe, a full disk). */
int output_close(struct output *o);
/* The text of an error of these functions, to be printed behind the path and a colon. */
const char *output_error(int rc);

#endif
