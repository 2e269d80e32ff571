// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Threads and processes of the collector ptrace, as known from their stops and exits: which exist,
 * which process a thread belongs to, and how each continues. The test simulates the kernel. (Linked
 * with --wrap=ptrace,waitpid.)
 */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include "collect/ptrace/ptrace_regs.h"
#include "collect/ptrace/ptrace_session.h"
#include "records.h"

/* ---- the kernel ------------------------------------------------------------------------------ */

static char did[200]; /* requests, as text */
static unsigned long message;
static bool no_message;
static pid_t waited;
static int waited_status;
static long (*registers)(enum __ptrace_request request, long data); /* of a test that has some */

long __wrap_ptrace(enum __ptrace_request request, ...);
pid_t __wrap_waitpid(pid_t pid, int *status, int options);

static void note(const char *what, int tid, long data)
{
	size_t n = strlen(did);

	snprintf(did + n, sizeof(did) - n, "%s%s %d %ld", n ? ", " : "", what, tid, data);
}

long __wrap_ptrace(enum __ptrace_request request, ...)
{
	va_list ap;
	pid_t tid;
	long data;

	va_start(ap, request);
	tid = va_arg(ap, pid_t);
	(void)va_arg(ap, void *);
	data = va_arg(ap, long);
	va_end(ap);
	if (request == PTRACE_GETEVENTMSG) {
		if (!no_message)
			*(unsigned long *)data = message;
		return no_message ? -1 : 0;
	}
	if (registers)
		return registers(request, data);
	if (request == PTRACE_CONT)
		note("cont", tid, data);
	else if (request == PTRACE_DETACH)
		note("detach", tid, data);
	else if (request == PTRACE_LISTEN)
		note("listen", tid, data);
	else if (request == PTRACE_POKETEXT)
		note("poke", tid, 0);
	else
		return -1;
	return 0;
}

pid_t __wrap_waitpid(pid_t pid, int *status, int options)
{
	CU_ASSERT(pid == -1 && options & __WALL && options & __WNOTHREAD);
	*status = waited_status;
	errno = ECHILD;
	return waited;
}

#define STOPPED(signal, event) ((event) << 16 | (signal) << 8 | 0x7f)
#define EXITED(code)           ((code) << 8)

static bool is(const char *want)
{
	bool same = !strcmp(did, want);

	if (!same)
		printf("# did \"%s\", not \"%s\"\n", did, want);
	did[0] = 0;
	return same;
}

/* ---- a session: processes P (threads P to P + 2) and Q; N is nobody's yet -------------  */

/* No process of this machine has this pid. */
#define P 0x700100
#define Q 0x700200
#define N 0x700300

static struct ptrace_session s;
static struct ptrace_process *p, *q;
static int ended, ended_status;

static void on_end(void *arg, int status)
{
	CU_ASSERT_PTR_EQUAL(arg, &ended);
	ended++;
	ended_status = status;
}

static struct ptrace_process *process(pid_t pid)
{
	struct ptrace_process *new = calloc(1, sizeof(*new));

	CU_ASSERT_FATAL(new != NULL);
	new->pid = pid;
	new->next = s.processes;
	new->waits = true;
	s.processes = new;
	return new;
}

static struct ptrace_thread *thread(pid_t tid, struct ptrace_process *of)
{
	struct ptrace_thread *new = calloc(1, sizeof(*new));

	CU_ASSERT_FATAL(new != NULL);
	new->tid = tid;
	new->p = of;
	new->skipped = (uint64_t)tid;
	new->next = s.threads;
	s.threads = new;
	if (of)
		of->threads++;
	return new;
}

static void begin(void)
{
	memset(&s, 0, sizeof(s));
	s.config.pid = P;
	s.ended = on_end;
	s.arg = &ended;
	p = process(P);
	q = process(Q);
	for (int i = 0; i < 3; i++)
		thread(P + i, p);
	thread(Q, q);
	thread(N, NULL);
	did[0] = 0;
	ended = 0;
	no_message = false;
}

static struct ptrace_thread *at(pid_t tid)
{
	return ptrace_thread_find(&s, tid);
}

static void stop(pid_t tid, int status)
{
	CU_ASSERT_PTR_NOT_NULL_FATAL(at(tid));
	ptrace_handle_stop(&s, at(tid), status);
}

/* Returns whether so many processes are known, and so many threads of these two. */
static bool counts(unsigned int processes, unsigned int of_p, unsigned int of_q)
{
	unsigned int n = 0, with_p = 0, with_q = 0;

	for (struct ptrace_process *x = s.processes; x; x = x->next) {
		n++;
		with_p += x == p ? x->threads : 0;
		with_q += x == q ? x->threads : 0;
	}
	if (n != processes || with_p != of_p || with_q != of_q)
		printf("# %u processes, of %u and %u threads\n", n, with_p, with_q);
	return n == processes && with_p == of_p && with_q == of_q;
}

/* ---- tests ----------------------------------------------------------------------------------- */

static void test_ends(void)
{
	begin();
	stop(P + 1, EXITED(3));
	CU_ASSERT(!at(P + 1) && counts(2, 2, 1) && !ended);
	/* Nobody's. */
	stop(N, EXITED(0));
	CU_ASSERT(!at(N) && counts(2, 2, 1));
	stop(Q, SIGKILL);
	CU_ASSERT(!at(Q) && counts(1, 2, 0) && !ended);
	/* The first thread's exit is the command's; the process ends with its last thread. */
	stop(P, EXITED(5));
	CU_ASSERT(!at(P) && counts(1, 1, 0) && ended == 1 && ended_status == EXITED(5));
	stop(P + 2, EXITED(0));
	CU_ASSERT(counts(0, 0, 0) && !s.threads && ended == 1);
	CU_ASSERT(is(""));
	ptrace_free(&s);
	/* All at once. */
	begin();
	ptrace_free(&s);
	CU_ASSERT(!s.threads && !s.processes);
}

/* A killed thread has no stop at its end: its trace still ends, and its end is reported. */
static void test_ends_are_told(void)
{
	const struct told *t;

	begin();
	CU_ASSERT_EQUAL_FATAL(user_rings_open(&s.out, 65536), 0);
	s.out.sink = records_take;
	s.out.steps = TIMER_STEPS;
	records_forget();
	CU_ASSERT_FATAL(ptrace_out_image(&s, p, NULL) && ptrace_out_image(&s, q, NULL));
	for (int i = 0; i < 3; i++) {
		timer_process_thread(p->image, &s.out, (uint32_t)P + (uint32_t)i, ptrace_stamp(&s));
		at(P + i)->begun = i != 2;
		at(P + i)->count = 5 + (uint32_t)i;
		at(P + i)->pc = 0x1000 + (uint64_t)i;
	}
	/* A system call of this one was interrupted and must be restarted. */
	at(P)->restarts = true;
	at(P)->return_pc = 0x2002;
	at(P)->flow.length = 2;
	at(P)->before.number = 35;
	stop(P + 1, SIGKILL);
	stop(P + 2, SIGKILL);
	stop(Q, SIGKILL);
	stop(N, SIGKILL);
	stop(P, SIGKILL);
	CU_ASSERT(!s.threads && !s.processes && ended == 1 && ended_status == SIGKILL);
	user_rings_flush(&s.out);
	CU_ASSERT_EQUAL(s.out.err, 0);
	CU_ASSERT_EQUAL_FATAL(records_count(PITRACE_ITRACE_STOP, UINT32_MAX), 2);
	CU_ASSERT_EQUAL_FATAL(records_count(PITRACE_ITRACE_STOP, PITRACE_ITRACE_EXIT), 2);
	t = records_nth(PITRACE_ITRACE_STOP, PITRACE_ITRACE_EXIT, 0);
	CU_ASSERT(t->mark.pid == P && t->mark.tid == P + 1 && t->mark.count == 6);
	CU_ASSERT_EQUAL(t->mark.address, 0x1001);
	CU_ASSERT_EQUAL_FATAL(records_count(PITRACE_BREAK_USER, UINT32_MAX), 1);
	t = records_nth(PITRACE_BREAK_USER, PITRACE_BREAK_SYSCALL, 0);
	CU_ASSERT(t && t->brk.tid == P && t->brk.count == 5 && t->brk.number == 35);
	CU_ASSERT(t && t->brk.at == 0x2002 && t->brk.to == 0x2000);
	t = records_nth(PITRACE_ITRACE_STOP, PITRACE_ITRACE_EXIT, 1);
	CU_ASSERT(t->mark.tid == P && !t->mark.count && t->mark.address == 0x2000);
	/* The first thread's end is its process's. */
	CU_ASSERT_EQUAL_FATAL(records_count(PITRACE_MTE, PITRACE_MTE_THREAD_EXIT), 2);
	CU_ASSERT_EQUAL_FATAL(records_count(PITRACE_MTE, PITRACE_MTE_PROCESS_EXIT), 2);
	t = records_nth(PITRACE_MTE, PITRACE_MTE_THREAD_EXIT, 1);
	CU_ASSERT(t->task.pid == P && t->task.tid == P + 2);
	t = records_nth(PITRACE_MTE, PITRACE_MTE_PROCESS_EXIT, 0);
	CU_ASSERT(t->task.pid == Q && t->task.tid == Q);
	ptrace_free(&s);
	user_rings_close(&s.out);
}

static void test_signals(void)
{
	begin();
	stop(P + 1, STOPPED(SIGUSR1, 0));
	CU_ASSERT(is("cont 7340289 10"));
	CU_ASSERT(!at(P + 1)->stopped && !at(P + 1)->signal && at(P + 1)->delivered == SIGUSR1);
	/* Signals that stop it leave it stopped; after others it continues, without the signal. */
	stop(P + 1, STOPPED(SIGSTOP, PTRACE_EVENT_STOP));
	stop(P + 1, STOPPED(SIGTTIN, PTRACE_EVENT_STOP));
	CU_ASSERT(is("listen 7340289 0, listen 7340289 0"));
	stop(P + 1, STOPPED(SIGTRAP, PTRACE_EVENT_STOP));
	CU_ASSERT(is("cont 7340289 0"));
	/* Nobody's waits for its parent's word. */
	stop(N, STOPPED(SIGSTOP, PTRACE_EVENT_STOP));
	CU_ASSERT(is("") && at(N)->stopped);
	/* At the end all are detached, whatever they are stopped by; but a thread only once its
	 * address space is known. */
	s.detaching = true;
	stop(N, STOPPED(SIGSTOP, PTRACE_EVENT_STOP));
	CU_ASSERT(is("") && at(N)->stopped && counts(2, 3, 1));
	stop(P + 1, STOPPED(SIGSTOP, PTRACE_EVENT_STOP));
	CU_ASSERT(is("detach 7340289 0") && !at(P + 1) && counts(2, 2, 1) && !s.released);
	stop(P, STOPPED(SIGUSR2, 0));
	CU_ASSERT(is("detach 7340288 12") && !at(P) && counts(2, 1, 1) && s.released);
	ptrace_free(&s);
}

/* A breakpoint that was stepped over is set again, once; where there was none, none is; and none in
 * a process that some of the threads were let go of. */
static void test_stepped_over(void)
{
	begin();
	at(P)->over = 0x1000;
	stop(P, STOPPED(SIGUSR1, 0));
	CU_ASSERT(is("poke 7340288 0, cont 7340288 10"));
	CU_ASSERT(!at(P)->over && p->nplaces == 1 && ptrace_break_is(p, 0x1000));
	stop(P, STOPPED(SIGUSR1, 0));
	CU_ASSERT(is("cont 7340288 10"));
	CU_ASSERT(p->nplaces == 1);
	p->nplaces = 0;
	at(P + 1)->over = 0x2000;
	s.detaching = true;
	stop(P + 1, STOPPED(SIGUSR1, 0));
	CU_ASSERT(is("detach 7340289 10") && !p->nplaces);
	ptrace_free(&s);
}

/* A thread at its end goes on to it, and begins no trace any more; the others do. */
static void test_exits(void)
{
	begin();
	at(P + 1)->stepping = at(P)->stepping = true;
	stop(P + 1, STOPPED(SIGTRAP, PTRACE_EVENT_EXIT));
	CU_ASSERT(is("cont 7340289 0"));
	CU_ASSERT(at(P + 1)->done && !at(P + 1)->stepping);
	CU_ASSERT(!at(P)->done && at(P)->stepping && !at(P + 2)->done);
	ptrace_free(&s);
}

/* A thread that executes a program gets the ID of its process from then on. */
static void test_exec(void)
{
	static const struct {
		unsigned long old;
		bool no_message, done, begun;
		uint64_t is; /* who P is then */
		unsigned int of_p;
		const char *did;
	} rows[] = {
		{ P + 1, false, false, false, P + 1, 2, "cont 7340288 0" },
		{ P + 1, false, true, false, 0, 1, "detach 7340288 0" },
		{ P, false, false, false, P, 3, "cont 7340288 0" },
		{ P, false, true, false, 0, 2, "detach 7340288 0" },
		{ Q, false, false, false, P, 3, "cont 7340288 0" },
		{ P + 9, false, false, false, P, 3, "cont 7340288 0" },
		{ P + 1, true, false, false, P, 3, "cont 7340288 0" },
		/* Its trace has begun: it continues to be traced, although `done` is set. */
		{ P, false, true, true, P, 3, "cont 7340288 0" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct ptrace_thread *who;

		begin();
		message = rows[i].old;
		no_message = rows[i].no_message;
		p->borrows = true;
		p->nplaces = 3;
		who = at((pid_t)rows[i].old);
		if (who) {
			who->done = rows[i].done;
			who->begun = rows[i].begun;
		}
		stop(P, STOPPED(SIGTRAP, PTRACE_EVENT_EXEC));
		CU_ASSERT(is(rows[i].did));
		CU_ASSERT(counts(2, rows[i].of_p, 1) && !p->borrows && !p->nplaces);
		CU_ASSERT_EQUAL(at(P) ? at(P)->skipped : 0, rows[i].is);
		CU_ASSERT_EQUAL(at(P + 1) != NULL, rows[i].old != P + 1 || rows[i].no_message);
		ptrace_free(&s);
	}
}

/* Under sudo, a program that this user may not trace is left to itself. (Nothing is known of
 * process P, so it counts as such a program.) */
static void test_hidden(void)
{
	for (int user = 0; user < 2; user++) {
		begin();
		message = P;
		s.config.user = user ? 1000 : 0;
		at(P)->stepping = user;
		at(P)->over = user;
		stop(P, STOPPED(SIGTRAP, PTRACE_EVENT_EXEC));
		if (!user || geteuid()) {
			CU_ASSERT(is("cont 7340288 0"));
			CU_ASSERT(s.hidden == 0 && counts(2, 3, 1));
		} else {
			CU_ASSERT(is("detach 7340288 0"));
			CU_ASSERT(s.hidden == 1 && counts(2, 2, 1) && !at(P));
		}
		ptrace_free(&s);
	}
}

/* Children that are not followed are let go, as soon as their memory is their own. */
static void test_children(void)
{
	static const struct {
		int event;
		bool before; /* it stops before its parent tells of it */
		bool excluded;
	} rows[] = {
		{ PTRACE_EVENT_FORK, false, false },  { PTRACE_EVENT_FORK, true, false },
		{ PTRACE_EVENT_CLONE, false, false }, { PTRACE_EVENT_VFORK, false, false },
		{ PTRACE_EVENT_VFORK, true, false },  { PTRACE_EVENT_FORK, false, true },
	};
	pid_t child = N + 1;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		bool borrows = rows[i].event == PTRACE_EVENT_VFORK;

		begin();
		message = (unsigned long)child;
		at(P + 1)->excluded = rows[i].excluded;
		if (rows[i].before) {
			waited = child;
			waited_status = STOPPED(SIGTRAP, PTRACE_EVENT_STOP);
			CU_ASSERT_EQUAL(ptrace_turn(&s), 0);
			CU_ASSERT(is("") && at(child) && at(child)->stopped && !at(child)->p);
		}
		p->waits = true;
		stop(P + 1, STOPPED(SIGTRAP, rows[i].event));
		if (rows[i].before) {
			CU_ASSERT(is(borrows ? "cont 7340801 0, cont 7340289 0" :
					       "detach 7340801 0, cont 7340289 0"));
		} else {
			CU_ASSERT(is("cont 7340289 0"));
			CU_ASSERT_FATAL(at(child) && at(child)->p && counts(3, 3, 1));
			CU_ASSERT(at(child)->p->pid == child && at(child)->p->threads == 1);
			CU_ASSERT(at(child)->is_new && at(child)->done && !at(child)->started);
			CU_ASSERT_EQUAL(at(child)->excluded, rows[i].excluded);
			CU_ASSERT_EQUAL(at(child)->p->borrows, borrows);
			at(child)->p->waits = true;
			stop(child, STOPPED(SIGTRAP, PTRACE_EVENT_STOP));
			CU_ASSERT(is(borrows ? "cont 7340801 0" : "detach 7340801 0"));
		}
		CU_ASSERT(!at(child) == !borrows && counts(borrows ? 3 : 2, 3, 1));
		ptrace_free(&s);
	}
	/* Without a message about its process, no thread is created. */
	begin();
	no_message = true;
	stop(P, STOPPED(SIGTRAP, PTRACE_EVENT_FORK));
	CU_ASSERT(is("cont 7340288 0") && counts(2, 3, 1));
	/* One that is known already stays what it is. */
	no_message = false;
	message = Q;
	stop(P, STOPPED(SIGTRAP, PTRACE_EVENT_FORK));
	CU_ASSERT(is("cont 7340288 0") && counts(2, 3, 1) && at(Q)->p == q && !at(Q)->is_new);
	waited = -1;
	CU_ASSERT_EQUAL(ptrace_turn(&s), -ECHILD);
	ptrace_free(&s);
}

/* ---- registers ------------------------------------------------------------------------------- */

#if defined(__x86_64__)
static struct user_regs_struct machine;

static long machine_registers(enum __ptrace_request request, long data)
{
	CU_ASSERT_EQUAL(request, PTRACE_GETREGS);
	memcpy((void *)data, &machine, sizeof(machine));
	return 0;
}

/* The result of a system call is an error number from -4095 to -1; that of 32-bit code is its
 * register's lower half. */
static void test_results(void)
{
	static const struct {
		uint64_t rax;
		int64_t wide, narrow;
		bool wide_failed, narrow_failed, restarts;
	} cases[] = {
		{ 0, 0, 0, false, false, false },
		{ 1, 1, 1, false, false, false },
		{ -1ull, -1, -1, true, true, false },
		{ -511ull, -511, -511, true, true, false },
		{ -512ull, -512, -512, true, true, true },
		{ -513ull, -513, -513, true, true, true },
		{ -514ull, -514, -514, true, true, true },
		{ -515ull, -515, -515, true, true, false },
		{ -516ull, -516, -516, true, true, true },
		{ -517ull, -517, -517, true, true, false },
		{ -4094ull, -4094, -4094, true, true, false },
		{ -4095ull, -4095, -4095, true, true, false },
		{ -4096ull, -4096, -4096, false, false, false },
		{ 0xFFFFF001, 0xFFFFF001, -4095, false, true, false },
		{ 0x80000000, 0x80000000, INT32_MIN, false, false, false },
		{ 0x7FFFFFFF, 0x7FFFFFFF, INT32_MAX, false, false, false },
		{ INT64_MIN, INT64_MIN, 0, false, false, false },
	};
	struct ptrace_regs r;

	registers = machine_registers;
	machine = (struct user_regs_struct){
		.rip = 1,
		.rdi = 2,
		.rsi = 3,
		.rdx = 4,
		.rbx = 5,
		.rcx = 6,
		.orig_rax = 7,
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		machine.rax = cases[i].rax;
		machine.cs = 0x33;
		CU_ASSERT_EQUAL(ptrace_regs_get(P, &r), 0);
		CU_ASSERT(r.wide && r.result == cases[i].wide && r.number == cases[i].rax);
		CU_ASSERT(r.argument[0] == 2 && r.argument[1] == 3 && r.argument[2] == 4);
		CU_ASSERT_EQUAL(r.failed, cases[i].wide_failed);
		CU_ASSERT_EQUAL(ptrace_restarts(&r), cases[i].restarts);
		machine.cs = 0x23;
		CU_ASSERT_EQUAL(ptrace_regs_get(P, &r), 0);
		CU_ASSERT(!r.wide && r.result == cases[i].narrow && r.pc == 1 && r.called == 7);
		CU_ASSERT(r.argument[0] == 5 && r.argument[1] == 6 && r.argument[2] == 4);
		CU_ASSERT_EQUAL(r.failed, cases[i].narrow_failed);
	}
	/* Stopped elsewhere than in a system call, nothing is restarted. */
	machine.rax = -512ull;
	for (int i = 0; i < 2; i++) {
		machine.orig_rax = i ? 0 : -1ull;
		CU_ASSERT_EQUAL(ptrace_regs_get(P, &r), 0);
		CU_ASSERT(r.in_syscall == i && ptrace_restarts(&r) == i);
	}
	registers = NULL;
}
#else
static void test_results(void)
{
	unit_skip(NULL, "the registers are those of x86-64");
}
#endif

int main(void)
{
	static const struct unit_test tests[] = {
		{ "ends", test_ends },       { "ends_are_told", test_ends_are_told },
		{ "signals", test_signals }, { "stepped_over", test_stepped_over },
		{ "exits", test_exits },     { "exec", test_exec },
		{ "hidden", test_hidden },   { "children", test_children },
		{ "results", test_results }, {},
	};

	return unit_run("ptrace_wait", tests);
}
