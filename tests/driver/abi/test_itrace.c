// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Instruction traces: a child's instructions and branches are compared, one by one, with what a
 * debugger sees that steps it; calls with wrong arguments are refused. A child does its part
 * between two calls of getppid, and nothing else counts; or it calls getppid again and again, and
 * each turn is a part.
 */
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>
#include <linux/perf_event.h>
#include "itrace.h"

#ifdef TRACED_HERE

/* ---- what is traced -------------------------------------------------------------------------- */

static void mark(void)
{
	syscall(SYS_getppid);
}

#define TURNS 1000

static void part_loop(void)
{
	unsigned int n = TURNS;

#if defined(__s390x__)
	asm volatile("1: ahi %0,-1\n\tjnz 1b" : "+d"(n) : : "cc");
#elif defined(__powerpc64__)
	asm volatile("mtctr %0\n1:\tnop\n\tbdnz 1b" : : "r"(n) : "ctr");
#else
	asm volatile("1: dec %0\n\tjnz 1b" : "+r"(n) : : "cc");
#endif
}

#ifdef __x86_64__
/* Short jumps forward, jumps of no distance, string instructions. */
static void part_odd(void)
{
	static char a[100], b[100];
	unsigned long n = sizeof(a);
	char *from = a, *to = b;

	asm volatile("jmp 1f\n\tnop\n1:\tjmp 2f\n2:\txor %%eax, %%eax\n\tjz 3f\n\tnop\n\tnop\n"
		     "3:\tjz 4f\n4:\tcall 5f\n5:\tpop %%rax\n\tpushfq\n\tpopfq\n\trep movsb"
		     : "+c"(n), "+S"(from), "+D"(to)
		     :
		     : "rax", "cc", "memory");
	n = 0;
	asm volatile("rep movsb" : "+c"(n), "+S"(from), "+D"(to) : : "memory");
}

/* The program does not find the trap flag in its flags. */
static void part_flags(void)
{
	unsigned long flags, after;

	asm volatile("pushfq\n\tpop %0" : "=r"(flags));
	asm volatile("syscall\n\tmov %%r11, %0"
		     : "=r"(after)
		     : "a"(SYS_getpid)
		     : "rcx", "r11", "memory");
	if ((flags | after) & 0x100)
		_exit(3);
}

static volatile sig_atomic_t handled;
static sigjmp_buf jump;

/* Nor does a handler, in what it returns to. */
static void handler(int signal, siginfo_t *info, void *context)
{
	(void)info;
	if (((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL] & 0x100)
		_exit(4);
	handled++;
	if (signal == SIGSEGV)
		siglongjmp(jump, 1);
}

static void part_signals(void)
{
	struct sigaction act = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO };
	volatile int *volatile hole = NULL;

	sigaction(SIGUSR1, &act, NULL);
	sigaction(SIGSEGV, &act, NULL);
	raise(SIGUSR1);
	if (!sigsetjmp(jump, 1))
		*hole = 1;
	raise(SIGUSR1);
}

static int fib(int n)
{
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

static void part_calls(void)
{
	volatile int n = 10;
	char *fresh = mmap(NULL, 16384, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int i;

	fib(n);
	/* Page faults on the way. */
	for (i = 0; i < 16384; i += 4096)
		fresh[i] = 1;
	sched_yield();
	munmap(fresh, 16384);
}
#endif

static pid_t begin_child(struct gate *g, void (*part)(void))
{
	pid_t pid;
	char c;

	if (pipe(g->fd))
		return -1;
	pid = fork();
	if (pid)
		return pid;
	if (read(g->fd[0], &c, 1) != 1)
		_exit(2);
	mark();
	part();
	mark();
	_exit(0);
}

static void open_gate(struct gate *g)
{
	if (write(g->fd[1], "", 1) != 1)
		wrong("no child");
}

static void close_gate(struct gate *g)
{
	close(g->fd[0]);
	close(g->fd[1]);
}

/* ---- the trace ------------------------------------------------------------------------------- */

struct pitrace_itrace_args itrace_of(int32_t *pid)
{
	return (struct pitrace_itrace_args){
		.size = sizeof(struct pitrace_itrace_args),
		.version = PITRACE_ABI_VERSION,
		.scope = PITRACE_ITRACE_PIDS,
		.listed = 1,
		.list = (uintptr_t)pid,
	};
}

bool begin_itrace(struct view *v, struct pitrace_session_args args,
		  const struct pitrace_itrace_args *it)
{
	struct pitrace_setup_args setup = setup_args(1000);
	static const int majors[] = {
		PITRACE_BRANCH_USER,  PITRACE_BREAK_USER,  PITRACE_ITRACE_SWITCH,
		PITRACE_ITRACE_START, PITRACE_ITRACE_STOP, PITRACE_CODE,
	};
	unsigned int i;

	if (!begin(v, args, 1000))
		return false;
	setup.majors[0] = 0;
	for (i = 0; i < sizeof(majors) / sizeof(majors[0]); i++)
		setup.majors[majors[i] / 64] |= 1ull << majors[i] % 64;
	want(0, ioctl(v->fd, PITRACE_IOC_SETUP, &setup));
	return want(0, ioctl(v->fd, PITRACE_IOC_ITRACE, it)) == 0;
}

struct pitrace_session_args itrace_plain(void)
{
	struct pitrace_session_args args = plain();

	args.trace_bytes = 8 * MB;
	return args;
}

#ifdef __x86_64__

/* ---- the judge: one step after the other ----------------------------------------------------- */

#define STEPS 200000

struct steps {
	uint64_t *ip; /* each instruction, once; and where it led at last */
	long n;
};

#define GETPPID_32 64

/* Is the thread about to call getppid? A 32-bit program's vdso does by sysenter or syscall. */
static bool at_mark(const struct user_regs_struct *regs, uint16_t code)
{
	if (code == 0x80cd || code == 0x340f)
		return regs->rax == GETPPID_32;
	return code == 0x050f && (regs->rax == SYS_getppid || regs->rax == GETPPID_32);
}

static uint64_t ip_of(pid_t pid)
{
	struct user_regs_struct regs = { 0 };

	ptrace(PTRACE_GETREGS, pid, NULL, &regs);
	return regs.rip;
}

/* Instructions between call number `first` of getppid and the next one: the first one not, the
 * second one included. */
static void step(struct steps *s, void (*part)(void), int first)
{
	struct user_regs_struct regs;
	struct gate g;
	pid_t pid = begin_child(&g, part);
	int status, marks = 0, signal = 0;

	s->n = 0;
	s->ip = calloc(STEPS, sizeof(*s->ip));
	if (ptrace(PTRACE_SEIZE, pid, NULL, NULL) || ptrace(PTRACE_INTERRUPT, pid, NULL, NULL))
		wrong("a child cannot be stepped");
	waitpid(pid, &status, 0);
	open_gate(&g);
	while (s->n < STEPS - 1) {
		uint16_t code;
		uint64_t ip;

		if (ptrace(PTRACE_GETREGS, pid, NULL, &regs))
			break;
		ip = regs.rip;
		code = ptrace(PTRACE_PEEKTEXT, pid, ip, NULL);
		if (at_mark(&regs, code) && ++marks > first) {
			s->ip[s->n++] = ip;
			if (!ptrace(PTRACE_SINGLESTEP, pid, NULL, 0))
				waitpid(pid, &status, 0);
			s->ip[s->n] = ip_of(pid);
			break;
		}
		/* A string instruction keeps its address until it is done. */
		/* Told of a signal whose instruction has not run: it is taken back. */
		if (signal && marks == first && s->n && s->ip[s->n - 1] == ip)
			s->n--;
		if (marks == first && !signal &&
		    !(s->n && s->ip[s->n - 1] == ip && (code & 0xff) == 0xf3))
			s->ip[s->n++] = ip;
		if (ptrace(PTRACE_SINGLESTEP, pid, NULL, signal) ||
		    waitpid(pid, &status, 0) != pid || !WIFSTOPPED(status))
			break;
		signal = WSTOPSIG(status) == SIGTRAP ? 0 : WSTOPSIG(status);
		if (status >> 16 == PTRACE_EVENT_STOP)
			signal = 0;
	}
	if (marks <= first)
		wrong("the judge lost its way");
	if (s->n)
		memmove(s->ip, s->ip + 1, s->n-- * sizeof(*s->ip));
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	close_gate(&g);
}

/* One event of a thread: a record of a branch or a break, in the order of time. */
struct event {
	uint64_t stamp, from, to;
	uint32_t count, number, minor;
	uint16_t major;
};
/* The events that were equal in both. */
struct compared {
	long instructions, branches, breaks;
};
struct events {
	uint32_t tid;
	struct event *event;
	long n, gaps;
	uint64_t stamp; /* high half */
};
#define EVENTS 400000

static void collect(const struct pitrace_rec *rec, void *arg)
{
	struct events *e = arg;
	struct event *to = &e->event[e->n];
	const void *data = rec + 1;

	if (e->n >= EVENTS)
		return;
	to->major = rec->major;
	to->minor = rec->minor;
	to->stamp = rec->stamp;
	switch (rec->major) {
	case PITRACE_BRANCH_USER: {
		const struct pitrace_branch *b = data;

		if (b->tid != e->tid)
			return;
		to->count = b->count;
		to->from = b->from;
		to->to = b->to;
		break;
	}
	case PITRACE_BREAK_USER: {
		const struct pitrace_break_rec *b = data;

		if (b->tid != e->tid)
			return;
		to->count = b->count;
		to->number = b->number;
		to->from = b->at;
		to->to = b->to;
		break;
	}
	case PITRACE_ITRACE_START:
	case PITRACE_ITRACE_STOP: {
		const struct pitrace_itrace_mark *m = data;

		if (m->tid != e->tid)
			return;
		to->count = m->count;
		to->from = to->to = m->address;
		break;
	}
	default:
		return;
	}
	e->gaps += !!(rec->minor & PITRACE_BRANCH_GAP);
	e->n++;
}

/* The child stays on CPU 0: its records are in order. */
static struct events events_of(const struct view *v, uint32_t tid)
{
	struct events e = { .tid = tid, .event = calloc(EVENTS, sizeof(*e.event)) };

	each_record(v, PITRACE_RING_TRACE, collect, &e);
	return e;
}

static bool is_mark(const struct event *e)
{
	return e->major == PITRACE_BREAK_USER &&
	       (e->minor & PITRACE_BRANCH_KIND) == PITRACE_BREAK_SYSCALL &&
	       (e->number == SYS_getppid || e->number == GETPPID_32);
}

/* Has a handler begun before what `v` leads to was executed? Interrupts and page faults may come
 * in between. */
static bool handler_begins(const struct event *v, const struct event *end)
{
	const struct event *next = v + 1;

	for (; next < end && next->major == PITRACE_BREAK_USER && !next->count; next++) {
		if (next->from != v->to)
			return false;
		if ((next->minor & PITRACE_BRANCH_KIND) == PITRACE_BREAK_SIGNAL)
			return true;
	}
	return false;
}

/* Each run of the trace is the judge's next instructions, and ends where his do. From one mark of
 * the trace to the next, which is returned; NULL: they differ. */
static const struct event *compare(const char *what, const struct event *v, const struct event *end,
				   const struct steps *s, struct compared *c)
{
	long at = 0;
	uint32_t k;

	*c = (struct compared){ 0 };
	for (v++; v < end; v++) {
		uint64_t last;

		c->instructions += v->count;
		if (at + (long)v->count > s->n) {
			wrong("%s: %ld instructions, stepped %ld", what, c->instructions, s->n);
			return NULL;
		}
		for (k = 0; k + 1 < v->count; k++)
			if (s->ip[at + k + 1] - s->ip[at + k] - 1 > 14) {
				wrong("%s: a branch from %#lx to %#lx is not a record's", what,
				      (long)s->ip[at + k], (long)s->ip[at + k + 1]);
				return NULL;
			}
		at += v->count;
		last = at ? s->ip[at - 1] : 0;
		if (v->major == PITRACE_BRANCH_USER) {
			c->branches++;
			if (last != v->from || s->ip[at] != v->to) {
				wrong("%s: record %ld: %#lx -> %#lx, stepped %#lx -> %#lx", what,
				      c->branches, (long)v->from, (long)v->to, (long)last,
				      (long)s->ip[at]);
				return NULL;
			}
		} else if (v->major == PITRACE_BREAK_USER) {
			c->breaks++;
			if (s->ip[at] != v->to && !handler_begins(v, end)) {
				wrong("%s: break %#x goes on at %#lx, stepped %#lx", what, v->minor,
				      (long)v->to, (long)s->ip[at]);
				return NULL;
			}
			if (is_mark(v))
				break;
		}
	}
	if (v == end || c->instructions != s->n) {
		wrong("%s: %ld instructions of %ld", what, c->instructions, s->n);
		return NULL;
	}
	return v;
}

static const struct event *first_mark(const struct event *v, const struct event *end)
{
	while (v < end && !is_mark(v))
		v++;
	return v;
}

/* Compares the part between the child's first two marks. */
static void compare_part(const char *what, const struct events *e, const struct steps *s)
{
	const struct event *end = e->event + e->n, *first = first_mark(e->event, end);
	struct compared c;

	if (first == end)
		wrong("%s: no mark among %ld records", what, e->n);
	else if (compare(what, first, end, s, &c))
		printf("# %s: %ld instructions, %ld branches, %ld breaks; stepped %ld\n", what,
		       c.instructions, c.branches, c.breaks, s->n);
}

/* The trace of a child that does its part. */
static struct events trace_part(void (*part)(void))
{
	struct pitrace_itrace_args it;
	struct events e = { 0 };
	struct gate g;
	struct view v;
	int32_t pid = begin_child(&g, part);
	int status = -1;

	it = itrace_of(&pid);
	if (begin_itrace(&v, itrace_plain(), &it)) {
		want(0, ioctl(v.fd, PITRACE_IOC_ON));
		open_gate(&g);
		check(waitpid(pid, &status, 0) == pid && status == 0);
		want(0, ioctl(v.fd, PITRACE_IOC_OFF));
		check(check_rings(&v) > 0);
		check(lost(&v, PITRACE_LOST_BRANCH) == 0);
		e = events_of(&v, pid);
		check(e.gaps == 0);
		check(e.n && e.event[0].major == PITRACE_ITRACE_START);
		check(e.n && e.event[e.n - 1].major == PITRACE_ITRACE_STOP);
		unview(&v);
	}
	close_gate(&g);
	return e;
}

static void equal(const char *what, void (*part)(void))
{
	struct steps s;
	struct events e;

	on_cpu(0);
	step(&s, part, 1);
	e = trace_part(part);
	compare_part(what, &e, &s);
	free(e.event);
	free(s.ip);
	on_all_cpus();
}

static void traced(void (*part)(void))
{
	struct pitrace_itrace_args it;
	struct gate g;
	struct view v;
	int status = -1;
	int32_t pid = begin_child(&g, part);

	it = itrace_of(&pid);
	if (begin_itrace(&v, itrace_plain(), &it)) {
		want(0, ioctl(v.fd, PITRACE_IOC_ON));
		open_gate(&g);
		check(waitpid(pid, &status, 0) == pid && status == 0);
		want(0, ioctl(v.fd, PITRACE_IOC_OFF));
		unview(&v);
	}
	close_gate(&g);
}

void test_itrace_flags(void)
{
	traced(part_flags);
	no_session_left();
}

void test_itrace_equal(void)
{
	equal("loop", part_loop);
	equal("odd", part_odd);
	equal("calls", part_calls);
	equal("signals", part_signals);
	no_session_left();
}

/* A program of 32 bits, which makes its second mark itself. */
static void part_32(void)
{
	personality(ADDR_NO_RANDOMIZE);
	execlp("trace32", "trace32", (char *)NULL);
	_exit(127);
}

void test_itrace_32bit(void)
{
	equal("32 bits", part_32);
	no_session_left();
}

/* ---- calls of a thread that is interrupted all the time -------------------------------------- */

#define CALLS 10000

static void part_syscalls(void)
{
	long n = CALLS;

	asm volatile("1:\tmov %1, %%eax\n\tsyscall\n\tdec %0\n\tjnz 1b"
		     : "+b"(n)
		     : "i"(SYS_getppid)
		     : "rax", "rcx", "r11", "memory", "cc");
}

static void part_int80(void)
{
	long n = CALLS;

	asm volatile("1:\tmov %1, %%eax\n\tint $0x80\n\tdec %0\n\tjnz 1b"
		     : "+b"(n)
		     : "i"(GETPPID_32)
		     : "rax", "r8", "r9", "r10", "r11", "memory", "cc");
}

static void part_vdso_32(void)
{
	char calls[16];

	snprintf(calls, sizeof(calls), "%d", CALLS);
	personality(ADDR_NO_RANDOMIZE);
	execlp("trace32", "trace32", calls, (char *)NULL);
	_exit(127);
}

/* A timer of CPU 0 interrupts whatever runs there 20,000 times a second; and this process wakes
 * 2,000 times a second, and takes the CPU from others. */
static pid_t interrupt_others(void)
{
	struct perf_event_attr clock = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(clock),
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = 50000,
	};
	const struct timespec nap = { .tv_nsec = 500000 };
	pid_t pid = fork();

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (syscall(SYS_perf_event_open, &clock, -1, 0, -1, 0) < 0)
		_exit(2);
	for (;;)
		nanosleep(&nap, NULL);
}

/* Interrupts of a thread: those right before a call's instruction, and between its return and the
 * next one. */
struct disturbed {
	long interrupts, before, behind;
};

static struct disturbed disturbed_of(const struct events *e)
{
	struct disturbed n = { 0 };
	const struct event *v;

	for (v = e->event + 1; v < e->event + e->n; v++) {
		bool interrupt = v->major == PITRACE_BREAK_USER &&
				 (v->minor & PITRACE_BRANCH_KIND) == PITRACE_BREAK_INTERRUPT;

		n.interrupts += interrupt;
		n.behind += interrupt && !v->count && is_mark(v - 1);
		n.before += is_mark(v) && v->count == 1;
	}
	return n;
}

/* The child's first mark is in front of its turns, a last one may be behind them. */
static struct disturbed equal_turns(const char *what, void (*part)(void))
{
	const struct event *v, *end;
	struct disturbed n;
	struct compared c;
	struct steps s;
	struct events e;
	pid_t other;
	long turns = 0;

	step(&s, part, 2);
	other = interrupt_others();
	e = trace_part(part);
	check(other > 0 && !kill(other, SIGKILL) && WTERMSIG(status_of(other)) == SIGKILL);
	end = e.event + e.n;
	n = disturbed_of(&e);
	v = first_mark(e.event, end);
	if (v < end)
		v = first_mark(v + 1, end);
	while (v && v < end && turns < CALLS - 1) {
		v = compare(what, v, end, &s, &c);
		turns += !!v;
	}
	printf("# %s: %ld turns of %ld instructions; %ld interrupts, %ld right before a call, %ld behind\n",
	       what, turns, s.n, n.interrupts, n.before, n.behind);
	check(turns == CALLS - 1);
	free(e.event);
	free(s.ip);
	return n;
}

void test_itrace_interrupted(void)
{
	struct disturbed a, b, c;

	on_cpu(0);
	a = equal_turns("syscall", part_syscalls);
	b = equal_turns("int 0x80", part_int80);
	c = equal_turns("32 bits by the vdso", part_vdso_32);
	/* Else they were not disturbed where it matters. */
	check(a.before + b.before + c.before > 0);
	check(a.behind + b.behind + c.behind > 0);
	on_all_cpus();
	no_session_left();
}

#endif

/* A loop of a known length says what the judge says. */
static void count_loop(const struct pitrace_rec *rec, void *arg)
{
	const struct pitrace_branch *b = (const void *)(rec + 1);
	long *n = arg;

	if (rec->major == PITRACE_BRANCH_USER && b->count == 2 && b->from - b->to <= 4)
		++*n;
}

void test_itrace_loop(void)
{
	struct pitrace_itrace_args it;
	struct gate g;
	struct view v;
	int32_t pid;
	long n = 0;

	on_cpu(0);
	pid = begin_child(&g, part_loop);
	it = itrace_of(&pid);
	if (begin_itrace(&v, itrace_plain(), &it)) {
		want(0, ioctl(v.fd, PITRACE_IOC_ON));
		open_gate(&g);
		check(waitpid(pid, NULL, 0) == pid);
		want(0, ioctl(v.fd, PITRACE_IOC_OFF));
		each_record(&v, PITRACE_RING_TRACE, count_loop, &n);
		/* An interrupt breaks a run here and there; the first turn's run began before. */
		printf("# %ld of %d turns are runs of their own\n", n, TURNS);
		check(n <= TURNS - 1 && n > TURNS - 100);
		check(page_of(&v, 0)->instructions >= 2 * TURNS);
		check(page_of(&v, 0)->branches >= TURNS);
		unview(&v);
	}
	close_gate(&g);
	on_all_cpus();
	no_session_left();
}

#endif

/* ---- wrong calls ----------------------------------------------------------------------------- */

void test_itrace_fields(void)
{
	struct pitrace_session_args args = plain();
	struct pitrace_itrace_args it, good = {
		.size = sizeof(good),
		.version = PITRACE_ABI_VERSION,
		.scope = PITRACE_ITRACE_ALL,
	};
	bool have = info().have & PITRACE_HAVE_ITRACE;
	int32_t nobody = 1 << 30, self = getpid();
	int fd = want(0, session(&args));
	int inval = have ? EINVAL : EOPNOTSUPP;
	struct pitrace_setup_args setup = setup_args(1000);

	setup.majors[0] |= 1ull << PITRACE_BRANCH_USER;
	want(have ? 0 : EOPNOTSUPP, ioctl(fd, PITRACE_IOC_SETUP, &setup));
#define TRY(error, ...)                                          \
	do {                                                     \
		it = good;                                       \
		__VA_ARGS__;                                     \
		want(error, ioctl(fd, PITRACE_IOC_ITRACE, &it)); \
	} while (0)
	TRY(have ? 0 : EOPNOTSUPP, );
	TRY(EINVAL, it.size = 4);
	TRY(EINVAL, it.version = 99);
	TRY(inval, it.flags = 0x40);
	TRY(inval, it.flags = ~0u);
	TRY(inval, it.scope = 5);
	TRY(inval, it.scope = ~0u);
	TRY(inval, it.reserved0 = 1);
	TRY(inval, it.reserved1[0] = 1);
	TRY(inval, it.reserved1[1] = 1ull << 63);
	TRY(inval, it.listed = 1);
	TRY(inval, it.list = 8);
	TRY(inval, it.first = 1);
	TRY(inval, it.last = 1);
	TRY(inval, it.scope = PITRACE_ITRACE_RANGE);
	TRY(inval, it.scope = PITRACE_ITRACE_RANGE; it.first = 9; it.last = 8);
	TRY(inval, it.scope = PITRACE_ITRACE_RANGE; it.first = -1);
	TRY(inval, it.start.address = 1);
	TRY(inval, it.stop.fd = -1);
	TRY(inval, it.flags = PITRACE_ITRACE_FROM; it.start.fd = -2);
	TRY(inval, it.flags = PITRACE_ITRACE_FROM; it.start.fd = -1; it.start.reserved = 1);
	TRY(inval, it.scope = PITRACE_ITRACE_PIDS);
	TRY(inval, it.scope = PITRACE_ITRACE_PIDS; it.listed = PITRACE_ITRACE_LIST + 1;
	    it.list = (uintptr_t)&self);
	TRY(inval, it.scope = PITRACE_ITRACE_NONE; it.flags = PITRACE_ITRACE_FOLLOW);
	if (have) {
		TRY(EFAULT, it.scope = PITRACE_ITRACE_PIDS; it.listed = 64; it.list = 8);
		TRY(EFAULT, it.scope = PITRACE_ITRACE_TIDS; it.listed = 1; it.list = ~0ull - 3);
		TRY(ESRCH, it.scope = PITRACE_ITRACE_PIDS; it.listed = 1;
		    it.list = (uintptr_t)&nobody);
		TRY(EBADF, it.flags = PITRACE_ITRACE_FROM; it.start.fd = 999);
		TRY(EINVAL, it.flags = PITRACE_ITRACE_FROM; it.start.fd = fd);
		TRY(0, it.scope = PITRACE_ITRACE_PIDS; it.listed = 1; it.list = (uintptr_t)&self);
		TRY(0, it.scope = PITRACE_ITRACE_NONE);
		/* The holder of the session is not traced, even on request. */
		TRY(0, );
		want(0, ioctl(fd, PITRACE_IOC_ON));
		TRY(EBUSY, );
		want(0, ioctl(fd, PITRACE_IOC_SUSPEND));
		TRY(EBUSY, );
		want(0, ioctl(fd, PITRACE_IOC_RESUME));
		want(0, ioctl(fd, PITRACE_IOC_OFF));
	}
#undef TRY
	close(fd);
	no_session_left();
}
