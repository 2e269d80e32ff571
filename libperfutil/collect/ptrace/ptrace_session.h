/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The collector `ptrace`: user code, stepped instruction by instruction. One thread of ours, the
 * worker, traces all threads of the command (backend_ptrace.c has it and what it fills), and its
 * parts share this: ptrace_wait.c is what stops tell (threads that come and go, signals, exec),
 * ptrace_step.c what a step was, ptrace_code.c the instructions' bytes, ptrace_break.c breakpoints,
 * ptrace_over.c the way over them, ptrace_out.c the records.
 */
#ifndef PITRACE_PTRACE_SESSION_H
#define PITRACE_PTRACE_SESSION_H

#include "collect/backend.h"
#include "isa/flow.h"
#include "collect/ptrace/ptrace_regs.h"
#include "collect/timer/timer_process.h"

#define PTRACE_PAGE	4096u		/* bytes of code that are read, and told, at a time */
#define PTRACE_PAGES	256u		/* kept of each process */
#define PTRACE_BREAKS	32u		/* of each process */

struct ptrace_page {
	uint64_t address;		/* 0: nothing is here */
	uint32_t bytes;			/* that could be read */
	bool changes;			/* it may: nobody's file, or writable */
	bool written;			/* … as it is here */
	uint8_t code[PTRACE_PAGE];
};

struct ptrace_place {			/* a breakpoint */
	uint64_t address;
	uint8_t was[4];
};

struct ptrace_process {
	struct ptrace_process *next;
	pid_t pid;
	struct timer_process *image;	/* as the records know it; another one after an exec */
	uint32_t threads;
	struct ptrace_page *page[PTRACE_PAGES];
	struct ptrace_place place[PTRACE_BREAKS];
	uint32_t nplaces;
	struct ptrace_thread *stepper;	/* goes over a breakpoint: the others wait; NULL: nobody */
	bool narrow;			/* 32-bit code */
	bool borrows;			/* its parent's memory, until it executes a program */
	bool waits;			/* for the command to be executed */
	uint64_t start, stop;		/* addresses that begin and end a thread's trace, 0 none */
};

/* What a thread shall do when it goes on. */
enum ptrace_mode {
	PTRACE_RUN,			/* at full speed */
	PTRACE_STEP,
	PTRACE_LEAVE,			/* without us */
};

/* A system call that is not stepped (ppc64le). */
enum ptrace_call {
	PTRACE_CALL_NONE,
	PTRACE_CALL_BEFORE,		/* it stops at its entry next */
	PTRACE_CALL_IN,			/* … at its end */
};

struct ptrace_thread {
	struct ptrace_thread *next;
	pid_t tid;
	struct ptrace_process *p;	/* NULL: not known yet whose it is */
	uint8_t mode;			/* enum ptrace_mode */
	uint8_t call;			/* enum ptrace_call */
	bool stopped;			/* it waits for us */
	bool is_new;		/* it has not run yet: its trace begins as a new one's */
	bool begun;			/* a START was written, no STOP since */
	bool stepping;			/* a step was begun, its end is not seen yet */
	bool entered;			/* the next trap tells of an exec that was told already */
	bool called;			/* the last step was a system call */
	bool done;			/* its limit is reached */
	bool started;			/* its parent was recorded: it begins at once */
	bool excluded;			/* from now on, by wish: with all that it begins */
	bool skip_breakpoint;		/* it stands at a breakpoint that is not for it */
	uint64_t over;			/* it steps over a breakpoint, taken out meanwhile */
	bool halting, parked;		/* it shall stop, it waits, for one that does that */
	uint64_t pc;			/* of the next instruction */
	uint32_t count;			/* instructions of the run */
	uint64_t instructions, skipped;
	struct flow flow;		/* of the instruction that is stepped */
	struct ptrace_regs before;	/* SYSCALL: at its beginning */
	bool restarts;			/* a system call was interrupted, its end is not told yet */
	uint64_t return_pc;		/* … where it would return to */
	int signal;			/* goes with it when it goes on */
	int delivered;			/* went with it */
	bool flow_gap;			/* before: the flow was cut (a gap) */
};

struct ptrace_session {
	struct trace_config config;
	struct user_rings out;
	struct timer_processes images;
	struct ptrace_process *processes;
	struct ptrace_thread *threads;
	uint64_t last;			/* stamp of the last record */
	bool user;			/* BRANCH_USER is enabled */
	bool on;			/* not suspended */
	bool detaching;			/* all shall go on without us */
	_Atomic uint64_t instructions, branches;	/* others read them */
	_Atomic uint32_t hidden;	/* programs that are not for the user's eyes */
	_Atomic bool released;	/* config.pid goes on without us: others wait for it */
	/* The end of config.pid, told to: */
	void (*ended)(void *arg, int status);
	void *arg;
};

/* ---- records (ptrace_out.c) ------------------------------------------------------------------ */

/* Larger than any before. */
uint64_t ptrace_stamp(struct ptrace_session *s);
void ptrace_out_branch(struct ptrace_session *s, struct ptrace_thread *t, uint32_t minor,
		       uint64_t from, uint64_t to);
void ptrace_out_break(struct ptrace_session *s, struct ptrace_thread *t, enum pitrace_break why,
		      uint32_t number, uint64_t at, uint64_t to);
void ptrace_out_mark(struct ptrace_session *s, struct ptrace_thread *t, bool start,
		     enum pitrace_itrace_why why);
void ptrace_out_code(struct ptrace_session *s, const struct ptrace_process *p, uint64_t address,
		     const uint8_t *code, uint32_t bytes);
/* Look at its mappings, and say what has changed. */
void ptrace_out_maps(struct ptrace_session *s, struct ptrace_process *p);
/* The process as it is now; a copy of parent, or (NULL) a new image. */
bool ptrace_out_image(struct ptrace_session *s, struct ptrace_process *p,
		      const struct ptrace_process *parent);

/* ---- code (ptrace_code.c) -------------------------------------------------------------------- */

/* What stands at address, as the program put it there: bytes that could be read. */
size_t ptrace_code_at(struct ptrace_session *s, struct ptrace_thread *t, uint64_t address,
		      uint8_t code[FLOW_BYTES]);
/* All may be different now. */
void ptrace_code_forget(struct ptrace_process *p);
/* Its mappings have changed: they are written, and its code is read again. */
void ptrace_code_maps(struct ptrace_session *s, struct ptrace_process *p);
/* Memory of a thread that is stopped: bytes read; all of them written? */
size_t ptrace_memory_read(const struct ptrace_thread *t, uint64_t address, void *to, size_t n);
bool ptrace_memory_write(const struct ptrace_thread *t, uint64_t address, const void *from,
			 size_t n);

/* ---- breakpoints (ptrace_break.c) ------------------------------------------------------------ */

bool ptrace_break_set(struct ptrace_thread *t, uint64_t address);
void ptrace_break_clear(struct ptrace_thread *t, uint64_t address);
void ptrace_break_clear_all(struct ptrace_thread *t);
bool ptrace_break_is(const struct ptrace_process *p, uint64_t address);
/* Where the config's places are in this process, as it is mapped now. */
void ptrace_break_find(struct ptrace_session *s, struct ptrace_thread *t);

/*
 * Over a breakpoint (ptrace_over.c): a thread executes what stands there. The breakpoint is taken
 * out for that step, so the other threads of its process are halted first: one that came by would
 * miss it. ptrace_wait.c goes through these in their order and handles the stops they return.
 */

/* Does another thread of its process go over a breakpoint? Then it must not go on. */
bool ptrace_over_waits(const struct ptrace_thread *t);
/* Ask the other threads to stop; then each that has stopped, with its status, or NULL. */
void ptrace_over_halt(struct ptrace_session *s, const struct ptrace_thread *t);
struct ptrace_thread *ptrace_over_halted(struct ptrace_session *s, const struct ptrace_process *p,
					 int *status);
/* Take the breakpoint out and step, by that request of ptrace(). */
void ptrace_over_step(struct ptrace_thread *t, int request);
/* The next stop of the thread that steps, if it comes within 20 ms. */
bool ptrace_over_stop(const struct ptrace_thread *t, int *status);
/* A thread of the process that was told to wait, or NULL. */
struct ptrace_thread *ptrace_over_parked(struct ptrace_session *s, const struct ptrace_process *p);

/* ---- steps (ptrace_step.c) ------------------------------------------------------------------- */

/* The trace of a stopped thread begins, or ends; it may be so already. */
void ptrace_begin(struct ptrace_session *s, struct ptrace_thread *t, enum pitrace_itrace_why why);
void ptrace_end(struct ptrace_session *s, struct ptrace_thread *t, enum pitrace_itrace_why why);
/* What it is about to execute. */
void ptrace_prepare(struct ptrace_session *s, struct ptrace_thread *t);
/* It stands before a load with reservation: run it to behind the store. True: it has run, and more
 * may be told of where it is now; false: it must be stepped, or stopped otherwise (*status). */
bool ptrace_sequence(struct ptrace_session *s, struct ptrace_thread *t, int *status);
/* It has executed that, and is at pc now. */
void ptrace_stepped(struct ptrace_session *s, struct ptrace_thread *t, uint64_t pc);
/* At its begin it stands behind a system call that will be made again. */
void ptrace_interrupted(struct ptrace_thread *t, const struct ptrace_regs *r);
/* A signal's handler was entered. */
void ptrace_handler(struct ptrace_session *s, struct ptrace_thread *t, uint64_t pc, int signal);
/* A new program was entered. */
void ptrace_execed(struct ptrace_session *s, struct ptrace_thread *t, uint64_t pc);
/* A new program was entered that is not for the user's eyes. */
void ptrace_hides(struct ptrace_session *s, struct ptrace_thread *t);
/* It ends. */
void ptrace_exits(struct ptrace_session *s, struct ptrace_thread *t);

/* ---- stops (ptrace_wait.c) ------------------------------------------------------------------- */

/* Seize the process with all its threads. 0 or -errno. */
int ptrace_attach(struct ptrace_session *s, pid_t pid);
/* Wait for a stop, say what it tells, let the thread go on. -EINTR: somebody wants something;
 * -ECHILD: nobody is left. */
int ptrace_turn(struct ptrace_session *s);
/* On or off: all threads change over, at their next stop. */
void ptrace_switch(struct ptrace_session *s, bool on);
/* What a stop tells; the thread goes on, or is gone. */
void ptrace_handle_stop(struct ptrace_session *s, struct ptrace_thread *t, int status);
void ptrace_resume(struct ptrace_session *s, struct ptrace_thread *t);
/* One that uses it less (threads). */
void ptrace_process_put(struct ptrace_session *s, struct ptrace_process *p);
/* Let all go. */
void ptrace_detach_all(struct ptrace_session *s);
struct ptrace_thread *ptrace_thread_find(struct ptrace_session *s, pid_t tid);
void ptrace_free(struct ptrace_session *s);

#endif
