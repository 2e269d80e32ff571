/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A log that is written when the VM ends. Until then a file with its name says that it is
 * incomplete, and remains if the VM is killed. Links are not followed, and files of other owners
 * are refused.
 */
#ifndef LOG_FILE_H
#define LOG_FILE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#define LOG_FILE_PATH (4096 + 256 + 32)

struct log_file {
	char path[LOG_FILE_PATH];
	const char *program; /* for messages */
	uint32_t number;     /* among the process's logs; 0: the first */
	const char *kind;    /* the first line is "pitrace KIND" */
	/* The file stays open, and is written even if the program gives up its rights or has
	 * another root by then. */
	bool keeps;
	bool kept;  /* by log_file_make(): */
	bool whole; /* a complete log has been written since then */
	int fd;
	dev_t dev; /* of the file that was opened last; ino 0: none */
	ino_t ino;
};

/* Composes KIND.N_PID in the folder ("": the working folder); with a prefix, PREFIX.N_PID for
 * log-rt, PREFIX-gen.N_PID for log-gen, and so on. */
void log_file_path(char path[LOG_FILE_PATH], const char *folder, const char *prefix,
		   const char *kind, uint32_t number);
/* Creates the incomplete file. runs: names the program, for its text. On failure returns false
 * after a message. */
bool log_file_make(struct log_file *l, const char *folder, const char *prefix, const char *runs);
/* Replaces the file by a new one, for the complete log; NULL: errno is set. */
FILE *log_file_open(struct log_file *l);
/* Closes the log; err is the result of writing it. Prints a message if it is incomplete. */
void log_file_close(struct log_file *l, FILE *out, int err);
/* Writing it has failed on the way and cannot be continued: the file says why instead.
 * Async-signal-safe. */
void log_file_lost(const struct log_file *l, const char *why);

#endif
