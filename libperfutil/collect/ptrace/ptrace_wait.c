/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Handles stops. A stepped thread stops with a SIGTRAP from the kernel when it has executed one
 * instruction. A signal that comes first stops it without a step, and so does the entry of the
 * signal's handler. All other events (new threads, exec, exit) have their own stops.
 */
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>
#include "collect/ptrace/ptrace_session.h"
#include "base/rights.h"

#define OPTIONS                                                                                \
	(PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACEEXEC | \
	 PTRACE_O_TRACEEXIT | PTRACE_O_TRACESYSGOOD)

#define PENDING 32 /* maximum number of pending signals checked per thread */

/* ---- tables ---------------------------------------------------------------------------------- */

struct ptrace_thread *ptrace_thread_find(struct ptrace_session *s, pid_t tid)
{
	/* Usually the thread that stopped last stops next. */
	for (struct ptrace_thread **at = &s->threads; *at; at = &(*at)->next)
		if ((*at)->tid == tid) {
			struct ptrace_thread *t = *at;

			*at = t->next;
			t->next = s->threads;
			s->threads = t;
			return t;
		}
	return NULL;
}

static struct ptrace_thread *thread_new(struct ptrace_session *s, pid_t tid)
{
	struct ptrace_thread *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->tid = tid;
	t->next = s->threads;
	s->threads = t;
	return t;
}

static struct ptrace_process *process_new(struct ptrace_session *s, pid_t pid)
{
	struct ptrace_process *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->pid = pid;
	p->next = s->processes;
	s->processes = p;
	return p;
}

static void process_free(struct ptrace_session *s, struct ptrace_process *p)
{
	struct ptrace_process **at = &s->processes;

	while (*at != p)
		at = &(*at)->next;
	*at = p->next;
	if (p->image)
		timer_process_free(&s->images, p->image);
	ptrace_code_forget(p);
	free(p);
}

void ptrace_process_put(struct ptrace_session *s, struct ptrace_process *p)
{
	if (--p->threads == 0)
		process_free(s, p);
}

static void thread_free(struct ptrace_session *s, struct ptrace_thread *t)
{
	struct ptrace_thread **at = &s->threads;

	while (*at != t)
		at = &(*at)->next;
	*at = t->next;
	if (t->p)
		ptrace_process_put(s, t->p);
	free(t);
}

void ptrace_free(struct ptrace_session *s)
{
	while (s->threads)
		thread_free(s, s->threads);
	while (s->processes)
		process_free(s, s->processes);
	timer_processes_free(&s->images);
}

static void adopt(struct ptrace_process *p, struct ptrace_thread *t)
{
	t->p = p;
	p->threads++;
}

/* ---- resuming ------------------------------------------------------------------------------- */

static bool has(const struct ptrace_session *s, uint32_t flag)
{
	return s->config.itrace.flags & flag;
}

/* If a list of threads is configured, it must contain the thread. */
static bool wanted(const struct ptrace_session *s, const struct ptrace_thread *t)
{
	const struct tracer_itrace *i = &s->config.itrace;

	if (t->done || t->p->waits)
		return false;
	for (uint32_t k = 0; i->scope == PITRACE_ITRACE_TIDS && k < i->listed; k++)
		if (i->list[k] == t->tid)
			return true;
	return i->scope != PITRACE_ITRACE_TIDS;
}

/* Between two instructions: begins or ends its trace as configured. */
static void settle(struct ptrace_session *s, struct ptrace_thread *t)
{
	if (t->mode == PTRACE_LEAVE)
		return;
	if (s->detaching || !s->on) {
		if (t->mode == PTRACE_STEP)
			ptrace_end(s, t, PITRACE_ITRACE_ON);
		t->mode = s->detaching ? PTRACE_LEAVE : PTRACE_RUN;
	} else if (t->mode == PTRACE_RUN && wanted(s, t) &&
		   (!has(s, PITRACE_ITRACE_FROM) || (t->is_new && t->started))) {
		struct ptrace_regs r;

		if (ptrace_regs_get(t->tid, &r))
			return;
		t->p->narrow = !r.wide;
		t->pc = r.pc;
		ptrace_begin(s, t, t->is_new ? PITRACE_ITRACE_FORK : PITRACE_ITRACE_ON);
		if (!t->is_new && ptrace_restarts(&r))
			ptrace_interrupted(t, &r);
	}
	t->is_new = false;
}

/*
 * ppc64le: a step of a system call ends one instruction later. So the thread runs to the call's
 * entry and from there to its exit. (A thread that gets a signal is stepped into its handler.)
 */
static enum __ptrace_request resume_request(struct ptrace_thread *t)
{
#if defined(__powerpc64__)
	if (!t->stepping && t->call != PTRACE_CALL_IN)
		t->call = t->flow.what == FLOW_SYSCALL && !t->delivered ? PTRACE_CALL_BEFORE :
									  PTRACE_CALL_NONE;
#endif
	return t->call ? PTRACE_SYSCALL : PTRACE_SINGLESTEP;
}

/* The trap that ends the step may be handled here, so afterwards the thread runs or has ended. */
static void over(struct ptrace_session *s, struct ptrace_thread *t, int request)
{
	struct ptrace_process *p = t->p;
	uint64_t address = t->pc;
	struct ptrace_thread *o;
	pid_t tid = t->tid;
	int status;

	if (p->threads == 1) {
		ptrace_over_step(t, request);
		return;
	}
	p->threads++; /* keeps it until this is done */
	p->stepper = t;
	t->over = address;
	ptrace_over_halt(s, t);
	while ((o = ptrace_over_halted(s, p, &status)))
		ptrace_handle_stop(s, o, status);
	ptrace_over_step(t, request);
	/* A stop requested earlier may come first. */
	while (t && t->over && ptrace_over_stop(t, &status)) {
		ptrace_handle_stop(s, t, status);
		t = ptrace_thread_find(s, tid);
	}
	o = ptrace_over_parked(s, p);
	if (!t && o && !s->detaching)
		ptrace_break_set(o, address);
	/* Resumes the others. One of them may reach a breakpoint at once. */
	p->stepper = NULL;
	while (!p->stepper && (o = ptrace_over_parked(s, p))) {
		o->parked = false;
		ptrace_resume(s, o);
	}
	ptrace_process_put(s, p);
}

static void step(struct ptrace_session *s, struct ptrace_thread *t)
{
	enum __ptrace_request way;
	int status;

	if (!t->stepping)
		ptrace_prepare(s, t);
	if (!t->stepping && !t->delivered && t->flow.what == FLOW_RESERVE && !t->restarts) {
		if (ptrace_sequence(s, t, &status)) {
			ptrace_resume(s, t);
			return;
		}
		if (status) {
			ptrace_handle_stop(s, t, status);
			return;
		}
	}
	way = resume_request(t);
	t->stepping = true;
	if (ptrace_break_is(t->p, t->pc))
		over(s, t, way);
	else
		ptrace(way, t->tid, 0, t->delivered);
}

/* It has reached a breakpoint, but another stop came first: if it were detached now, the trap would
 * kill it. */
static bool trap_is_pending(const struct ptrace_thread *t)
{
	struct __ptrace_peeksiginfo_args which = { .nr = PENDING };
	siginfo_t pending[PENDING];
	long n = ptrace(PTRACE_PEEKSIGINFO, t->tid, &which, pending);

	while (n > 0)
		if (pending[--n].si_signo == SIGTRAP)
			return true;
	return false;
}

void ptrace_resume(struct ptrace_session *s, struct ptrace_thread *t)
{
	if (ptrace_over_waits(t)) {
		t->parked = true;
		return;
	}
	if (!t->stepping)
		settle(s, t);
	t->stopped = false;
	t->delivered = t->signal;
	t->signal = 0;
	if (t->stepping || t->mode == PTRACE_STEP ||
	    (t->skip_breakpoint && t->mode == PTRACE_RUN)) {
		t->skip_breakpoint = false;
		step(s, t);
	} else if (t->mode == PTRACE_LEAVE && trap_is_pending(t)) {
		ptrace(PTRACE_CONT, t->tid, 0, t->delivered);
	} else if (t->mode == PTRACE_LEAVE) {
		ptrace_flags_run(t);
		ptrace_break_clear_all(t);
		if (t->tid == s->config.pid)
			s->released = true;
		ptrace(PTRACE_DETACH, t->tid, 0, t->delivered);
		thread_free(s, t);
	} else {
		/* Mappings are read until the start address is known. */
		bool search = has(s, PITRACE_ITRACE_FROM) && !t->p->start && wanted(s, t);

		ptrace_flags_run(t);
		ptrace(search ? PTRACE_SYSCALL : PTRACE_CONT, t->tid, 0, t->delivered);
	}
}

/* ---- new threads ---------------------------------------------------------------------------- */

static bool same_process(const struct ptrace_process *p, pid_t tid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task/%d", p->pid, tid);
	return !access(path, F_OK);
}

/* A child that is not followed. One that shares its parent's memory (vfork) would hit the
 * collector's breakpoints: it is detached when it has its own memory. */
static void leave_child(struct ptrace_thread *t)
{
	if (t->done && t->p && t->tid == t->p->pid && !t->p->borrows)
		t->mode = PTRACE_LEAVE;
}

/* The new thread is another process: only traced ones are followed. */
static bool other_process(struct ptrace_session *s, const struct ptrace_process *parent,
			  struct ptrace_thread *child, bool borrows)
{
	struct ptrace_process *p = process_new(s, child->tid);

	if (!p)
		return false;
	adopt(p, child);
	memcpy(p->place, parent->place, sizeof(p->place));
	p->nplaces = parent->nplaces;
	p->start = parent->start;
	p->stop = parent->stop;
	p->narrow = parent->narrow;
	p->borrows = borrows;
	child->done = !has(s, PITRACE_ITRACE_FOLLOW);
	return child->done || ptrace_out_image(s, p, parent);
}

static bool excluded(const struct ptrace_session *s, const struct ptrace_thread *parent,
		     const struct ptrace_thread *child)
{
	return parent->excluded || (has(s, PITRACE_ITRACE_NO_THREADS) && child->p == parent->p &&
				    (!has(s, PITRACE_ITRACE_FROM) || parent->begun));
}

/* The thread has created another one. */
static void child_created(struct ptrace_session *s, struct ptrace_thread *t, bool borrows)
{
	struct ptrace_thread *child;
	unsigned long tid;

	if (ptrace(PTRACE_GETEVENTMSG, t->tid, 0, &tid))
		return;
	child = ptrace_thread_find(s, (pid_t)tid);
	if (!child)
		child = thread_new(s, (pid_t)tid);
	if (!child || child->p)
		return;
	child->is_new = true;
	child->started = t->begun;
	child->own_flag = t->own_flag;
	child->flag_stays = t->flag_stays;
	if (same_process(t->p, child->tid)) {
		adopt(t->p, child);
		if (t->p->image)
			timer_process_thread(t->p->image, &s->out, (uint32_t)tid, ptrace_stamp(s));
	} else if (!other_process(s, t->p, child, borrows)) {
		child->done = true;
	}
	child->excluded = excluded(s, t, child);
	child->done |= child->excluded;
	if (!child->stopped)
		return;
	leave_child(child);
	ptrace_resume(s, child);
}

/* Under sudo the trace belongs to the caller, and this process is root: a program that gained
 * rights, or that this user may not read, is detached, with its children. */
static bool hidden(const struct ptrace_session *s, const struct ptrace_process *p)
{
	return s->config.user && !geteuid() && rights_gained(p->pid);
}

/* Another thread may have called exec: it has the leader's id now, and all others are gone. */
static struct ptrace_thread *execed(struct ptrace_session *s, struct ptrace_thread *t)
{
	struct ptrace_process *p = t->p;
	struct ptrace_regs r;
	unsigned long old;

	if (!ptrace(PTRACE_GETEVENTMSG, t->tid, 0, &old) && (pid_t)old != t->tid) {
		struct ptrace_thread *was = ptrace_thread_find(s, (pid_t)old);

		if (was && was->p == p) {
			pid_t tid = t->tid;

			thread_free(s, t);
			t = was;
			t->tid = tid;
		}
	}
	t->stopped = true;
	p->nplaces = 0;
	p->borrows = false;
	t->own_flag = false;
	if (t->done && !t->begun) {
		t->mode = PTRACE_LEAVE;
		return t;
	}
	if (hidden(s, p)) {
		ptrace_hides(s, t);
		t->stepping = false;
		t->over = 0;
		t->mode = PTRACE_LEAVE;
		s->hidden++;
		return t;
	}
	if (ptrace_regs_get(t->tid, &r))
		return t;
	p->start = p->stop = 0;
	p->narrow = !r.wide;
	if (!ptrace_out_image(s, p, NULL))
		return t;
	ptrace_code_maps(s, p);
	ptrace_break_find(s, t);
	if (t->mode == PTRACE_STEP)
		ptrace_execed(s, t, r.pc);
	p->waits = false;
	t->pc = r.pc;
	t->entered = true;
	t->stepping = false;
	t->over = 0;
	return t;
}

/* ---- exits ---------------------------------------------------------------------------------- */

static void gone(struct ptrace_session *s, struct ptrace_thread *t, int status)
{
	struct ptrace_process *p = t->p;
	bool leader = p && t->tid == p->pid;

	if (p && t->begun)
		ptrace_end(s, t, PITRACE_ITRACE_EXIT);
	if (p && p->image) {
		if (leader)
			timer_process_exit(p->image, &s->out, ptrace_stamp(s));
		else
			timer_process_thread_exit(p->image, &s->out, (uint32_t)t->tid, "",
						  ptrace_stamp(s));
	}
	if (leader && t->tid == s->config.pid && s->ended)
		s->ended(s->arg, status);
	thread_free(s, t);
}

/* ---- traps ----------------------------------------------------------------------------------- */

static int code_of(pid_t tid)
{
	siginfo_t info = { 0 };

	return ptrace(PTRACE_GETSIGINFO, tid, 0, &info) ? 0 : info.si_code;
}

/* Was the trap sent by a process, or raised by a breakpoint of the program itself? */
static bool is_stale_trap(const struct ptrace_thread *t, uint64_t pc, bool *again)
{
	int code;

	if (pc != t->pc && t->flow.what != FLOW_TRAP)
		return false;
	code = code_of(t->tid);
	/* The end of a system call that was restarted: t->pc is its return address. */
	if (t->restarts && pc == t->pc && code == TRAP_BRKPT)
		return false;
	/* A trap at another thread's breakpoint that has been removed by now
	 * (ptrace_sequence.c). */
	*again = pc == t->pc && code == TRAP_BRKPT && t->flow.what != FLOW_TRAP;
	return code <= 0 || code == SI_KERNEL || (code == TRAP_BRKPT && t->flow.what == FLOW_TRAP);
}

/* Restores the breakpoint that was stepped over; not if some threads may have been detached. */
static void put_again(const struct ptrace_session *s, struct ptrace_thread *t)
{
	if (t->over && !s->detaching)
		ptrace_break_set(t, t->over);
	t->over = 0;
}

/* Was it a breakpoint of the collector, removed after the thread had reached it? */
static bool was_ours(const struct ptrace_thread *t, uint64_t at)
{
	uint8_t code[sizeof(t->p->place->was)];
	int why = code_of(t->tid);

	return (why == SI_KERNEL || why == TRAP_BRKPT) &&
	       ptrace_memory_read(t, at, code, ptrace_break_bytes) == ptrace_break_bytes &&
	       memcmp(code, ptrace_break, ptrace_break_bytes);
}

static void trapped(struct ptrace_session *s, struct ptrace_thread *t)
{
	bool stepping = t->stepping, again = false;
	uint64_t pc;

	if (ptrace_pc_get(t->tid, &pc))
		return;
	put_again(s, t);
	t->stepping = false;
	if (t->entered && pc == t->pc) {
		t->entered = false;
		return;
	}
	t->entered = false;
	if (!stepping) {
		if (ptrace_break_is(t->p, pc - ptrace_break_behind)) {
			t->pc = pc - ptrace_break_behind;
			ptrace_pc_set(t->tid, t->pc);
			if (s->on && !s->detaching && wanted(s, t)) {
				/* Reads mappings made while it ran at full speed. */
				ptrace_code_maps(s, t->p);
				ptrace_begin(s, t, PITRACE_ITRACE_ADDRESS);
			} else {
				t->skip_breakpoint = true;
			}
		} else if (was_ours(t, pc - ptrace_break_behind)) {
			ptrace_pc_set(t->tid, pc - ptrace_break_behind);
		} else {
			t->signal = SIGTRAP;
		}
		return;
	}
	/* The kernel reports the entry of the handler with this si_code. */
	if (t->delivered && code_of(t->tid) == SIGTRAP) {
		ptrace_handler(s, t, pc, t->delivered);
		return;
	}
	if (!is_stale_trap(t, pc, &again)) {
		if (!again)
			ptrace_stepped(s, t, pc);
		return;
	}
	if (t->flow.what == FLOW_TRAP && pc != t->pc)
		ptrace_stepped(s, t, pc);
	t->signal = SIGTRAP;
}

/* A system call interrupted by a signal: on s390x no stop reports its end. */
static void called_before(struct ptrace_session *s, struct ptrace_thread *t)
{
	uint64_t pc;

	if (t->stepping && t->mode == PTRACE_STEP && t->flow.what == FLOW_SYSCALL && !t->restarts &&
	    !ptrace_pc_get(t->tid, &pc) && pc == t->pc + t->flow.length)
		ptrace_stepped(s, t, pc);
}

static bool stops(int signal)
{
	return signal == SIGSTOP || signal == SIGTSTP || signal == SIGTTIN || signal == SIGTTOU;
}

/* True: resume the thread. */
static bool stopped(struct ptrace_session *s, struct ptrace_thread **at, int signal, int event)
{
	struct ptrace_thread *t = *at;

	switch (event) {
	case 0:
		if (signal == SIGTRAP) {
			trapped(s, t);
		} else if (t->call == PTRACE_CALL_BEFORE && signal == (SIGTRAP | 0x80)) {
			t->call = PTRACE_CALL_IN;
		} else if (t->call == PTRACE_CALL_IN && signal == (SIGTRAP | 0x80)) {
			t->call = PTRACE_CALL_NONE;
			trapped(s, t);
		} else if (signal == (SIGTRAP | 0x80)) {
			ptrace_code_maps(s, t->p);
			ptrace_break_find(s, t);
		} else {
			put_again(s, t);
			called_before(s, t);
			t->stepping = false;
			t->signal = signal;
		}
		return true;
	case PTRACE_EVENT_CLONE:
	case PTRACE_EVENT_FORK:
	case PTRACE_EVENT_VFORK:
		child_created(s, t, event == PTRACE_EVENT_VFORK);
		return true;
	case PTRACE_EVENT_EXEC:
		*at = execed(s, t);
		return true;
	case PTRACE_EVENT_EXIT:
		ptrace_exits(s, t);
		t->done = true;
		t->stepping = false;
		return true;
	case PTRACE_EVENT_STOP:
		if (stops(signal) && !s->detaching) {
			t->stopped = false;
			ptrace(PTRACE_LISTEN, t->tid, 0, 0);
			return false;
		}
		/* The process was attached while running: its places are already mapped. */
		if (!t->p->waits && !s->detaching)
			ptrace_break_find(s, t);
		return true;
	}
	return true;
}

void ptrace_handle_stop(struct ptrace_session *s, struct ptrace_thread *t, int status)
{
	if (!WIFSTOPPED(status)) {
		gone(s, t, status);
		return;
	}
	t->stopped = true;
	/* The parent's event identifies the process of the new thread. */
	if (!t->p)
		return;
	if (t->is_new)
		leave_child(t);
	if (stopped(s, &t, WSTOPSIG(status), status >> 16))
		ptrace_resume(s, t);
}

int ptrace_turn(struct ptrace_session *s)
{
	struct ptrace_thread *t;
	int status;
	/* Other children of this process do not belong to the worker. */
	pid_t tid = waitpid(-1, &status, __WALL | __WNOTHREAD);

	if (tid < 0)
		return -errno;
	t = ptrace_thread_find(s, tid);
	if (!t)
		t = thread_new(s, tid);
	if (t)
		ptrace_handle_stop(s, t, status);
	else
		ptrace(PTRACE_DETACH, tid, 0, 0);
	return 0;
}

/* whole processes */

static int seize(struct ptrace_session *s, struct ptrace_process *p, pid_t tid)
{
	struct ptrace_thread *t;

	if (ptrace_thread_find(s, tid))
		return 0;
	if (ptrace(PTRACE_SEIZE, tid, 0, OPTIONS))
		return -errno;
	t = thread_new(s, tid);
	if (!t)
		return -ENOMEM;
	adopt(p, t);
	if (tid != p->pid)
		timer_process_thread(p->image, &s->out, (uint32_t)tid, ptrace_stamp(s));
	if (!p->waits)
		ptrace(PTRACE_INTERRUPT, tid, 0, 0);
	return 0;
}

/* Repeats until a scan finds no new thread. */
int ptrace_attach(struct ptrace_session *s, pid_t pid)
{
	struct ptrace_process *p = process_new(s, pid);
	char path[64];
	uint32_t had;
	int err;

	if (!p || !ptrace_out_image(s, p, NULL))
		return -ENOMEM;
	p->waits = s->config.program && pid == s->config.pid;
	ptrace_code_maps(s, p);
	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	do {
		DIR *d = opendir(path);
		struct dirent *e;

		err = d ? 0 : errno == ENOMEM ? -ENOMEM : -ESRCH;
		had = p->threads;
		while (d && (e = readdir(d)))
			if (*e->d_name != '.' && (!err || p->threads))
				err = seize(s, p, atoi(e->d_name));
		if (d)
			closedir(d);
	} while (p->threads != had);
	/* Some threads may have ended meanwhile. */
	return p->threads ? 0 : err;
}

void ptrace_switch(struct ptrace_session *s, bool on)
{
	s->on = on;
	for (struct ptrace_thread *t = s->threads; t; t = t->next)
		if (t->p && !t->stopped && !t->p->waits)
			ptrace(PTRACE_INTERRUPT, t->tid, 0, 0);
}

/* New threads whose parents were killed before their process was known; NULL: others are left, or
 * there are none. Detached earlier, they would hit the remaining breakpoints. */
static struct ptrace_thread *orphan(const struct ptrace_session *s)
{
	struct ptrace_thread *stopped = NULL;

	for (struct ptrace_thread *t = s->threads; t; t = t->next) {
		if (t->p)
			return NULL;
		if (t->stopped)
			stopped = t;
	}
	return stopped;
}

void ptrace_detach_all(struct ptrace_session *s)
{
	struct ptrace_thread *o;
	int err;

	s->detaching = true;
	for (struct ptrace_thread *t = s->threads; t; t = t->next)
		if (t->p)
			ptrace(PTRACE_INTERRUPT, t->tid, 0, 0);
	do {
		while ((o = orphan(s))) {
			ptrace(PTRACE_DETACH, o->tid, 0, 0);
			thread_free(s, o);
		}
		err = s->threads ? ptrace_turn(s) : -ECHILD;
	} while (!err || err == -EINTR);
}
