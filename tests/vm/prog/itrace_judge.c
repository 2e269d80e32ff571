/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * itrace_judge [-r] LOG COMMAND [ARGUMENT]...: steps a command and all that it makes, and writes
 * down where each thread stood after each step, and the bytes of the pages. It judges nothing: it
 * knows no instructions (but loads with reservation, which no step may follow); itrace_truth reads
 * the log. It shares no code with the collector that is judged. -r: the registers, too (ppc64le).
 */
#include <elf.h>
#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>
#if defined(__powerpc64__)
#include <asm/ptrace.h>
#endif
#include "../../itrace/log.h"

#define THREADS   4096
#define SEEN      16384
#define CALL_STOP (SIGTRAP | 0x80)

struct thread {
	pid_t tid, pid; /* pid 0: not known yet */
	int deliver;    /* goes with the next step */
	int delivered;
	int begun;
	int fresh;   /* it has not run yet */
	int late;    /* a step that was put down is told again, where it is now */
	int calls;   /* it was let run to its system call's end */
	uint64_t at; /* where it stood at last */
};

static struct thread threads[THREADS];
static unsigned int nthreads;
static struct {
	pid_t pid;
	uint64_t page;
} seen[SEEN];
static FILE *out;
static int all_registers;

static void die(const char *what)
{
	fprintf(stderr, "itrace_judge: %s: %s\n", what, strerror(errno));
	exit(2);
}

/* Prints the registers before the next instruction. */
static void put_registers(pid_t tid)
{
#if defined(__powerpc64__)
	struct log_entry e = { (uint32_t)tid, LOG_REGISTERS, 0, 0 };
	struct pt_regs r;
	struct iovec v = { &r, sizeof(r) };

	if (ptrace(PTRACE_GETREGSET, tid, NT_PRSTATUS, &v) || fwrite(&e, sizeof(e), 1, out) != 1 ||
	    fwrite(r.gpr, sizeof(*r.gpr), LOG_GPRS, out) != LOG_GPRS)
		die("registers");
#else
	(void)tid;
#endif
}

static void put(pid_t tid, enum log_what what, uint64_t pc, uint64_t value)
{
	struct log_entry e = { (uint32_t)tid, what, pc, value };

	if (all_registers && what != LOG_PAGE_OF && what != LOG_NEW)
		put_registers(tid);
	if (fwrite(&e, sizeof(e), 1, out) != 1)
		die("writing");
}

static void registers(pid_t tid, uint64_t *pc, uint64_t *number)
{
#if defined(__powerpc64__)
	struct pt_regs r;
#elif defined(__s390x__)
	struct _user_regs_struct r;
#else
	struct user_regs_struct r;
#endif
	struct iovec v = { &r, sizeof(r) };

	memset(&r, 0, sizeof(r));
	if (ptrace(PTRACE_GETREGSET, tid, NT_PRSTATUS, &v))
		die("registers");
#if defined(__x86_64__)
	*pc = r.rip;
	*number = r.rax;
#elif defined(__aarch64__)
	*pc = r.pc;
	*number = r.regs[8];
#elif defined(__powerpc64__)
	*pc = r.nip;
	*number = r.gpr[0];
#elif defined(__s390x__)
	*pc = r.psw.addr;
	*number = r.gprs[1];
#endif
}

/*
 * s390x as QEMU 10 emulates it: a step loses its stop behind a branch to a fixed place, unless
 * branches are asked for, too; and behind one that is not taken, always, and behind some system
 * calls. Then the address of the event is not that of the instruction at which the thread stood,
 * but one further on.
 */
#if defined(__s390x__)

#define PER offsetof(struct user, regs.per_info)

static void ask_for_branches(pid_t tid)
{
	ptrace(PTRACE_POKEUSER, tid, PER, 0x80000000ul);
	ptrace(PTRACE_POKEUSER, tid, PER + 32, 0);
	ptrace(PTRACE_POKEUSER, tid, PER + 40, -1ul);
}

/* Returns the length of the instruction there; *call: it is a system call. */
static unsigned int look(pid_t tid, uint64_t pc, int *call)
{
	uint8_t code[2] = { 0 };
	struct iovec here = { code, 2 }, there = { (void *)(uintptr_t)pc, 2 };

	if (process_vm_readv(tid, &here, 1, &there, 1, 0) != 2)
		return 2;
	*call = code[0] == 0x0A;
	return code[0] < 0x40 ? 2 : code[0] < 0xC0 ? 4 : 6;
}

static void lost_stops(struct thread *t, uint64_t pc, uint64_t number)
{
	uint64_t address = (uint64_t)ptrace(PTRACE_PEEKUSER, t->tid, PER + 56, 0), at = t->at;
	int call = 0, next = 0;
	unsigned int n = look(t->tid, at, &call);

	look(t->tid, at + n, &next);
	/* A system call has no address of its own. */
	if (address == at || (call && pc == at + n))
		return;
	if (next && !call) {
		put(t->tid, LOG_STEP, at + n, number);
		return;
	}
	while (at < address && address - t->at < 64)
		at += look(t->tid, at, &next);
	if (at != address)
		return;
	for (at = t->at; at < address;) {
		at += look(t->tid, at, &call);
		put(t->tid, LOG_STEP, at, number);
	}
}

/* Behind a system call that sends its caller a signal there is the signal's stop first: that of the
 * step comes where the handler begins. */
static void lost_before_signal(struct thread *t, uint64_t pc, uint64_t number)
{
	uint64_t at = t->at;
	int call = 0;

	while (at < pc && pc - at < 64)
		at += look(t->tid, at, &call);
	if (at != pc)
		return;
	for (at = t->at; at < pc;) {
		at += look(t->tid, at, &call);
		put(t->tid, LOG_STEP, at, number);
	}
	t->late = t->at != pc;
	t->at = pc;
}

#else
static void ask_for_branches(pid_t tid)
{
	(void)tid;
}

/* x86: cpuid's, which a virtual machine's host executes: some forget the stop behind it. */
static void lost_stops(struct thread *t, uint64_t pc, uint64_t number)
{
#if defined(__x86_64__)
	unsigned char code[2] = { 0 };
	struct iovec here = { code, sizeof(code) }, there = { (void *)t->at, sizeof(code) };

	if (t->at && process_vm_readv(t->tid, &here, 1, &there, 1, 0) == sizeof(code) &&
	    code[0] == 0x0F && code[1] == 0xA2 && pc != t->at + sizeof(code))
		put(t->tid, LOG_STEP, t->at + sizeof(code), number);
#else
	(void)t;
	(void)pc;
	(void)number;
#endif
}

static void lost_before_signal(struct thread *t, uint64_t pc, uint64_t number)
{
	(void)t;
	(void)pc;
	(void)number;
}
#endif

/* arm64: a step of a system call stops at the call's end and again before the next instruction. */
#if defined(__aarch64__)
#define STOPS_TWICE 1

static int was_call(pid_t tid, uint64_t at)
{
	uint32_t word = 0;
	struct iovec here = { &word, sizeof(word) };
	struct iovec there = { (void *)(uintptr_t)at, sizeof(word) };

	return process_vm_readv(tid, &here, 1, &there, 1, 0) == sizeof(word) &&
	       (word & 0xFFE0001F) == 0xD4000001;
}

#else
#define STOPS_TWICE 0

static int was_call(pid_t tid, uint64_t at)
{
	(void)tid;
	(void)at;
	return 0;
}

#endif

/*
 * ppc64le: a step of a system call ends behind one instruction more. There it goes on not by a step
 * but to the call's entry, and from that to its end.
 */
static int before_call(const struct thread *t)
{
#if defined(__powerpc64__)
	uint64_t pc, number;
	uint32_t word = 0;
	struct iovec here = { &word, sizeof(word) }, there = { NULL, sizeof(word) };

	registers(t->tid, &pc, &number);
	there.iov_base = (void *)(uintptr_t)pc;
	return process_vm_readv(t->tid, &here, 1, &there, 1, 0) == sizeof(word) && word >> 26 == 17;
#else
	(void)t;
	return 0;
#endif
}

static void go_on(struct thread *t)
{
	if (!t->calls && !t->deliver)
		t->calls = before_call(t);
	ptrace(t->calls ? PTRACE_SYSCALL : PTRACE_SINGLESTEP, t->tid, 0, t->deliver);
	t->delivered = t->deliver;
	t->deliver = 0;
}

/* The page of each address at which it stood, once. */
static void page_of(struct thread *t, uint64_t pc)
{
	uint64_t page = pc & ~(uint64_t)(LOG_PAGE - 1);
	unsigned int at = (unsigned int)((page / LOG_PAGE * 31 + (uint64_t)t->pid) % SEEN);
	uint8_t bytes[LOG_PAGE] = { 0 };
	struct iovec here = { bytes, LOG_PAGE }, there = { (void *)(uintptr_t)page, LOG_PAGE };
	ssize_t n;

	while (seen[at].pid && (seen[at].pid != t->pid || seen[at].page != page))
		at = (at + 1) % SEEN;
	if (seen[at].pid)
		return;
	n = process_vm_readv(t->tid, &here, 1, &there, 1, 0);
	if (n <= 0)
		return;
	seen[at].pid = t->pid;
	seen[at].page = page;
	put(t->tid, LOG_PAGE_OF, page, (uint64_t)n);
	if (fwrite(bytes, LOG_PAGE, 1, out) != 1)
		die("writing");
}

/* An instruction may reach into the next page. */
static void pages_of(struct thread *t, uint64_t pc)
{
	page_of(t, pc);
	if (pc % LOG_PAGE > LOG_PAGE - 16)
		page_of(t, pc + 16);
}

static void forget_pages(pid_t pid)
{
	/* Kept in their places, so that others are found; the pid is unused. */
	for (unsigned int i = 0; i < SEEN; i++)
		if (seen[i].pid == pid)
			seen[i].pid = -1;
}

static struct thread *find(pid_t tid)
{
	for (unsigned int i = 0; i < nthreads; i++)
		if (threads[i].tid == tid)
			return &threads[i];
	if (nthreads == THREADS)
		die("too many threads");
	threads[nthreads] = (struct thread){ .tid = tid };
	return &threads[nthreads++];
}

/* ---- sequences that no stop may interrupt ---------------------------------------------------- */

/*
 * A load with reservation, and in a straight line from there its conditional store: a stop in
 * between takes the reservation away, for ever. The thread runs to a trap behind the store, or to
 * one where a branch leaves: that says which way it took.
 */
#if defined(__aarch64__) || defined(__powerpc64__)

#define LONGEST 32

struct way {
	uint64_t to;        /* where it leaves */
	unsigned int after; /* instructions from the load on */
	long was;           /* what stood at `to` */
};

static int is_pair(uint32_t w, int load)
{
#if defined(__aarch64__)
	uint32_t kind = w & 0x3FC00000, pair = w >> 21 & 1, wide = w >> 31;

	return kind == (load ? 0x08400000u : 0x08000000u) && (!pair || wide);
#else
	static const uint16_t loads[] = { 20, 52, 84, 116, 276 };
	static const uint16_t stores[] = { 150, 694, 214, 726, 182 };
	unsigned int i;

	for (i = 0; i < 5; i++)
		if (w >> 26 == 31 && (w >> 1 & 1023) == (load ? loads : stores)[i])
			return 1;
	return 0;
#endif
}

/* 1: a branch, perhaps to `to`; -1: one that nobody knows here. */
static int branches(uint32_t w, uint64_t at, uint64_t *to)
{
#if defined(__aarch64__)
	if (w >> 24 == 0x54 || (w >> 25 & 63) == 0x1A) {
		*to = at + (uint64_t)((int64_t)((uint64_t)(w >> 5 & 0x7FFFF) << 45) >> 43);
		return 1;
	}
	if ((w >> 25 & 63) == 0x1B) {
		*to = at + (uint64_t)((int64_t)((uint64_t)(w >> 5 & 0x3FFF) << 50) >> 48);
		return 1;
	}
	return (w >> 26 & 31) == 5 || w >> 24 == 0xD4 || w >> 25 == 0x6B ? -1 : 0;
#else
	if (w >> 26 == 16 && !(w & 3) && (w >> 21 & 20) != 20) {
		*to = at + (uint64_t)(int64_t)(int16_t)(w & 0xFFFC);
		return 1;
	}
	return w >> 26 == 16 || w >> 26 == 17 || w >> 26 == 18 || w >> 26 == 1 ||
			       (w >> 26 == 19 && (w & 0x7C0) != 0) ?
		       -1 :
		       0;
#endif
}

static unsigned int ways_of(const uint32_t *code, unsigned int n, uint64_t pc, struct way *ways)
{
	unsigned int i, k, found = 1;
	uint64_t to;

	if (!n || !is_pair(code[0], 1))
		return 0;
	for (i = 1; i < n && !is_pair(code[i], 0); i++) {
		int b = branches(code[i], pc + 4 * i, &to);

		if (b < 0)
			return 0;
		if (b)
			ways[found++] = (struct way){ .to = to, .after = i + 1 };
	}
	if (i == n)
		return 0;
	ways[0] = (struct way){ .to = pc + 4 * (i + 1), .after = i + 1 };
	/* Two that leave to the same place, or one that stays within, would be ambiguous. */
	for (i = 0; i < found; i++)
		for (k = 0; k < found; k++)
			if (k != i && (ways[k].to == ways[i].to ||
				       (ways[k].to >= pc && ways[k].to < ways[0].to)))
				return 0;
	return found;
}

static void put_trap(pid_t tid, struct way *w)
{
#if defined(__aarch64__)
	const uint32_t trap = 0xD4200000;
#else
	const uint32_t trap = 0x7FE00008;
#endif
	uint64_t base = w->to & ~7ull;
	long with;

	w->was = ptrace(PTRACE_PEEKTEXT, tid, base, 0);
	with = w->was;
	memcpy((char *)&with + (w->to - base), &trap, sizeof(trap));
	if (ptrace(PTRACE_POKETEXT, tid, base, with))
		die("a trap");
}

/* Returns true if it has run, and is where its last entry says. */
static int sequence(struct thread *t, uint64_t pc, int *status)
{
	uint32_t code[LONGEST] = { 0 };
	struct iovec here = { code, sizeof(code) }, there = { (void *)(uintptr_t)pc, sizeof(code) };
	ssize_t n = process_vm_readv(t->tid, &here, 1, &there, 1, 0);
	struct way ways[LONGEST + 1];
	unsigned int i, k, found;
	uint64_t at, number;

	found = ways_of(code, n > 0 ? (unsigned int)n / 4 : 0, pc, ways);
	if (!found)
		return 0;
	for (i = 0; i < found; i++)
		put_trap(t->tid, &ways[i]);
	if (ptrace(PTRACE_CONT, t->tid, 0, 0) || waitpid(t->tid, status, __WALL) != t->tid ||
	    !WIFSTOPPED(*status) || WSTOPSIG(*status) != SIGTRAP)
		die("a sequence that was interrupted");
	/* The other way round: two may share a word. */
	for (i = found; i--;)
		ptrace(PTRACE_POKETEXT, t->tid, ways[i].to & ~7ull, ways[i].was);
	registers(t->tid, &at, &number);
	for (i = 0; i < found && ways[i].to != at; i++)
		;
	if (i == found)
		die("a sequence that ended elsewhere");
	for (k = 1; k < ways[i].after; k++) {
		put(t->tid, LOG_STEP, pc + 4 * k, number);
		pages_of(t, pc + 4 * k);
	}
	put(t->tid, LOG_STEP, at, number);
	pages_of(t, at);
	return 1;
}

#else

static int sequence(struct thread *t, uint64_t pc, int *status)
{
	(void)t;
	(void)pc;
	(void)status;
	return 0;
}

#endif

/* As many as follow one another. */
static void sequences(struct thread *t)
{
	uint64_t pc, number;
	int status;

	do
		registers(t->tid, &pc, &number);
	while (sequence(t, pc, &status));
}

/* ---- stops ----------------------------------------------------------------------------------- */

static void made(struct thread *parent)
{
	unsigned long tid;
	struct thread *t;
	char path[64];
	int own;

	if (ptrace(PTRACE_GETEVENTMSG, parent->tid, 0, &tid))
		die("who was made");
	snprintf(path, sizeof(path), "/proc/%d/task/%lu", parent->pid, tid);
	own = access(path, F_OK) != 0;
	put(parent->tid, LOG_NEW, (uint64_t)own, tid);
	t = find((pid_t)tid);
	t->pid = own ? t->tid : parent->pid;
	if (own)
		forget_pages(t->pid);
	/* It has stopped before its parent said so. */
	if (t->begun)
		go_on(t);
}

static int handler_entered(const struct thread *t)
{
	siginfo_t info;

	return t->delivered && !ptrace(PTRACE_GETSIGINFO, t->tid, 0, &info) &&
	       info.si_code == SIGTRAP;
}

/* 0: it waits until it is known whose it is. */
static int stop(struct thread *t, int signal, int event)
{
	uint64_t pc, number;

	registers(t->tid, &pc, &number);
	if (!t->begun) {
		t->begun = 1;
		ask_for_branches(t->tid);
		put(t->tid, LOG_BEGIN, pc, 0);
		t->at = pc;
		t->fresh = 1;
		if (t->pid)
			pages_of(t, pc);
		return t->pid != 0;
	}
	switch (event) {
	case PTRACE_EVENT_CLONE:
	case PTRACE_EVENT_FORK:
	case PTRACE_EVENT_VFORK:
		made(t);
		return 1;
	case PTRACE_EVENT_EXEC:
		ask_for_branches(t->tid);
		forget_pages(t->pid);
		put(t->tid, LOG_EXEC, pc, 0);
		t->late = STOPS_TWICE;
		t->at = pc;
		pages_of(t, pc);
		return 1;
	case PTRACE_EVENT_EXIT:
		put(t->tid, LOG_EXIT, pc, 0);
		return 1;
	}
	if (signal == CALL_STOP) {
		/* Its entry, then its end. */
		t->calls = t->calls == 1 ? 2 : 0;
		if (t->calls)
			return 1;
		signal = SIGTRAP;
	}
	if (signal != SIGTRAP) {
		lost_before_signal(t, pc, number);
		put(t->tid, LOG_SIGNAL, pc, (uint64_t)signal);
		t->deliver = signal;
		return 1;
	}
	/* s390x: it inherits the stop behind its maker's system call. */
	if (t->fresh && pc == t->at) {
		t->fresh = 0;
		return 1;
	}
	t->fresh = 0;
	if (t->late && pc == t->at && !handler_entered(t)) {
		t->late = 0;
		return 1;
	}
	if (handler_entered(t)) {
		put(t->tid, LOG_HANDLER, pc, number);
	} else {
		t->late = was_call(t->tid, t->at);
		lost_stops(t, pc, number);
		put(t->tid, LOG_STEP, pc, number);
	}
	t->at = pc;
	pages_of(t, pc);
	return 1;
}

int main(int argc, char **argv)
{
	unsigned long options = PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK |
				PTRACE_O_TRACEEXEC | PTRACE_O_TRACEEXIT | PTRACE_O_EXITKILL |
				PTRACE_O_TRACESYSGOOD;
	int status, code = 0;
	pid_t child, tid;

	all_registers = argc > 1 && !strcmp(argv[1], "-r");
	argc -= all_registers;
	argv += all_registers;
	if (argc < 3) {
		fputs("usage: itrace_judge [-r] LOG COMMAND [ARGUMENT]...\n", stderr);
		return 2;
	}
	out = fopen(argv[1], "we");
	if (!out)
		die(argv[1]);
	setvbuf(out, NULL, _IOFBF, 1 << 20);
	child = fork();
	if (!child) {
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		raise(SIGSTOP);
		execvp(argv[2], argv + 2);
		_exit(127);
	}
	if (waitpid(child, &status, 0) != child || !WIFSTOPPED(status) ||
	    ptrace(PTRACE_SETOPTIONS, child, 0, options))
		die("tracing the command");
	*find(child) = (struct thread){ .tid = child, .pid = child, .begun = 1 };
	/* At full speed up to the program itself. */
	ptrace(PTRACE_CONT, child, 0, 0);
	while ((tid = waitpid(-1, &status, __WALL)) > 0) {
		struct thread *t = find(tid);

		if (!WIFSTOPPED(status)) {
			if (tid == child)
				code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) :
							     WEXITSTATUS(status);
			*t = threads[--nthreads];
			continue;
		}
		if (stop(t, WSTOPSIG(status), status >> 16)) {
			if ((WSTOPSIG(status) & ~0x80) == SIGTRAP && !(status >> 16) &&
			    !t->deliver && !t->calls)
				sequences(t);
			go_on(t);
		}
	}
	if (fclose(out))
		die(argv[1]);
	return code;
}
