/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Accounting of threads' and CPUs' time, from dispatches and wake-ups. Each CPU runs one thread,
 * each thread is in one state; time is added up when a state ends. A row is a thread under one name
 * (trace_names.h); memory is bounded by threads, CPUs and pairs of waker and wakee.
 */
#ifndef POST_SCHED_H
#define POST_SCHED_H

#include "model/irqs.h"
#include "model/trace_names.h"
#include "model/wakers.h"

/* Why a thread is off its CPU: PITRACE_LEFT_*, or it was never on one yet. */
enum {
	SCHED_NEW = PITRACE_LEFT_OTHER + 1, /* made in the trace, not dispatched yet */
	SCHED_BEFORE,                       /* it left before the trace, or unseen */
	SCHED_REASONS,
};

struct sched_row {                       /* ns; all indices are names' threads */
	uint64_t run;                    /* on a CPU, interrupts included */
	uint64_t interrupted;            /* of it in interrupts */
	uint64_t wait[SCHED_REASONS];    /* runnable, off the CPU, by why it had left */
	uint64_t off[SCHED_REASONS];     /* not runnable, likewise */
	uint64_t left[SCHED_REASONS];    /* how often */
	uint64_t longest[SCHED_REASONS]; /* from leaving to running again */
	uint64_t unknown;                /* no record tells what it did */
	uint64_t unsure;                 /* of wait and off: records were lost meanwhile */
	uint64_t dispatches, migrations;
	uint64_t unwoken;          /* ran again after a sleep without a wake-up record */
	uint64_t unsure_latencies; /* records were lost meanwhile: not in latency */
	struct spread latency;     /* from wake-up to dispatch */
	int16_t priority;          /* the last one seen, or PITRACE_PRIORITY_UNKNOWN */
};

enum sched_state { SCHED_UNKNOWN, SCHED_RUNNING, SCHED_WAITING, SCHED_OFF, SCHED_DEAD };

struct sched_thread { /* current owner of a tid */
	uint32_t pid, tid;
	uint32_t row, epoch; /* row holds in this epoch of names */
	enum sched_state state;
	uint32_t reason; /* WAITING, OFF: why it left */
	bool woken;      /* by a wake-up; RUNNING: it may be going to sleep */
	bool has_left;   /* left and cpu are known */
	bool in_scope;
	bool born;    /* made while tracing was on */
	uint32_t cpu; /* where it is or was last */
	uint32_t waker;
	uint64_t since; /* accounted up to here */
	uint64_t left, woken_at;
	uint64_t off_total, wait_total; /* totals so far, to take differences */
};

enum sched_what { CPU_UNKNOWN, CPU_IDLE, CPU_THREAD, CPU_OTHERS };

struct sched_cpu {
	bool seen, online;
	bool goes;            /* going offline, once its last thread has left */
	enum sched_what what; /* what it runs */
	uint32_t thread;
	uint64_t since, interrupts; /* accounted up to here; its time in interrupts then */
	uint64_t last;              /* time of its last record */
	uint64_t began;
	uint64_t wall;                  /* of all stretches */
	uint64_t busy, idle, interrupt; /* of it; busy and idle without interrupts */
	uint64_t others;                /* threads outside the trace's scope */
	uint64_t unknown;               /* no record of it, or records were lost */
	uint64_t dispatches;
	uint64_t misfits; /* records that contradict earlier ones without a known loss */
};

/* Who looks on while time is booked, each ns of a thread and of a CPU once and in order. Each: 0 or
 * -ENOMEM. */
struct sched_watch {
	/* A thread was in its state, under the name of this row; a CPU ran what it runs. */
	int (*thread)(void *arg, const struct sched_thread *t, uint32_t row, uint64_t from,
		      uint64_t to);
	int (*cpu)(void *arg, uint32_t cpu, uint64_t from, uint64_t to);
	/* A thread leaves its CPU; both are booked up to now. */
	int (*leaves)(void *arg, const struct sched_thread *t, uint64_t time);
	/* A thread that does not run is woken, before its state says so: by whom (as in struct
	 * wake_pair), who has this tid, 0: nobody. It is booked up to now. */
	int (*woken)(void *arg, const struct sched_thread *t, uint32_t waker, uint32_t tid,
		     uint64_t time);
	/* It runs on this CPU now; both are booked up to now. */
	int (*runs)(void *arg, const struct sched_thread *t);
};

struct sched {
	const struct sched_watch *watch; /* NULL: nobody */
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
	uint32_t epoch;      /* of names, from 1: when it changes, rows are looked up again */
	bool scoped;         /* only some threads are recorded */
	bool dispatches;     /* there are dispatch records: only they change the running thread */
	bool open;           /* inside an interval */
	uint64_t began, gap; /* of this interval; end of the last gap in the records */
};

/* Each that returns int: 0 or -ENOMEM. */
int sched_dispatch(struct sched *s, const struct pirecord *r, const struct pitrace_dispatch *d);
int sched_wakeup(struct sched *s, const struct pirecord *r, const struct pitrace_wakeup *w);
/* A record names the thread that runs on its CPU: tid 0 is idle. */
int sched_seen(struct sched *s, uint32_t cpu, uint32_t pid, uint32_t tid, uint64_t time);
/* An MTE record about a thread; call before names get it. */
int sched_task(struct sched *s, const struct pirecord *r, const struct pitrace_mte_task *task);
/* Records of this CPU are missing since its last one. */
int sched_gap(struct sched *s, uint32_t cpu, uint64_t time);

/* Tracing goes on or off; a CPU appears, comes or goes. */
void sched_begin(struct sched *s, uint64_t time);
int sched_end(struct sched *s, uint64_t time);
struct sched_cpu *sched_cpu(struct sched *s, uint32_t cpu);
/* The same for a CPU that just wrote a record, so it is online whatever was recorded. */
struct sched_cpu *sched_cpu_at(struct sched *s, uint32_t cpu, uint64_t time);
int sched_online(struct sched *s, uint32_t cpu, uint64_t time);
int sched_offline(struct sched *s, uint32_t cpu, uint64_t time);

/* The thread with this tid, created if need be; NULL: no memory. It may move when another one is
 * created. */
struct sched_thread *sched_thread(struct sched *s, uint32_t pid, uint32_t tid);
/* The one that has it already, or NULL. */
struct sched_thread *sched_find(struct sched *s, uint32_t tid);
/* Account for what the thread did until now. */
int sched_settle(struct sched *s, struct sched_thread *t, uint64_t time);
/* The row of the thread under its name at this time; NO_KEY: no memory. */
uint32_t sched_row_of(struct sched *s, struct sched_thread *t, uint64_t time);
/* Merges rows by group. Call after names_group. */
int sched_group(struct sched *s);
void sched_free(struct sched *s);

#endif
