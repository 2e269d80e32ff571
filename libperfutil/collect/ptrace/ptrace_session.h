/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The session of the collector `ptrace`, which steps user code instruction by instruction. One
 * thread, the worker (backend_ptrace.c), traces all threads of the command. The files:
 * ptrace_wait.c handles stops (new and ending threads, signals, exec), ptrace_step.c evaluates
 * steps, ptrace_code.c reads the bytes of instructions, ptrace_break.c sets breakpoints,
 * ptrace_over.c steps over them, ptrace_flags.c keeps x86's trap flag from the program,
 * ptrace_out.c writes the records.
 */
#ifndef PITRACE_PTRACE_SESSION_H
#define PITRACE_PTRACE_SESSION_H

#include "collect/backend.h"
#include "isa/flow.h"
#include "collect/ptrace/ptrace_regs.h"
#include "collect/timer/timer_process.h"

#define PTRACE_PAGE   4096u /* bytes of code that are read and written at once */
#define PTRACE_PAGES  256u  /* pages cached per process */
#define PTRACE_BREAKS 32u   /* per process */

struct ptrace_page {
	uint64_t address; /* 0: free */
	uint32_t bytes;   /* bytes that could be read */
	bool changes;     /* can change: not in a file, or writable */
	bool written;     /* … as of this copy */
	uint8_t code[PTRACE_PAGE];
};

struct ptrace_place { /* a breakpoint */
	uint64_t address;
	uint8_t was[4];
};

struct ptrace_process {
	struct ptrace_process *next;
	pid_t pid;
	/* its image in the records; a new one after each exec; NULL: a child that is not
	 * followed */
	struct timer_process *image;
	uint32_t threads;
	struct ptrace_page *page[PTRACE_PAGES];
	struct ptrace_place place[PTRACE_BREAKS];
	uint32_t nplaces;
	/* steps over a breakpoint while the others wait; NULL: none */
	struct ptrace_thread *stepper;
	bool narrow;  /* 32-bit code */
	bool borrows; /* shares its parent's memory until it executes a program */
	bool waits;   /* waiting for exec of the command */
	/* addresses where a thread's trace begins and ends, 0 none */
	uint64_t start, stop;
};

/* Ways to resume a thread. */
enum ptrace_mode {
	PTRACE_RUN, /* at full speed */
	PTRACE_STEP,
	PTRACE_LEAVE, /* detached */
};

/* Run over a system call (ppc64le). */
enum ptrace_call {
	PTRACE_CALL_NONE,
	PTRACE_CALL_BEFORE, /* stops at the entry next */
	PTRACE_CALL_IN,     /* … at the exit */
};

/* How the stepped instruction uses the flags (ptrace_flags.c). */
enum ptrace_flags {
	PTRACE_FLAGS_KEPT,
	PTRACE_FLAGS_PUSHED,
	PTRACE_FLAGS_POPPED,
};

struct ptrace_thread {
	struct ptrace_thread *next;
	pid_t tid;
	struct ptrace_process *p; /* NULL: process not known yet */
	uint8_t mode;             /* enum ptrace_mode */
	uint8_t call;             /* enum ptrace_call */
	uint8_t flags;            /* enum ptrace_flags */
	bool own_flag;            /* the program has set the trap flag itself */
	bool flag_stays;          /* … the kernel assumes so */
	bool stopped;             /* waits for the worker */
	bool is_new;              /* has not run yet: its trace begins as a new thread's */
	bool begun;               /* a START was written, no STOP since */
	bool stepping;            /* a step was requested, its stop is still to come */
	/* the next trap reports an exec that is already recorded */
	bool entered;
	bool called;          /* the last step was a system call */
	bool done;            /* its limit is reached */
	bool started;         /* its parent is being recorded: its trace begins at once */
	bool excluded;        /* excluded by request, with all its children */
	bool skip_breakpoint; /* at a breakpoint of which it was not the target */
	uint64_t over;        /* address of the removed breakpoint that it steps over */
	bool halting, parked; /* requested to stop, stopped, for a thread that does so */
	uint64_t pc;          /* of the next instruction */
	uint32_t count;       /* instructions of the run */
	uint64_t instructions, skipped;
	struct flow flow;          /* of the instruction being stepped */
	struct ptrace_regs before; /* SYSCALL: at its beginning */
	bool restarts;             /* an interrupted system call will be restarted */
	uint64_t return_pc;        /* … the call's return address */
	int signal;                /* signal to deliver when it resumes */
	int delivered;             /* the signal that was delivered */
	bool flow_gap;             /* a gap precedes the next record */
};

struct ptrace_session {
	struct trace_config config;
	struct user_rings out;
	struct timer_processes images;
	struct ptrace_process *processes;
	struct ptrace_thread *threads;
	uint64_t last;                           /* stamp of the last record */
	bool user;                               /* BRANCH_USER is enabled */
	bool on;                                 /* not suspended */
	bool detaching;                          /* detach all threads */
	_Atomic uint64_t instructions, branches; /* read by other threads */
	_Atomic uint32_t hidden;                 /* programs that the user may not trace */
	_Atomic bool released;                   /* config.pid was detached: others can wait */
	/* Called at the end of config.pid. */
	void (*ended)(void *arg, int status);
	void *arg;
};

/* ---- records (ptrace_out.c) ------------------------------------------------------------------ */

/* Returns a stamp larger than all previous ones. */
uint64_t ptrace_stamp(struct ptrace_session *s);
void ptrace_out_branch(struct ptrace_session *s, struct ptrace_thread *t, uint32_t minor,
		       uint64_t from, uint64_t to);
void ptrace_out_break(struct ptrace_session *s, struct ptrace_thread *t, enum pitrace_break why,
		      uint32_t number, uint64_t at, uint64_t to);
void ptrace_out_mark(struct ptrace_session *s, struct ptrace_thread *t, bool start,
		     enum pitrace_itrace_why why);
void ptrace_out_code(struct ptrace_session *s, const struct ptrace_process *p, uint64_t address,
		     const uint8_t *code, uint32_t bytes);
/* Reads its mappings and writes what has changed. */
void ptrace_out_maps(struct ptrace_session *s, struct ptrace_process *p);
/* Writes the present state of the process: a copy of parent, or (NULL) a new image. */
bool ptrace_out_image(struct ptrace_session *s, struct ptrace_process *p,
		      const struct ptrace_process *parent);

/* ---- code (ptrace_code.c) -------------------------------------------------------------------- */

/* Reads the program's bytes at address, without breakpoints. Returns the number of bytes that could
 * be read. */
size_t ptrace_code_at(struct ptrace_session *s, struct ptrace_thread *t, uint64_t address,
		      uint8_t code[FLOW_BYTES]);
/* Invalidates all cached code. */
void ptrace_code_forget(struct ptrace_process *p);
/* Mappings have changed: writes them and discards cached code. */
void ptrace_code_maps(struct ptrace_session *s, struct ptrace_process *p);
/* Access the memory of a stopped thread; return the number of bytes read, and whether all were
 * written. */
size_t ptrace_memory_read(const struct ptrace_thread *t, uint64_t address, void *to, size_t n);
bool ptrace_memory_write(const struct ptrace_thread *t, uint64_t address, const void *from,
			 size_t n);

/* ---- breakpoints (ptrace_break.c) ------------------------------------------------------------ */

bool ptrace_break_set(struct ptrace_thread *t, uint64_t address);
void ptrace_break_clear(struct ptrace_thread *t, uint64_t address);
void ptrace_break_clear_all(struct ptrace_thread *t);
bool ptrace_break_is(const struct ptrace_process *p, uint64_t address);
/* Finds where the configured places are mapped in this process. */
void ptrace_break_find(struct ptrace_session *s, struct ptrace_thread *t);

/*
 * Stepping over a breakpoint (ptrace_over.c): the breakpoint is removed while one thread executes
 * the instruction below it. The other threads of the process are halted first, so that none runs
 * past it unnoticed. ptrace_wait.c calls these in order and handles the stops that they return.
 */

/* Checks whether another thread of the process is stepping over a breakpoint. Then this one must
 * wait. */
bool ptrace_over_waits(const struct ptrace_thread *t);
/* Requests the other threads to stop. ptrace_over_halted returns each one that has stopped, with
 * its status, or NULL. */
void ptrace_over_halt(struct ptrace_session *s, const struct ptrace_thread *t);
struct ptrace_thread *ptrace_over_halted(struct ptrace_session *s, const struct ptrace_process *p,
					 int *status);
/* Removes the breakpoint and steps, by this ptrace() request. */
void ptrace_over_step(struct ptrace_thread *t, int request);
/* Returns the next stop of the stepping thread, if it comes within 20 ms. */
bool ptrace_over_stop(const struct ptrace_thread *t, int *status);
/* Returns a thread of the process that is waiting, or NULL. */
struct ptrace_thread *ptrace_over_parked(struct ptrace_session *s, const struct ptrace_process *p);

/* ---- the trap flag (ptrace_flags.c) ---------------------------------------------------------- */

/* Before the instruction in `code` is stepped. */
void ptrace_flags_before(struct ptrace_thread *t, const uint8_t *code, size_t n);
/* After it was executed. */
void ptrace_flags_after(struct ptrace_thread *t);
/* A signal handler is entered. */
void ptrace_flags_handler(struct ptrace_thread *t);
/* The thread is about to run freely, or to be detached. */
void ptrace_flags_run(struct ptrace_thread *t);

/* ---- steps (ptrace_step.c) ------------------------------------------------------------------- */

/* Begins or ends the trace of a stopped thread; no effect if that is already done. */
void ptrace_begin(struct ptrace_session *s, struct ptrace_thread *t, enum pitrace_itrace_why why);
void ptrace_end(struct ptrace_session *s, struct ptrace_thread *t, enum pitrace_itrace_why why);
/* Decodes the instruction that the thread is about to execute. */
void ptrace_prepare(struct ptrace_session *s, struct ptrace_thread *t);
/* The thread is before a load-linked: runs it past the store. True: it has run, and its position
 * may need more handling; false: step it, or it stopped otherwise (*status). */
bool ptrace_sequence(struct ptrace_session *s, struct ptrace_thread *t, int *status);
/* Records that the instruction was executed and the thread is at pc now. */
void ptrace_stepped(struct ptrace_session *s, struct ptrace_thread *t, uint64_t pc);
/* The trace begins after a system call that will be restarted. */
void ptrace_interrupted(struct ptrace_thread *t, const struct ptrace_regs *r);
/* Records the entry of a signal's handler. */
void ptrace_handler(struct ptrace_session *s, struct ptrace_thread *t, uint64_t pc, int signal);
/* Records an exec. */
void ptrace_execed(struct ptrace_session *s, struct ptrace_thread *t, uint64_t pc);
/* Records an exec of a program that the user may not trace. */
void ptrace_hides(struct ptrace_session *s, struct ptrace_thread *t);
/* Records the end of the thread. */
void ptrace_exits(struct ptrace_session *s, struct ptrace_thread *t);

/* ---- stops (ptrace_wait.c) ------------------------------------------------------------------- */

/* Seizes the process with all its threads. 0 or -errno. */
int ptrace_attach(struct ptrace_session *s, pid_t pid);
/* Waits for a stop, records it and resumes the thread. -EINTR: a request arrived; -ECHILD: no
 * thread is left. */
int ptrace_turn(struct ptrace_session *s);
/* Turns tracing on or off: each thread changes at its next stop. */
void ptrace_switch(struct ptrace_session *s, bool on);
/* Handles a stop; afterwards the thread is resumed, or has ended. */
void ptrace_handle_stop(struct ptrace_session *s, struct ptrace_thread *t, int status);
void ptrace_resume(struct ptrace_session *s, struct ptrace_thread *t);
/* Drops one reference (of a thread). */
void ptrace_process_put(struct ptrace_session *s, struct ptrace_process *p);
/* Detaches all threads. */
void ptrace_detach_all(struct ptrace_session *s);
struct ptrace_thread *ptrace_thread_find(struct ptrace_session *s, pid_t tid);
void ptrace_free(struct ptrace_session *s);

#endif
