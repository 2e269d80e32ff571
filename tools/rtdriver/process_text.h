/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parses lines of /proc/PID/status and maps that show what kind of process it is. */
#ifndef RTDRIVER_PROCESS_TEXT_H
#define RTDRIVER_PROCESS_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct process_status {
	char state; /* R, S, T, … */
	bool has_uid;
	uid_t uid;       /* the effective one */
	pid_t process;   /* whose thread it is */
	pid_t inner;     /* the pid in the innermost namespace; 0: not known */
	uint64_t caught; /* a bit for each signal that is handled */
};

void process_status_line(struct process_status *s, const char *line, size_t length);

enum process_library { LIBRARY_NONE, LIBRARY_VM, LIBRARY_AGENT };
/* For LIBRARY_AGENT, stores the path in `agent`; a path that does not fit, or is deleted, counts as
 * LIBRARY_NONE. */
enum process_library process_library(const char *line, size_t length, char *agent, size_t room);

#endif
