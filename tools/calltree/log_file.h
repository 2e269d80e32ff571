/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A log that is written when the VM ends. Until then a file of its name says that it is not whole:
 * a VM that is killed leaves that behind. Links are not followed, and what others own is refused.
 */
#ifndef LOG_FILE_H
#define LOG_FILE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define LOG_FILE_PATH (4096 + 256 + 32)

struct log_file {
	char path[LOG_FILE_PATH];
	const char *program; /* who speaks in messages */
	uint32_t number;     /* of the process's logs this one; 0: the first */
	const char *kind;    /* its first line: "pitrace KIND" */
};

/* KIND.N_PID in the folder; "": the working folder. With a prefix PREFIX.N_PID for log-rt,
 * PREFIX-gen.N_PID for log-gen, and so on. */
void log_file_path(char path[LOG_FILE_PATH], const char *folder, const char *prefix,
		   const char *kind, uint32_t number);
/* Makes it. runs: what may end before it is whole. False after a message: it cannot be made. */
bool log_file_make(struct log_file *l, const char *folder, const char *prefix, const char *runs);
/* A new file in its place, to write it whole; NULL: errno says why. */
FILE *log_file_open(struct log_file *l);
/* It is written; err is what writing it returned. A message tells if it is not whole. */
void log_file_close(struct log_file *l, FILE *out, int err);

#endif
