/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A session: scope, majors, rings, state. Hooks find the sessions that are on through active[],
 * with preemption off; code that removes one waits for all such sections before it frees it.
 */
#ifndef PITRACE_SESSION_H
#define PITRACE_SESSION_H

#include <linux/hrtimer.h>
#include <linux/irq_work.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include "core/dither.h"
#include "core/file_id.h"
#include "core/pages.h"
#include "ring/ring.h"
#include "pitrace.h"

#define PITRACE_PIDS (4 * 1024 * 1024) /* PID_MAX_LIMIT of 64-bit kernels */
#define PITRACE_SEEN 4096              /* files whose build id was requested */

struct perf_event;
struct pid_namespace;
struct quota;
struct stack_record;

/* ---- what subsystems keep in a session, for each CPU
 * ---------------------------------------------- */

/* The timer that samples this CPU (records/tprof.c). */
struct tprof_cpu {
	struct hrtimer timer;
	struct dither dither;
	struct session *session;
	u32 cpu;
	bool running; /* between start and stop; this CPU only */
	bool parked;  /* idle: the timer sleeps, the missing ticks are computed */
	bool follows; /* … and for the threads of its scope only */
	bool offcpu;  /* out-of-scope tasks run here, and the timer sleeps; `due` waits for it */
	bool begun;   /* following: the ticks continue from their last state */
	u64 due;      /* of the next tick, CLOCK_MONOTONIC ns */
	u64 previous; /* due time of the tick before */
	u64 parked_stamp;
	u64 since;        /* start of the current off-CPU or stopped time */
	u64 others_since; /* offcpu: when out-of-scope tasks began to run; 0: none does, idle */
	u64 others_ns;    /* ns of out-of-scope tasks not yet counted as ticks */
};

/* A counter that samples this CPU (records/event.c). */
struct event_cpu {
	struct perf_event *perf; /* NULL: this CPU does not have the event, or is offline */
	struct session *session;
	u32 cpu, number;
	bool stale;     /* its CPU went offline since: must be recreated */
	bool throttled; /* perf holds samples back until the next one */
	u64 counted;    /* at the last sample */
};

#define STACK_CONTEXTS 3 /* a thread, an interrupt, an NMI */

/* Scratch memory for call stacks (records/stack.c). */
struct stack_cpu {
	int busy; /* levels in use; this CPU only */
	struct stack_record *context[STACK_CONTEXTS];
};

/* The interrupts that this CPU is in, innermost last, if the session saw them begin. */
struct irq_nest {
	u32 depth;
	u32 recorded; /* one bit each: entry and exit are recorded */
};

struct session_cpu {
	struct ring ring[PITRACE_RINGS];
	struct irq_nest irq;
	struct tprof_cpu tprof;
	struct stack_cpu stack;
	struct event_cpu event[PITRACE_EVENTS];
	struct pitrace_cpu *page;
	void *data; /* both rings: MTE, then trace */
};

/* A thread in a system call whose entry should be recorded. */
struct session_call {
	struct task_struct *task; /* NULL: free */
	u32 minor;
	u32 tid; /* at the entry: execve by a second thread changes it */
};
#define PITRACE_CALLS 32768 /* threads in system calls at one time, approximately */

/* Each CPU has its own: for an irq_work that two CPUs run at a time irq_work_sync() waits for the
 * first only. */
struct session_wake {
	struct irq_work work;
	struct session *session;
};

/* ---- what instruction traces keep in a session ----------------------------------------------- */

/* A byte of a file that is mapped somewhere; inode 0: an address in memory. */
struct itrace_place {
	struct file_id file;
	u64 address;
};

/* The threads that a session traces; may change only while the session is off. */
struct session_itrace {
	u32 flags; /* PITRACE_ITRACE_* */
	u32 scope; /* enum pitrace_itrace_scope */
	s32 first, last;
	struct pid_namespace *ns; /* namespace of these pids */
	u32 listed;
	struct pid *list[PITRACE_ITRACE_LIST];
	u64 skip, limit;
	struct itrace_place start, stop;
	bool on;      /* threads may join */
	bool paused;  /* … but none is armed */
	u32 threads;  /* in the table; its lock must be held */
	pid_t holder; /* the process that reads the rings is not traced */
	u64 *code;    /* CODE: checksums of the code that was recorded */
};

/* ---- the session ----------------------------------------------------------------------------- */

/*
 * Locks, in the order in which they are taken:
 *
 *   session.lock		held over a whole on or off, which may wait for the consumer
 *   session.consumer		separate, so that a consumer never waits for session.lock
 *   session.event_lock		perf takes CPU hotplug's lock inside it
 *   cpus_read_lock()
 *   sessions_lock		hotplug's callbacks take it, so its holder must not take
 * 				hotplug's lock, nor any lock above
 *   it_lock			itrace/itrace_table.h; raw, interrupts off, hooks take it
 *
 * Hooks take none of the mutexes: they read active[] with preemption off, and code that removes a
 * session waits for a grace period before it frees the session. A session owns everything it points
 * to; session_destroy() frees it.
 */

struct session {
	int state; /* enum pitrace_state; hooks read it */
	u32 scope;
	struct session_cpu **cpu;   /* NULL where a CPU has no rings */
	unsigned long *pids;        /* SCOPE_PROCESS: a bit for each tgid in scope */
	struct session_call *calls; /* SYSCALL: a hash table */

	u32 id;
	u32 serial; /* PITRACE_SERIAL_PLACE() of it is id - 1 */
	u32 flags;  /* PITRACE_SESSION_* */
	u32 mode;
	u32 clock;
	u32 rate;
	u32 dither;
	u64 seed;
	u64 interval;
	DECLARE_BITMAP(majors, PITRACE_MAJORS);
	u32 stacks;      /* PITRACE_WANT_* */
	u32 depth, copy; /* addresses of each part; bytes of user stack */
	struct pitrace_event_args events[PITRACE_EVENTS];
	u32 nevents;               /* 0: the timer samples */
	struct mutex event_lock;   /* event[] of all CPUs, `counting` */
	struct work_struct refill; /* CPUs came online or went offline */
	bool counting;
	u64 since;        /* ns since boot: since when the scope is not maintained */
	struct pid *root; /* SCOPE_PROCESS: the session's first process */
	struct session_itrace itrace;
	const struct cred *maker; /* the creator's credentials */
	bool halts_all;           /* … which allow it to debug all processes */
	const struct cred *cred;  /* the owner's, if a member; else NULL */
	struct quota *quota;      /* the owner's; else NULL */
	bool hides_kernel;        /* … or the system is locked down: no kernel addresses */

	unsigned int ncpus; /* possible CPUs */
	struct pitrace_control *control;
	unsigned long control_bytes;
	unsigned long mte_bytes, trace_bytes, segment_bytes;

	struct mutex lock;     /* on, off, setup, one at a time */
	struct mutex consumer; /* consume, flush, and rings that are reset */
	wait_queue_head_t wait;
	struct session_wake __percpu *wake;
	struct delayed_work sync;  /* a clock sync every second */
	struct work_struct rescan; /* walks all live tasks again, after MTE records were lost */
	u64 walked;                /* MTE records lost before the last walk */
	bool ending;               /* timers are stopped until the next on */
	bool warned_unstable;
	u64 *seen;

	struct pages_charge charge;
};

extern struct workqueue_struct *work_queue; /* the module's own */
extern struct session *active[PITRACE_MAX_SESSIONS];
extern struct mutex sessions_lock; /* writers of active[], CPU hotplug's view of it */

/* In a hook, preemption off. */
#define for_each_active(s, i)                            \
	for ((i) = 0; (i) < PITRACE_MAX_SESSIONS; (i)++) \
		if (((s) = READ_ONCE(active[i])))

/* Hooks check this first: which of active[] want their records, one bit each. */
enum want {
	WANT_TPROF,
	WANT_DISPATCH,
	WANT_WAKEUP,
	WANT_INTERRUPT,
	WANT_SYSCALL,
	WANT_FAULT,
	WANT_ITRACE,
	WANT_ANY, /* all active sessions */
	WANTS
};
extern unsigned long wants[WANTS];
void session_wants(void); /* active[] changed; sessions_lock must be held */

/* In a hook, preemption off. */
#define for_each_wanting(s, want)                                                     \
	for (unsigned long left_ = READ_ONCE(wants[want]); left_; left_ &= left_ - 1) \
		if (((s) = READ_ONCE(active[__ffs(left_)])))

int session_flush(struct session *s, u32 what);
int session_consume(struct session *s, const struct pitrace_consume_args *args);

/* From any context: a ring is full in normal mode (or a process crashed); the consumer has work to
 * do. */
void session_stop(struct session *s, u32 cpu, u32 ring);
void session_crashed(struct session *s, u32 cpu, pid_t pid, int signal);
void session_wake(struct session *s);
int session_wake_init(struct session *s);
void session_wake_free(struct session *s); /* waits for pending ones */
void session_set_state(struct session *s, int state);
/* Changes the state unless the session has been stopped meanwhile. */
bool session_turn(struct session *s, int from, int to);

static inline bool session_mte(const struct session *s)
{
	int state = READ_ONCE(s->state);

	return state >= PITRACE_STATE_STARTING && state <= PITRACE_STATE_SUSPENDED;
}

static __always_inline bool session_has(const struct session *s, pid_t tgid)
{
	return s->scope == PITRACE_SCOPE_SYSTEM ||
	       (tgid > 0 && tgid < PITRACE_PIDS && test_bit(tgid, s->pids));
}

/* Returns this CPU's part, or NULL if it has none. Preemption off. */
static __always_inline struct session_cpu *session_here(const struct session *s)
{
	return s->cpu[smp_processor_id()];
}

/* Returns this CPU's trace ring if the session is recording now, else NULL. Preemption off. */
static __always_inline struct ring *session_trace(const struct session *s)
{
	struct session_cpu *c = session_here(s);

	return likely(c && READ_ONCE(s->state) == PITRACE_STATE_ON) ? &c->ring[PITRACE_RING_TRACE] :
								      NULL;
}

static inline struct ring *session_ring(const struct session *s, unsigned int cpu, u32 kind)
{
	return cpu < s->ncpus && s->cpu[cpu] ? &s->cpu[cpu]->ring[kind] : NULL;
}

#endif
