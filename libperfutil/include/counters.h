/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Counters: events counted, not sampled, by the kernel's perf events: those of CPUs, of a process
 * with its threads and all that they create, of one thread, or of a command. Each has a counter of
 * its own as long as it counts, or that is told: nothing is ever scaled. Functions return 0 or a
 * negative enum pi_rc, with a sentence in TraceLastError.
 */
#ifndef PITRACE_COUNTERS_H
#define PITRACE_COUNTERS_H

#include <perfutil.h>

#ifdef __cplusplus
extern "C" {
#endif

enum counters_scope {
	COUNTERS_CPUS, COUNTERS_PROCESS, COUNTERS_THREAD,
	COUNTERS_COMMAND,		/* a child of ours, from when it executes a program */
};
struct counters_options {
	int scope;
	int pid;			/* the process, the thread, the child */
	const unsigned int *cpus;
	uint32_t ncpus;
	uint32_t nevents;		/* at most PITRACE_EVENTS, see TraceFindEvents */
	const struct pitrace_event_args *events;
};

enum counter_state {
	COUNTER_COUNTED,
	COUNTER_NO_ROOM,		/* the PMU had no counter free for it: there is no value */
	COUNTER_PARTLY,			/* … part of the time: the value is too small */
};
struct counter_value {
	char	 name[64];
	int32_t  cpu;			/* -1: not of a CPU */
	uint32_t state;			/* enum counter_state */
	uint32_t user_only;		/* this user may not see the kernel's part */
	uint32_t reserved;
	uint64_t value;
	uint64_t wanted, counted;	/* ns for which it was to count, and did */
};

struct counters;

struct counters *counters_open(const struct counters_options *options, int *rc);
void counters_close(struct counters *c);
/* Of COUNTERS_COMMAND they are on from the exec. */
int counters_on(struct counters *c);
int counters_off(struct counters *c);
/* All values are zero again, on or off. */
int counters_reset(struct counters *c);
/* A value an event, of COUNTERS_CPUS one an event and CPU; on or off. Their number, of which at
 * most `room` were filled in. */
int counters_read(struct counters *c, struct counter_value *list, unsigned int room);

/* The same in a process of its own, one a user, which counts until it is told to stop. */
struct counters_held {
	uint32_t size, version;		/* sizeof, 1 */
	int32_t  holder;		/* its pid */
	int32_t  scope, pid;
	uint32_t values;		/* how many there are */
	uint64_t elapsed;		/* ns since it began */
};
int counters_hold(const struct counters_options *options);
/* What it counted so far; stop: and it ends. As counters_read. */
int counters_ask(int stop, struct counters_held *held, struct counter_value *list,
		 unsigned int room);

#ifdef __cplusplus
}
#endif
#endif
