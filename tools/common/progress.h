/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A line of progress on stderr, for work that lasts: only on a terminal, only after two seconds,
 * at most ten times a second. Elsewhere every call does nothing.
 */
#ifndef COMMON_PROGRESS_H
#define COMMON_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct progress {
	const char *what;
	uint64_t begun, shown; /* ns */
	bool terminal, visible;
};

void progress_begin(struct progress *p, const char *what, bool quiet);
/* Reads the clock: call it every few thousand records. */
void progress_update(struct progress *p, uint64_t done, uint64_t total);
void progress_end(struct progress *p);

#endif
