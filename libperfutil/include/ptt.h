/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * PTT: the resources that each thread used. Metrics are chosen once, threads are added, and each
 * reads its own values at any time: its usage while it ran, on any CPU, without the share of
 * interrupts. With the pitrace module a read of cycles takes a few instructions without a system
 * call; without it, perf's thread counters are used, and PttGetInfo says what they cannot report.
 * Each program has its own PTT, invisible to others. Functions return 0 or a negative enum pi_rc,
 * with a message in TraceLastError.
 */
#ifndef PITRACE_PTT_H
#define PITRACE_PTT_H

#include <stddef.h>
#include "perfutil.h"
#include "pitrace_attributes.h"

#ifdef __cplusplus
extern "C" {
#endif

#define PTT_METRICS PITRACE_METRICS /* the maximum at a time */

/* Call before PttInit: the maximum number of threads at a time, 1 to PITRACE_PTT_SLOTS; default
 * 256. The slot of an exited thread is reused when no other is free. Each slot takes a page of
 * locked memory (ulimit -l). */
int PttSetThreads(int most);
/* At any time: charge interrupts to the interrupted thread, or (0, the default) count them
 * separately. */
int PttSetCharge(int charged);

/*
 * Metrics by name: "tsc" is the machine's counter (see cycles.h), in all code; others are events
 * that TraceFindEvents accepts: "instructions", "page-faults", "cache-misses:u". priv: the code in
 * which events are counted (enum trace_priv). PI_DUPLICATE_METRIC, PI_TOO_MANY_METRICS,
 * PI_EVENT_UNSUPPORTED: this machine has no such counter; PI_BUSY: the counter is in use, or more
 * are requested than can be counted at a time.
 */
int PttInit(int count, const char *const metrics[], int priv) PITRACE_USE_RESULT;
/* Ends PTT. A value that another thread reads at the same time is undefined. */
int PttTerminate(void);

/* Adds a thread, possibly of another process that this user may watch; 0: the calling thread.
 * Adding it twice is not an error. */
int PttInitThread(int tid);
int PttUninitThread(int tid);

/*
 * Reads the calling thread's own metrics, `count` of them, since it was added. PttInit sets it to
 * the fastest reader for these metrics. A thread added by another one is recognized at its first
 * call. Values never decrease. PI_NOT_INITIALIZED; PI_NO_PROCESS: the thread was not added.
 */
extern int (*PttGetMetricData)(uint64_t *values);

struct ptt_thread_data {
	uint32_t size, version; /* set by PttGetThreadData: sizeof, 1 */
	int32_t pid, tid;
	int32_t ended; /* 1: the thread has exited */
	uint32_t metrics;
	uint64_t dispatches, interrupts; /* while it ran, see ptt_info.apart */
	uint64_t value[PTT_METRICS];
	uint64_t interrupt[PTT_METRICS]; /* used by interrupts; not included in value */
	char name[16];
	uint64_t generation; /* pttview_thread: number of threads that had this slot */
};
/* Reads the present values of an added thread; 0: the calling thread. */
int PttGetThreadData(int tid, struct ptt_thread_data *data) PITRACE_WRITES(2);

struct ptt_info {
	uint32_t size, version; /* set by PttGetInfo: sizeof, 1 */
	uint32_t metrics;
	uint32_t threads;   /* maximum threads */
	uint32_t apart;     /* 1: interrupts are separate; 0: included in the values */
	uint32_t fast;      /* 1: PttGetMetricData makes no system call */
	char collector[16]; /* "driver", "perf" */
	char metric[PTT_METRICS][64];
	char unit[PTT_METRICS][16]; /* "cycles", "ns", "events" */
	char note[400];             /* what it cannot report, and why; or "" */
};
int PttGetInfo(struct ptt_info *info) PITRACE_WRITES(1);

/* The same for a struct of this size: see libperfutil(3). Programs use the plain names. */
int PttGetThreadData_sized(int tid, struct ptt_thread_data *data, size_t size) PITRACE_WRITES(2);
int PttGetInfo_sized(struct ptt_info *info, size_t size) PITRACE_WRITES(1);
#ifndef PITRACE_OWN_SOURCE
#define PttGetThreadData(...) PttGetThreadData_sized(__VA_ARGS__, sizeof(struct ptt_thread_data))
#define PttGetInfo(...)       PttGetInfo_sized(__VA_ARGS__, sizeof(struct ptt_info))
#endif

#ifdef __cplusplus
}
#endif
#endif
