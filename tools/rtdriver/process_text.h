/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lines of /proc/PID/status and maps, as far as they say what kind of process it is. */
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
	pid_t inner;     /* its number in the innermost namespace; 0: not known */
	uint64_t caught; /* signals, by their bits */
};

void process_status_line(struct process_status *s, const char *line, size_t length);

enum process_library { LIBRARY_NONE, LIBRARY_VM, LIBRARY_AGENT };
/* Of LIBRARY_AGENT the path goes to `agent`; one that does not fit, or is deleted, is none. */
enum process_library process_library(const char *line, size_t length, char *agent, size_t room);

#endif
