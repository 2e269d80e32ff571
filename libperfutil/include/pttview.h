/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * PTT seen from outside: the threads of processes, of a command, of all, and what else each CPU
 * did, so that all of its time adds up. By the pitrace module alone. Functions return 0 (or what is
 * said) or a negative enum pi_rc, with a sentence in TraceLastError.
 */
#ifndef PITRACE_PTTVIEW_H
#define PITRACE_PTTVIEW_H

#include <ptt.h>

#ifdef __cplusplus
extern "C" {
#endif

struct pttview_options {
	int count;			/* of metrics: names and priv as PttInit's */
	const char *const *metrics;
	int priv;
	int threads;			/* to have room for at a time; 0: 1024, or fewer (64 at
					   least), where memory is short */
	int charged;			/* interrupts are charged to whom they interrupt */
};
struct pttview;

struct pttview *pttview_open(const struct pttview_options *options, int *rc);
void pttview_close(struct pttview *v);

/* A process with its future threads, one with all that it will create, or all threads there are and
 * will be: how many it is now. */
enum pttview_whom { PTTVIEW_PROCESS, PTTVIEW_CHILDREN, PTTVIEW_ALL };
int pttview_add(struct pttview *v, int whom, int pid);
int pttview_remove(struct pttview *v, int whom, int pid);
int pttview_charge(struct pttview *v, int charged);
/* Brings all values up to now; stop: and they stay so. */
int pttview_update(struct pttview *v);
int pttview_stop(struct pttview *v);

/* Slots are 0 to pttview_slots - 1. A thread's data: 1, or 0 when the slot is free. */
int pttview_slots(const struct pttview *v);
int pttview_thread(const struct pttview *v, int slot, struct ptt_thread_data *data);

/* Threads that gave up their slots to others, together; and who found none. */
struct pttview_gone {
	uint64_t threads, dispatches, interrupts;
	uint64_t value[PTT_METRICS], interrupt[PTT_METRICS];
	uint64_t unwatched;		/* threads that were not counted: there was no room */
};
void pttview_gone(const struct pttview *v, struct pttview_gone *gone);

enum pttview_bucket { PTTVIEW_THREADS, PTTVIEW_OTHER, PTTVIEW_IDLE, PTTVIEW_INTERRUPTS,
		      PTTVIEW_BUCKETS };
struct pttview_cpu {
	uint32_t online;		/* it counts */
	uint32_t missing;		/* a bit for each metric not counted all the time */
	uint64_t dispatches, interrupts;
	uint64_t steal;			/* ns that a hypervisor gave to others; also in buckets */
	uint64_t wall[PTT_METRICS];	/* its buckets add up to this */
	uint64_t bucket[PTTVIEW_BUCKETS][PTT_METRICS];
};
/* CPUs are 0 to pttview_cpus - 1, if this user may see them. 1, or 0: there is no such CPU. */
int pttview_cpus(const struct pttview *v);
int pttview_cpu(const struct pttview *v, int cpu, struct pttview_cpu *data);

/* As PttGetInfo; no thread reads itself here. */
void pttview_info(const struct pttview *v, struct ptt_info *info);
/* Are interrupts charged at the moment? Is nothing counted any more? */
int pttview_charged(const struct pttview *v);
int pttview_stopped(const struct pttview *v);
/* How many PTTs there are on this machine, whoever's. */
int pttview_users(void);

/* One for programs that come and go: a process of its own keeps it, one a user, until it is told to
 * end. Whoever attaches reads the same pages. */
#define PTTVIEW_HELD_PIDS 64
struct pttview_held {
	uint32_t size, version;		/* sizeof, 1 */
	int32_t  holder;		/* its pid */
	uint32_t uid;			/* its user */
	uint64_t begun;			/* CLOCK_MONOTONIC, ns */
	int32_t  whom;			/* enum pttview_whom */
	int32_t  priv;			/* of the metrics, enum trace_priv */
	uint32_t pids;			/* the processes; none with PTTVIEW_ALL */
	uint32_t metrics;
	int32_t  pid[PTTVIEW_HELD_PIDS];
	char	 metric[PTT_METRICS][64];
	uint8_t  cycles[PTT_METRICS];	/* it is the machine's counter, not an event */
};
/* PI_BUSY: there is one. */
int pttview_hold(const struct pttview_options *options, int whom, const int *pids, int count);
/* PI_NOT_INITIALIZED: there is none; PI_HOLDER_GONE: it was killed. *held may be NULL. */
struct pttview *pttview_attach(struct pttview_held *held, int *rc);
/* Of that which is held: interrupts are charged to whom they interrupt, or (0) apart. */
int pttview_charge_held(int charged);
int pttview_end(void);

#ifdef __cplusplus
}
#endif
#endif
