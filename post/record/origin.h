/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Several traces that are read as one (merged.h), and the trace that a pid belongs to. Records and
 * liba2n use pids that include the trace's index; users see and enter the pid on the trace's own
 * machine.
 */
#ifndef POST_ORIGIN_H
#define POST_ORIGIN_H

#include <a2n.h>
#include <stdbool.h>
#include <stdint.h>

#define ORIGINS     A2N_MACHINES
#define ORIGIN_PIDS ((1u << A2N_PID_BITS) - 1) /* the last one: unknown */

struct origin {
	const char *label; /* distinguishes this file from the others */
	const char *path;
	int64_t shift;    /* ns to add to its times for merged times */
	char machine[33]; /* utsname.machine; "": unknown */
	bool frames;      /* as in its reader (input.h) */
};

/* Returns the pid of origin i as records have it. */
static inline uint32_t origin_pid(uint32_t i, uint32_t pid)
{
	return i << A2N_PID_BITS | (pid < ORIGIN_PIDS ? pid : ORIGIN_PIDS);
}

/* Returns the pid on its own machine. */
static inline uint32_t origin_own(uint32_t pid)
{
	pid &= ORIGIN_PIDS;
	return pid == ORIGIN_PIDS ? UINT32_MAX : pid;
}

static inline uint32_t origin_of(uint32_t pid)
{
	return pid >> A2N_PID_BITS;
}

/* Converts to merged time; times before the common beginning become 0. */
static inline uint64_t origin_time(const struct origin *o, uint64_t time)
{
	uint64_t shift = o->shift < 0 ? -(uint64_t)o->shift : (uint64_t)o->shift;

	if (o->shift < 0)
		return time > shift ? time - shift : 0;
	return time < UINT64_MAX - shift ? time + shift : UINT64_MAX;
}

#endif
