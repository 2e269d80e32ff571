/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * An output file. An older file is never overwritten silently (it becomes NAME.old), links of other
 * users are not followed, errors are reported at the end. The path may be a FIFO with a reader, a
 * terminal, /dev/null or /dev/full; other devices are refused. "-" is stdout; /dev/stdout,
 * /dev/stderr and /dev/fd/N are the process's own descriptors. Under sudo, an output belongs to the
 * caller and is created with the caller's rights: nothing is written where the caller must not
 * write, nor through the caller's links.
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

/* Creates the output. Returns 0 or -errno. The umask applies to the mode. */
int output_open(struct output *o, const char *path, mode_t mode);
/* Creates an empty folder in the same way. Returns its descriptor or -errno. */
int output_folder(const char *path, mode_t mode, bool *renamed);
/* Lets this thread create files with the rights that outputs are created with, until it restores
 * its own (rights.h). Returns 0 or -errno. */
int output_take_rights(struct rights_saved *kept);
/* Flushes. Returns 0, or -errno if that or an earlier write failed. stdio keeps no reason for the
 * earlier ones: the next write into the incomplete file, a line's end, fails for the same. */
int output_failed(FILE *file);
/* Returns 0, or -errno of the first write that failed (a closed pipe, a full disk). */
int output_close(struct output *o);
/* Returns the text for an error of these functions, to be printed after the path and a colon. */
const char *output_error(int rc);

#endif
