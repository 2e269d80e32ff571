/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Time accounting of threads and CPUs, from dispatches and wake-ups. Each CPU runs one thread, each
 * thread is in one state; time is added when a state ends. A row is a thread under one name
 * (trace_names.h); memory is bounded by threads, CPUs and pairs of waker and wakee.
 */
#ifndef POST_SCHED_H
#define POST_SCHED_H

#include "model/irqs.h"
#include "model/trace_names.h"
#include "model/wakers.h"

/* Why a thread is off its CPU: PITRACE_LEFT_*, or: */
enum {
	SCHED_NEW = PITRACE_LEFT_OTHER + 1, /* created in the trace, not dispatched yet */
	SCHED_BEFORE,                       /* left before the trace, or unrecorded */
	SCHED_REASONS,
};

struct sched_row {                       /* in ns; indexed by names' threads */
	uint64_t run;                    /* on a CPU, including interrupts */
	uint64_t interrupted;            /* part of run: in interrupts */
	uint64_t wait[SCHED_REASONS];    /* runnable but off the CPU, by reason for leaving */
	uint64_t off[SCHED_REASONS];     /* not runnable, likewise */
	uint64_t left[SCHED_REASONS];    /* number of times it left */
	uint64_t longest[SCHED_REASONS]; /* from leaving to running again */
	uint64_t unknown;                /* no record shows its state */
	uint64_t unsure;                 /* part of wait and off: records were lost meanwhile */
	uint64_t dispatches, migrations;
	uint64_t unwoken;          /* sleeps without a wake-up record */
	uint64_t unsure_latencies; /* latencies with lost records, not in `latency` */
	struct spread latency;     /* from wake-up to dispatch */
	int16_t priority;          /* the last one recorded, or PITRACE_PRIORITY_UNKNOWN */
};

enum sched_state { SCHED_UNKNOWN, SCHED_RUNNING, SCHED_WAITING, SCHED_OFF, SCHED_DEAD };

struct sched_thread { /* the current owner of a tid */
	uint32_t pid, tid;
	uint32_t row, epoch; /* `row` is valid in this epoch of names */
	enum sched_state state;
	uint32_t reason; /* WAITING, OFF: why it left */
	bool woken;      /* by a wake-up; RUNNING: it may be about to sleep */
	bool has_left;   /* `left` and `cpu` are known */
	bool in_scope;
	bool born;    /* created while tracing was on */
	uint32_t cpu; /* its current or last CPU */
	uint32_t waker;
	uint64_t since; /* accounted up to here */
	uint64_t left, woken_at;
	uint64_t off_total, wait_total; /* running totals, from which callers take differences */
};

enum sched_what { CPU_UNKNOWN, CPU_IDLE, CPU_THREAD, CPU_OTHERS };

struct sched_cpu {
	bool seen, online;
	bool going_offline;   /* goes offline once its last thread has left */
	enum sched_what what; /* what it runs */
	uint32_t thread;
	uint64_t since, interrupts; /* accounted up to here; its total time in interrupts then */
	uint64_t last;              /* time of its last record */
	uint64_t began;
	uint64_t wall;                  /* sum of all stretches */
	uint64_t busy, idle, interrupt; /* parts of wall; busy and idle exclude interrupts */
	uint64_t others;                /* threads outside the trace's scope */
	uint64_t unknown;               /* no record, or records were lost */
	uint64_t dispatches;
	uint64_t misfits; /* records that contradict earlier ones without a known loss */
};

/* Callbacks for each interval of a thread or CPU that is accounted, in order. Each returns 0 or
 * -ENOMEM. */
struct sched_watch {
	/* A thread was in its state, under the name of this row; a CPU ran its thread. */
	int (*thread)(void *arg, const struct sched_thread *t, uint32_t row, uint64_t from,
		      uint64_t to);
	int (*cpu)(void *arg, uint32_t cpu, uint64_t from, uint64_t to);
	/* A thread leaves its CPU; both are accounted up to now. */
	int (*leaves)(void *arg, const struct sched_thread *t, uint64_t time);
	/* A thread that does not run is woken; its state is not updated yet, its time is accounted
	 * up to now. waker: as in struct wake_pair; tid: the waker's, 0: none. */
	int (*woken)(void *arg, const struct sched_thread *t, uint32_t waker, uint32_t tid,
		     uint64_t time);
	/* A thread now runs on its CPU; both are accounted up to now. */
	int (*runs)(void *arg, const struct sched_thread *t);
};

struct sched {
	const struct sched_watch *watch; /* NULL: no callbacks */
	void *watcher;
	struct names *names;
	struct irqs *irqs;
	struct sched_thread *thread;
	uint32_t nthread, room_thread;
	struct keys by_tid;
	struct sched_row *row;
	uint32_t nrow, room_row;
	struct sched_cpu *cpu;
	uint32_t ncpus;
	struct wakers wakers;
	uint32_t epoch;      /* of names, from 1; a change makes rows be looked up again */
	bool scoped;         /* only some threads are recorded */
	bool dispatches;     /* dispatch records exist: only they change the running thread */
	bool open;           /* inside an interval */
	uint64_t began, gap; /* start of this interval; end of the last gap in the records */
};

/* Functions that return int return 0 or -ENOMEM. */
int sched_dispatch(struct sched *s, const struct pirecord *r, const struct pitrace_dispatch *d);
int sched_wakeup(struct sched *s, const struct pirecord *r, const struct pitrace_wakeup *w);
/* A record names the thread that runs on its CPU; tid 0: idle. */
int sched_seen(struct sched *s, uint32_t cpu, uint32_t pid, uint32_t tid, uint64_t time);
/* Processes an MTE record about a thread; call before names get it. */
int sched_task(struct sched *s, const struct pirecord *r, const struct pitrace_mte_task *task);
/* Likewise, of one that a process is in another cgroup from now on: its main thread's time is
 * divided there, that of its other threads at their next change. */
int sched_moved(struct sched *s, const struct pirecord *r, uint32_t pid);
/* Records of this CPU are missing since its last one. */
int sched_gap(struct sched *s, uint32_t cpu, uint64_t time);

/* Tracing is switched on or off; a CPU appears, comes online or goes offline. */
void sched_begin(struct sched *s, uint64_t time);
int sched_end(struct sched *s, uint64_t time);
struct sched_cpu *sched_cpu(struct sched *s, uint32_t cpu);
/* The same for a CPU that just wrote a record, so it must be online. */
struct sched_cpu *sched_cpu_at(struct sched *s, uint32_t cpu, uint64_t time);
int sched_online(struct sched *s, uint32_t cpu, uint64_t time);
int sched_offline(struct sched *s, uint32_t cpu, uint64_t time);

/* Returns the thread with this tid, creating it if necessary; NULL: no memory. Creating another one
 * may move it. */
struct sched_thread *sched_thread(struct sched *s, uint32_t pid, uint32_t tid);
/* Returns an existing thread or NULL. */
struct sched_thread *sched_find(struct sched *s, uint32_t tid);
/* Accounts the thread's time up to `time`. */
int sched_settle(struct sched *s, struct sched_thread *t, uint64_t time);
/* Returns the thread's row under its name at this time; NO_KEY: no memory. */
uint32_t sched_row_of(struct sched *s, struct sched_thread *t, uint64_t time);
/* Merges rows by group. Call after names_group(). */
int sched_group(struct sched *s);
void sched_free(struct sched *s);

#endif
