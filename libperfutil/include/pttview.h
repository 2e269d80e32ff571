/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * PTT from outside: the threads of processes, of a command, or all threads, and the other activity
 * of each CPU, so that all of its time is accounted for. Needs the pitrace module. Functions return
 * 0 (or a value as described) or a negative enum pi_rc, with a message in TraceLastError.
 */
#ifndef PITRACE_PTTVIEW_H
#define PITRACE_PTTVIEW_H

#include <stddef.h>
#include "ptt.h"
#include "pitrace_attributes.h"

#ifdef __cplusplus
extern "C" {
#endif

struct pttview_options {
	int count; /* number of metrics; names and priv as in PttInit */
	const char *const *metrics;
	int priv;
	/* maximum at a time; 0: 1024, or fewer (64 at least) where memory is short */
	int threads;
	int charged; /* interrupts are charged to the interrupted thread */
};
struct pttview;

struct pttview *pttview_open(const struct pttview_options *options, int *rc)
	PITRACE_NONNULL(2) PITRACE_USE_RESULT;
void pttview_close(struct pttview *v);

/* Adds a process with its future threads (PROCESS), also with everything it will create (CHILDREN),
 * or all present and future threads (ALL). Returns the present number of threads. */
enum pttview_whom { PTTVIEW_PROCESS, PTTVIEW_CHILDREN, PTTVIEW_ALL };
int pttview_add(struct pttview *v, int whom, int pid) PITRACE_NONNULL(1);
int pttview_remove(struct pttview *v, int whom, int pid) PITRACE_NONNULL(1);
int pttview_charge(struct pttview *v, int charged) PITRACE_NONNULL(1);
/* Updates all values; stop also freezes them. */
int pttview_update(struct pttview *v) PITRACE_NONNULL(1);
int pttview_stop(struct pttview *v) PITRACE_NONNULL(1);

/* Slots are 0 to pttview_slots - 1. Reads a thread's data: 1, or 0 when the slot is free. */
int pttview_slots(const struct pttview *v) PITRACE_NONNULL(1);
int pttview_thread(const struct pttview *v, int slot, struct ptt_thread_data *data)
	PITRACE_NONNULL(1) PITRACE_WRITES(3);

/* The sums of threads whose slots were reused, and the number of threads that found no slot. */
struct pttview_gone {
	uint64_t threads, dispatches, interrupts;
	uint64_t value[PTT_METRICS], interrupt[PTT_METRICS];
	uint64_t unwatched; /* threads not counted for lack of a slot */
};
void pttview_gone(const struct pttview *v, struct pttview_gone *gone) PITRACE_NONNULL(1)
	PITRACE_WRITES(2);

enum pttview_bucket {
	PTTVIEW_THREADS,
	PTTVIEW_OTHER,
	PTTVIEW_IDLE,
	PTTVIEW_INTERRUPTS,
	PTTVIEW_BUCKETS
};
struct pttview_cpu {
	uint32_t online;  /* the CPU is being counted */
	uint32_t missing; /* one bit for each metric not counted all the time */
	uint64_t dispatches, interrupts;
	uint64_t steal;             /* ns stolen by the hypervisor; included in buckets */
	uint64_t wall[PTT_METRICS]; /* sum of its buckets */
	uint64_t bucket[PTTVIEW_BUCKETS][PTT_METRICS];
};
/* CPUs are 0 to pttview_cpus - 1, if this user may see them. 1, or 0: no such CPU. */
int pttview_cpus(const struct pttview *v) PITRACE_NONNULL(1);
int pttview_cpu(const struct pttview *v, int cpu, struct pttview_cpu *data) PITRACE_NONNULL(1)
	PITRACE_WRITES(3) PITRACE_USE_RESULT;

/* As PttGetInfo; `fast` does not apply, because threads do not read their own values here. */
void pttview_info(const struct pttview *v, struct ptt_info *info) PITRACE_NONNULL(1)
	PITRACE_WRITES(2);
/* Are interrupts charged at present? Has counting stopped? */
int pttview_charged(const struct pttview *v) PITRACE_NONNULL(1);
int pttview_stopped(const struct pttview *v) PITRACE_NONNULL(1);
/* The number of PTTs on this machine, of all users. */
int pttview_users(void);

/* A PTT for short-lived programs: a daemon keeps it, one per user, until it is stopped. All clients
 * read the same pages. */
#define PTTVIEW_HELD_PIDS 64
struct pttview_held {
	uint32_t size, version; /* sizeof, 1 */
	int32_t holder;         /* pid of the daemon */
	uint32_t uid;           /* its owner */
	uint64_t begun;         /* CLOCK_MONOTONIC, ns */
	int32_t whom;           /* enum pttview_whom */
	int32_t priv;           /* of the metrics, enum trace_priv */
	uint32_t pids;          /* the processes; none with PTTVIEW_ALL */
	uint32_t metrics;
	int32_t pid[PTTVIEW_HELD_PIDS];
	char metric[PTT_METRICS][64];
	uint8_t cycles[PTT_METRICS]; /* it is the machine's counter, not an event */
};
/* PI_BUSY: one exists already. */
int pttview_hold(const struct pttview_options *options, int whom, const int *pids,
		 int count) PITRACE_USE_RESULT;
/* PI_NOT_INITIALIZED: none exists; PI_HOLDER_GONE: it was killed. *held may be NULL. */
struct pttview *pttview_attach(struct pttview_held *held, int *rc)
	PITRACE_NONNULL(2) PITRACE_USE_RESULT;
/* For the daemon's PTT: charge interrupts to the interrupted thread, or (0) count them
 * separately. */
int pttview_charge_held(int charged);
int pttview_end(void);

/* The same for a struct of this size: see libperfutil(3). Programs use the plain names. */
int pttview_thread_sized(const struct pttview *v, int slot, struct ptt_thread_data *data,
			 size_t size) PITRACE_NONNULL(1) PITRACE_WRITES(3);
void pttview_gone_sized(const struct pttview *v, struct pttview_gone *gone, size_t size)
	PITRACE_NONNULL(1) PITRACE_WRITES(2);
int pttview_cpu_sized(const struct pttview *v, int cpu, struct pttview_cpu *data, size_t size)
	PITRACE_NONNULL(1) PITRACE_WRITES(3) PITRACE_USE_RESULT;
void pttview_info_sized(const struct pttview *v, struct ptt_info *info, size_t size)
	PITRACE_NONNULL(1) PITRACE_WRITES(2);
struct pttview *pttview_attach_sized(struct pttview_held *held, int *rc, size_t size)
	PITRACE_NONNULL(2) PITRACE_USE_RESULT;
struct pttview *pttview_open_sized(const struct pttview_options *options, int *rc, size_t size)
	PITRACE_NONNULL(2) PITRACE_USE_RESULT;
int pttview_hold_sized(const struct pttview_options *options, int whom, const int *pids, int count,
		       size_t size) PITRACE_USE_RESULT;
#ifndef PITRACE_OWN_SOURCE
#define pttview_open(...)   pttview_open_sized(__VA_ARGS__, sizeof(struct pttview_options))
#define pttview_hold(...)   pttview_hold_sized(__VA_ARGS__, sizeof(struct pttview_options))
#define pttview_thread(...) pttview_thread_sized(__VA_ARGS__, sizeof(struct ptt_thread_data))
#define pttview_gone(...)   pttview_gone_sized(__VA_ARGS__, sizeof(struct pttview_gone))
#define pttview_cpu(...)    pttview_cpu_sized(__VA_ARGS__, sizeof(struct pttview_cpu))
#define pttview_info(...)   pttview_info_sized(__VA_ARGS__, sizeof(struct ptt_info))
#define pttview_attach(...) pttview_attach_sized(__VA_ARGS__, sizeof(struct pttview_held))
#endif

#ifdef __cplusplus
}
#endif
#endif
