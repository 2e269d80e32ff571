/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * PTT: what each thread really used. Metrics are chosen once, threads are added, and each reads
 * its own values when it likes: what it used while it ran, on whatever CPU, with what interrupts
 * took of it set apart. Where the pitrace module serves, a read of cycles is a few instructions and
 * no system call; where it does not, perf's counters of threads serve, and PttGetInfo says what
 * they cannot tell. A program has its own PTT: others see nothing of it. Functions return 0 or a
 * negative enum pi_rc, with a sentence in TraceLastError.
 */
#ifndef PITRACE_PTT_H
#define PITRACE_PTT_H

#include <perfutil.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PTT_METRICS	PITRACE_METRICS		/* at most, at a time */

/* Before PttInit: so many threads at a time, 1 to PITRACE_PTT_SLOTS; 256 if not called. An ended
 * one's place is given away when there is no other. Each takes a page of the memory that this user
 * may lock (ulimit -l). */
int PttSetThreads(int most);
/* At any time: interrupts are charged to whom they interrupt, or (0, the default) set apart. */
int PttSetCharge(int charged);

/*
 * Metrics by name: "tsc" is the machine's counter (see cycles.h), of all code; others are events,
 * as TraceFindEvents knows them: "instructions", "page-faults", "cache-misses:u". priv: of events,
 * whose code is counted (enum trace_priv).
 * PI_DUPLICATE_METRIC, PI_TOO_MANY_METRICS, PI_EVENT_UNSUPPORTED: this machine has no such counter;
 * PI_BUSY: others have it, or it is one more than can be counted at a time.
 */
int PttInit(int count, const char *const metrics[], int priv);
/* All threads are forgotten. What another one reads at that moment is void. */
int PttTerminate(void);

/* A thread, also another process's that this user may watch; 0: this one. Twice is no error. */
int PttInitThread(int tid);
int PttUninitThread(int tid);

/*
 * The calling thread's own metrics, `count` of them, from when it was added: set by PttInit to what
 * reads this number and kind of metrics fastest. A thread that was added by another one is found at
 * its first call. Never steps back. PI_NOT_INITIALIZED; PI_NO_PROCESS: it was not added.
 */
extern int (*PttGetMetricData)(uint64_t *values);

struct ptt_thread_data {
	uint32_t size, version;		/* set by PttGetThreadData: sizeof, 1 */
	int32_t  pid, tid;
	int32_t  ended;			/* 1: the thread has */
	uint32_t metrics;
	uint64_t dispatches, interrupts;	/* while it ran, see ptt_info.apart */
	uint64_t value[PTT_METRICS];
	uint64_t interrupt[PTT_METRICS];	/* what interrupts took; not in value */
	char	 name[16];
	uint64_t generation;		/* of pttview_thread: how many threads had this slot */
};
/* Another thread that was added, or this one (0), as of now. */
int PttGetThreadData(int tid, struct ptt_thread_data *data);

struct ptt_info {
	uint32_t size, version;		/* set by PttGetInfo: sizeof, 1 */
	uint32_t metrics;
	uint32_t threads;		/* that there is room for */
	uint32_t apart;			/* 1: interrupts are known; 0: they are in the values */
	uint32_t fast;			/* 1: PttGetMetricData makes no system call */
	char	 collector[16];		/* "driver", "perf" */
	char	 metric[PTT_METRICS][64];
	char	 unit[PTT_METRICS][16];	/* "cycles", "ns", "events" */
	char	 note[400];		/* what it cannot tell, and why; or "" */
};
int PttGetInfo(struct ptt_info *info);

#ifdef __cplusplus
}
#endif
#endif
