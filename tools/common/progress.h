/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A progress line on stderr for long work: only on a terminal, after two seconds, at most ten times
 * a second. If stderr is not a terminal, every call does nothing.
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
/* Reads the clock: call it only every few thousand records. */
void progress_update(struct progress *p, uint64_t done, uint64_t total);
void progress_end(struct progress *p);

#endif
