/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * System calls: number, duration and errors, by thread and call. A thread is in one call at a time.
 * sched provides the time that the thread was blocked or waited for a CPU during a call.
 */
#ifndef POST_SYSCALLS_H
#define POST_SYSCALLS_H

#include "model/sched.h"

struct syscall_row {
	uint32_t thread;    /* index in names */
	uint32_t call;      /* number | PITRACE_SYSCALL_COMPAT */
	struct spread time; /* from entry to exit */
	uint64_t off, wait; /* part of it: asleep or blocked; runnable without a CPU */
	uint64_t errors;
	uint64_t no_return; /* the thread ended inside: it exited or was killed */
	uint64_t open;      /* not finished when tracing ended */
	uint64_t cut;       /* the exit is missing, or records were lost inside */
};

struct syscall_error {
	uint32_t row, error;
	uint64_t count;
};

struct syscall_open {
	bool is_open;
	uint32_t row;
	uint64_t since, off, wait;
};

struct syscalls {
	struct sched *sched;
	struct syscall_row *row;
	uint32_t nrow, room;
	struct keys by_key;
	struct syscall_error *error;
	uint32_t nerror, room_error;
	struct keys by_error;
	struct syscall_open *open; /* by index in sched */
	uint32_t nopen, room_open;
	uint64_t stray; /* exits without an entry: lost, or before the trace */
};

/* Return 0 or -ENOMEM. */
int syscalls_enter(struct syscalls *c, const struct pirecord *r, const struct pitrace_sysenter *e);
int syscalls_exit(struct syscalls *c, const struct pirecord *r, const struct pitrace_sysexit *e);
/* The thread with this tid ends, or the tid has a new owner. */
void syscalls_thread_ends(struct syscalls *c, uint32_t tid);
void syscalls_end(struct syscalls *c);
/* Merges rows of `from` with equal keys and calls into rows whose thread is the key; errors are in
 * the order of rows, the most frequent first. */
int syscalls_group(struct syscalls *into, const struct syscalls *from,
		   uint32_t (*key)(const struct names *n, uint32_t thread));
/* Call after syscalls_group(): returns the `count` errors of a row. */
const struct syscall_error *syscalls_errors(const struct syscalls *c, uint32_t row,
					    uint32_t *count);
void syscalls_free(struct syscalls *c);

#endif
