/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Counters: counts events, without sampling, by the kernel's perf events: on CPUs, for a process
 * with its threads and everything they create, for one thread, or for a command. Each event has a
 * hardware counter all the time it counts, or its state says otherwise: nothing is ever scaled.
 * Functions return 0 or a negative enum pi_rc, with a message in TraceLastError.
 */
#ifndef PITRACE_COUNTERS_H
#define PITRACE_COUNTERS_H

#include <stddef.h>
#include "perfutil.h"
#include "pitrace_attributes.h"

#ifdef __cplusplus
extern "C" {
#endif

enum counters_scope {
	COUNTERS_CPUS,
	COUNTERS_PROCESS,
	COUNTERS_THREAD,
	COUNTERS_COMMAND, /* a child of this process, from its exec on */
};
struct counters_options {
	int scope;
	int pid; /* the process, the thread, the child */
	const unsigned int *cpus;
	uint32_t ncpus;
	uint32_t nevents; /* at most PITRACE_EVENTS, see TraceFindEvents */
	const struct pitrace_event_args *events;
};

enum counter_state {
	COUNTER_COUNTED,
	COUNTER_NO_ROOM, /* the PMU had no free counter: there is no value */
	COUNTER_PARTLY,  /* … had one part of the time: the value is too small */
};
struct counter_value {
	char name[64];
	int32_t cpu;        /* -1: not per CPU */
	uint32_t state;     /* enum counter_state */
	uint32_t user_only; /* this user may not see the kernel's part */
	uint32_t reserved;
	uint64_t value;
	uint64_t wanted, counted; /* ns for which it should have counted, and for which it did */
};

struct counters;

struct counters *counters_open(const struct counters_options *options, int *rc)
	PITRACE_NONNULL(2) PITRACE_USE_RESULT;
void counters_close(struct counters *c);
/* COUNTERS_COMMAND starts counting at the exec. */
int counters_on(struct counters *c) PITRACE_NONNULL(1);
int counters_off(struct counters *c) PITRACE_NONNULL(1);
/* Resets all values to zero, on or off. */
int counters_reset(struct counters *c) PITRACE_NONNULL(1);
/* One value per event, with COUNTERS_CPUS one per event and CPU; on or off. Returns their number,
 * of which at most `room` were filled in. */
int counters_read(struct counters *c, struct counter_value *list, unsigned int room)
	PITRACE_NONNULL(1) PITRACE_WRITES(2, 3) PITRACE_USE_RESULT;

/* The same in a daemon, one per user, which counts until it is stopped. */
struct counters_held {
	uint32_t size, version; /* sizeof, 1 */
	int32_t holder;         /* pid of the daemon */
	int32_t scope, pid;
	uint32_t values;  /* number of values */
	uint64_t elapsed; /* ns since it started */
};
int counters_hold(const struct counters_options *options) PITRACE_USE_RESULT;
/* Reads the values so far; stop: and ends the daemon. Otherwise as counters_read. */
int counters_ask(int stop, struct counters_held *held, struct counter_value *list,
		 unsigned int room) PITRACE_USE_RESULT;

/* The same for a struct of this size: see libperfutil(3). Programs use the plain names. */
int counters_read_sized(struct counters *c, struct counter_value *list, unsigned int room,
			size_t size) PITRACE_NONNULL(1) PITRACE_WRITES(2, 3) PITRACE_USE_RESULT;
int counters_ask_sized(int stop, struct counters_held *held, struct counter_value *list,
		       unsigned int room, size_t held_size, size_t size) PITRACE_USE_RESULT;
struct counters *counters_open_sized(const struct counters_options *options, int *rc, size_t size)
	PITRACE_NONNULL(2) PITRACE_USE_RESULT;
int counters_hold_sized(const struct counters_options *options, size_t size) PITRACE_USE_RESULT;
#ifndef PITRACE_OWN_SOURCE
#define counters_open(...) counters_open_sized(__VA_ARGS__, sizeof(struct counters_options))
#define counters_hold(...) counters_hold_sized(__VA_ARGS__, sizeof(struct counters_options))
#define counters_read(...) counters_read_sized(__VA_ARGS__, sizeof(struct counter_value))
#define counters_ask(...) \
	counters_ask_sized(__VA_ARGS__, sizeof(struct counters_held), sizeof(struct counter_value))
#endif

#ifdef __cplusplus
}
#endif
#endif
