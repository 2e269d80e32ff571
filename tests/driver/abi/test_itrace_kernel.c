// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * The kernel's side of instruction traces: each call that a child makes is seen from its entry to
 * its return, as a row of runs of which each begins where the one before led; what user code did is
 * the same with it and without it. The module was loaded with kernel_itrace=1.
 */
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "itrace.h"
#include "kernel_flow.h"

#ifdef KERNEL_TRACED_HERE

#define BIT(major)  (1ull << (major))
#define USER_SIDE   (BIT(PITRACE_BRANCH_USER) | BIT(PITRACE_BREAK_USER))
#define KERNEL_SIDE (BIT(PITRACE_BRANCH_KERNEL) | BIT(PITRACE_BREAK_KERNEL))

#define MARKS (BIT(PITRACE_ITRACE_SWITCH) | BIT(PITRACE_ITRACE_START) | BIT(PITRACE_ITRACE_STOP))

/* ---- sessions -------------------------------------------------------------------------------- */

static bool begin_sides(struct view *v, uint64_t majors, const struct pitrace_itrace_args *it)
{
	struct pitrace_setup_args setup = setup_args(1000);
	struct pitrace_session_args args = itrace_plain();

	args.trace_bytes = 64 * MB;
	if (!begin(v, args, 1000))
		return false;
	setup.majors[0] = majors | MARKS;
	want(0, ioctl(v->fd, PITRACE_IOC_SETUP, &setup));
	return want(0, ioctl(v->fd, PITRACE_IOC_ITRACE, it)) == 0;
}

/* `part` in a child, from before it begins to its end; the child's number is left in *pid. */
static bool traced(struct view *v, void (*part)(void), uint64_t majors, int32_t *pid,
		   struct pitrace_itrace_args *it, int code)
{
	struct gate g;
	int status;

	*pid = child_of(&g, part);
	it->list = (uintptr_t)pid;
	if (!begin_sides(v, majors, it)) {
		kill(*pid, SIGKILL);
		status_of(*pid);
		done(&g);
		return false;
	}
	want(0, ioctl(v->fd, PITRACE_IOC_ON));
	let_go(&g);
	status = status_of(*pid);
	if (status != code)
		wrong("the child's status is %#x", status);
	want(0, ioctl(v->fd, PITRACE_IOC_OFF));
	check(check_rings(v) > 0);
	check(lost(v, PITRACE_LOST_BRANCH) == 0);
	done(&g);
	return true;
}

static struct flow flow(void (*part)(void), uint64_t majors, bool moves)
{
	struct pitrace_itrace_args it = itrace_of(NULL);
	struct flow f = { 0 };
	struct view v;
	int32_t pid;

	if (!moves)
		on_cpu(0);
	if (traced(&v, part, majors, &pid, &it, 0)) {
		f = flow_of(&v, pid, moves);
		unview(&v);
	}
	if (!moves)
		on_all_cpus();
	return f;
}

/* ---- what user code does --------------------------------------------------------------------- */

static void part_calls(void)
{
	char text[100] = "written";
	int fd[2], i;

	if (pipe(fd))
		_exit(3);
	for (i = 0; i < 10; i++)
		syscall(SYS_getpid);
	for (i = 0; i < 10; i++)
		if (write(fd[1], text, sizeof(text)) != sizeof(text) ||
		    read(fd[0], text, sizeof(text)) != sizeof(text))
			_exit(4);
	if (write(-1, text, 1) != -1)
		_exit(5);
}

static volatile sig_atomic_t handled;

static void handler(int signal)
{
	(void)signal;
	handled++;
	syscall(SYS_getpid);
}

static void part_signals(void)
{
	struct sigaction a = { .sa_handler = handler };
	struct timespec t = { 0, 1000000 };
	int i;

	sigaction(SIGUSR1, &a, NULL);
	sigaction(SIGALRM, &a, NULL);
	for (i = 0; i < 5; i++)
		raise(SIGUSR1);
	nanosleep(&t, NULL);
	if (handled != 5)
		_exit(3);
}

/* Returns its branches and breaks, without those of interrupts and the reports of its calls. */
static long user_side(struct flow *f)
{
	long i, n = 0;
	uint32_t run = 0;

	for (i = 0; i < f->n; i++) {
		struct event e = f->event[i];
		uint32_t kind = e.minor & PITRACE_BRANCH_KIND;

		if (is_kernel(&e) || is_mark(&e))
			continue;
		e.count += run;
		run = 0;
		if (!is_branch(&e) &&
		    (kind == PITRACE_BREAK_INTERRUPT || kind == PITRACE_BREAK_FAULT)) {
			run = e.count;
			continue;
		}
		/* A call ends the run; the other side reports where it returns to. */
		if ((is_branch(&e) && e.minor & PITRACE_BRANCH_CROSS) ||
		    (!is_branch(&e) && kind == PITRACE_BREAK_SYSCALL)) {
			e.major = PITRACE_BRANCH_USER;
			e.minor = PITRACE_BRANCH_OTHER;
			e.from = e.to = 0;
		}
		/* Instructions that a call executed elsewhere are counted for it, without the
		 * kernel's side. */
		if (!is_branch(&e) && kind != PITRACE_BREAK_SYSCALL && e.count) {
			f->event[n] = e;
			f->event[n].major = PITRACE_BRANCH_USER;
			f->event[n].minor = PITRACE_BRANCH_OTHER;
			f->event[n].from = f->event[n].to = 0;
			n++;
			e.count = 0;
		}
		f->event[n++] = e;
	}
	return n;
}

/* Calls whose rest is left out and reported: on s390x one that continues after a thread that has
 * exited; more of them, or any elsewhere, are wrong. */
static long left_out(const struct flow *f)
{
#ifdef __s390x__
	if (f->stops[PITRACE_ITRACE_PROBE] == 1)
		return 1;
#endif
	return f->stops[PITRACE_ITRACE_PROBE] ? -1000 : 0;
}

static void same_user_side(void (*part)(void))
{
	struct flow both = flow(part, USER_SIDE | KERNEL_SIDE, false);
	struct flow alone = flow(part, USER_SIDE, false);
	long n = user_side(&both), m = user_side(&alone), i;

	for (i = 0; i < n && i < m; i++) {
		const struct event *a = &both.event[i], *b = &alone.event[i];

		if (a->major == b->major && a->minor == b->minor && a->count == b->count &&
		    (a->from == b->from || !a->from || !b->from))
			continue;
		wrong("%ld of the user's: %#x, %#x, %u instructions, %#lx -> %#lx; alone %#x, %#x, %u, %#lx -> %#lx",
		      i, a->major, a->minor, a->count, (long)a->from, (long)a->to, b->major,
		      b->minor, b->count, (long)b->from, (long)b->to);
		break;
	}
	/* The call that ends the thread does not return, and only the kernel's side reports it. */
	check(n == m + 1 && n > 20);
	/* exit_group does not return */
	check(both.calls == both.returns + left_out(&both) + 1);
	check(both.instructions[1] > 100 * both.calls);
	check(both.gaps == 0 && alone.gaps == 0);
	check(!alone.branches[1]);
	free(both.event);
	free(alone.event);
}

void test_kernel_itrace_calls(void)
{
	same_user_side(part_calls);
	no_session_left();
}

void test_kernel_itrace_signals(void)
{
	same_user_side(part_signals);
	no_session_left();
}

/* Only the kernel's side: of user code, only the places of its calls. */
void test_kernel_itrace_alone(void)
{
	struct flow f = flow(part_calls, KERNEL_SIDE, false);
	long i;

	for (i = 0; i < f.n; i++)
		if (f.event[i].major == PITRACE_BRANCH_USER)
			check(f.event[i].count == 1 &&
			      f.event[i].minor == (PITRACE_BRANCH_OTHER | PITRACE_BRANCH_CROSS |
						   PITRACE_BRANCH_GAP));
	check(f.calls == f.returns + left_out(&f) + 1 && f.calls > 30);
	check(f.branches[0] == f.calls && !f.breaks[0][PITRACE_BREAK_FAULT]);
	free(f.event);
	no_session_left();
}

static void part_exec(void)
{
	execlp("busybox", "busybox", "true", NULL);
	_exit(3);
}

void test_kernel_itrace_exec(void)
{
	struct flow f = flow(part_exec, USER_SIDE | KERNEL_SIDE, false);

	check(f.breaks[0][PITRACE_BREAK_EXEC] == 1);
	check(f.stops[PITRACE_ITRACE_EXIT] == 1 && !f.stops[PITRACE_ITRACE_BUDGET]);
	check(f.instructions[1] > 100000);
	check(f.calls == f.returns + left_out(&f) + 1);
	free(f.event);
	no_session_left();
}

/* Pages that are not there yet, under the kernel's hands; and one that is never. */
static void part_faults(void)
{
	char *page = mmap(NULL, 8 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			  0);
	char *volatile nowhere = (char *)16;
	int fd[2], i;

	if (pipe(fd))
		_exit(3);
	for (i = 0; i < 8; i++)
		if (write(fd[1], page + i * 4096, 100) != 100)
			_exit(4);
	if (write(fd[1], nowhere, 100) != -1 || errno != EFAULT)
		_exit(5);
	if (read(fd[0], nowhere, 100) != -1 || errno != EFAULT)
		_exit(6);
}

void test_kernel_itrace_faults(void)
{
	struct flow f = flow(part_faults, USER_SIDE | KERNEL_SIDE, false);

#ifdef __x86_64__
	check(f.breaks[1][PITRACE_BREAK_FAULT] >= 10);
#else
	/* There a fault is one of memory that is mapped. */
	check(f.breaks[1][PITRACE_BREAK_FAULT] >= 8);
#endif
	/* An instruction that failed twice did not continue where it was. */
	check(f.breaks[1][PITRACE_BREAK_EXCEPTION] >= 2);
	check(f.gaps == 0);
	check(f.calls == f.returns + left_out(&f) + 1);
	free(f.event);
	no_session_left();
}

#ifdef __x86_64__

/* A register that is 32 bits wide, if there at all: to write more is an exception (#GP) in the
 * kernel, which goes on a few bytes behind that instruction. */
#define MSR_PKRS 0x6e1

static void part_exception(void)
{
	int fd = open("/dev/cpu/0/msr", O_WRONLY);
	uint64_t wide = ~0ull;

	if (fd < 0)
		_exit(3);
	if (pwrite(fd, &wide, sizeof(wide), MSR_PKRS) != -1 || errno != EIO)
		_exit(4);
}

void test_kernel_itrace_exceptions(void)
{
	struct flow f = flow(part_exception, KERNEL_SIDE, false);
	long i, n = 0;

	for (i = 0; i < f.n; i++) {
		const struct event *e = &f.event[i];

		if (e->major == PITRACE_BREAK_KERNEL &&
		    (e->minor & PITRACE_BRANCH_KIND) == PITRACE_BREAK_EXCEPTION) {
			printf("# %#lx -> %#lx\n", (long)e->from, (long)e->to);
			check(e->to - e->from >= 2 && e->to - e->from < 15);
			n++;
		}
	}
	/* One gap for each call of which user code's part was not seen. */
	check(n == 1 && f.gaps == f.calls);
	free(f.event);
	no_session_left();
}

#endif

/* It sleeps in a call on one CPU and continues on the other. */
#define SLEEPS 20
static int sleeping[2], awake[2];

static void part_sleeps(void)
{
	char c;
	int i;

	for (i = 0; i < SLEEPS; i++)
		if (read(sleeping[0], &c, 1) != 1 || write(awake[1], &c, 1) != 1)
			_exit(3);
}

void test_kernel_itrace_sleeps(void)
{
	struct pitrace_itrace_args it = itrace_of(NULL);
	struct gate g;
	struct view v;
	int32_t pid;
	int i, status = -1;
	char c = 0;

	check(!pipe(sleeping) && !pipe(awake));
	pid = child_of(&g, part_sleeps);
	it.list = (uintptr_t)&pid;
	if (begin_sides(&v, USER_SIDE | KERNEL_SIDE, &it)) {
		want(0, ioctl(v.fd, PITRACE_IOC_ON));
		let_go(&g);
		for (i = 0; i < SLEEPS; i++) {
			cpu_set_t cpus;

			nap(20);
			CPU_ZERO(&cpus);
			CPU_SET(i % 2, &cpus);
			sched_setaffinity(pid, sizeof(cpus), &cpus);
			check(write(sleeping[1], &c, 1) == 1);
			check(read(awake[0], &c, 1) == 1);
		}
		status = status_of(pid);
		check(status == 0);
		want(0, ioctl(v.fd, PITRACE_IOC_OFF));
		check(lost(&v, PITRACE_LOST_BRANCH) == 0);

		struct flow f = flow_of(&v, pid, true);

		check(f.breaks[1][PITRACE_BREAK_SWITCH] >= SLEEPS);
		check(f.gaps == 0);
		check(f.calls == f.returns + left_out(&f) + 1);
		free(f.event);
		unview(&v);
	}
	done(&g);
	close(sleeping[0]), close(sleeping[1]), close(awake[0]), close(awake[1]);
	no_session_left();
}

/* Calls without an end, in which interrupts come, and which are preempted. */
static void calls_until(time_t end)
{
	char text[4096];
	int fd[2];

	if (pipe(fd))
		_exit(3);
	while (time(NULL) < end) {
		void *p = mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			       0);

		if (write(fd[1], p, sizeof(text)) != sizeof(text) ||
		    read(fd[0], text, sizeof(text)) != sizeof(text))
			_exit(4);
		munmap(p, 65536);
		sched_yield();
	}
}

static long seconds(void)
{
	return getenv("SECONDS") ? atol(getenv("SECONDS")) : 2;
}

static void part_interrupts(void)
{
	calls_until(time(NULL) + seconds());
}

static void count_all(const struct pitrace_rec *rec, void *arg)
{
	const struct pitrace_break_rec *b = (const void *)(rec + 1);
	bool interrupt = (rec->minor & PITRACE_BRANCH_KIND) == PITRACE_BREAK_INTERRUPT;
	unsigned long *n = arg;

	if (rec->major == PITRACE_BRANCH_KERNEL)
		n[0]++;
	else if (rec->major == PITRACE_BREAK_KERNEL)
		n[1 + (interrupt && b->at == b->to)]++;
}

/* Two threads at once; both CPUs take interrupts meanwhile. With SECONDS=60 the long one. */
void test_kernel_itrace_interrupts(void)
{
	struct pitrace_itrace_args it;
	unsigned long n[3] = { 0 };
	uint64_t instructions;
	int32_t pid[2];
	struct gate g[2];
	struct view v;
	int k;

	for (k = 0; k < 2; k++)
		pid[k] = child_of(&g[k], part_interrupts);
	it = itrace_of(pid);
	it.listed = 2;
	it.flags = PITRACE_ITRACE_LOSSY;
	if (begin_sides(&v, USER_SIDE | KERNEL_SIDE, &it)) {
		want(0, ioctl(v.fd, PITRACE_IOC_ON));
		for (k = 0; k < 2; k++)
			let_go(&g[k]);
		nap(1000 * seconds() - 500);
		want(0, ioctl(v.fd, PITRACE_IOC_OFF));
		for (k = 0; k < 2; k++)
			check(status_of(pid[k]) == 0);
		instructions = page_of(&v, 0)->instructions;
		each_record(&v, PITRACE_RING_TRACE, count_all, n);
		printf("# %lu branches of the kernel, %lu interrupts, %lu other breaks, %lu instructions on CPU 0\n",
		       n[0], n[2], n[1], (unsigned long)instructions);
		check(n[0] > 1000 && n[2] > 0 && n[1] > 0);
		unview(&v);
	}
	for (k = 0; k < 2; k++)
		done(&g[k]);
	no_session_left();
}

/* It stops within a call, at the very instruction; no call is too long unless it says so. */
void test_kernel_itrace_limits(void)
{
	struct pitrace_itrace_args it = itrace_of(NULL);
	long i, total = 0;
	struct flow f;
	struct view v;
	int32_t pid;

	on_cpu(0);
	it.limit = 5000;
	if (traced(&v, part_calls, USER_SIDE | KERNEL_SIDE, &pid, &it, 0)) {
		f = flow_of(&v, pid, false);
		for (i = 0; i < f.n; i++)
			total += f.event[i].count;
		check(total == 5000);
		check(f.stops[PITRACE_ITRACE_LIMIT] == 1);
		free(f.event);
		unview(&v);
	}
	on_all_cpus();
	no_session_left();
}

static void part_storm(void)
{
	for (;;) {
		pid_t pid = fork();

		if (!pid) {
			handled = 0;
			signal(SIGUSR1, handler);
			raise(SIGUSR1);
			execlp("busybox", "busybox", "true", NULL);
			_exit(3);
		}
		if (status_of(pid))
			_exit(4);
	}
}

static void part_long(void)
{
	calls_until(time(NULL) + 100000);
}

/* Tracing of threads in calls is switched on and off; none of them is killed by it. */
void test_kernel_itrace_storm(void)
{
	long turns = getenv("TURNS") ? atol(getenv("TURNS")) : 40, i, kernel = 0;
	struct pitrace_itrace_args it, none = itrace_of(NULL);
	struct pitrace_session_args own = plain();
	struct pitrace_setup_args setup = setup_args(1000);
	struct gate g[STORM_CHILDREN];
	int32_t pid[STORM_CHILDREN];
	struct view v, keep;
	int k;

	/* The hooks stay: each turn is one of threads, not of hooks. */
	none.scope = PITRACE_ITRACE_NONE;
	none.listed = 0;
	own.scope = PITRACE_SCOPE_PROCESS;
	own.pid = getpid();
	setup.majors[0] = USER_SIDE | KERNEL_SIDE | MARKS;
	if (!begin(&keep, own, 1000))
		return;
	want(0, ioctl(keep.fd, PITRACE_IOC_SETUP, &setup));
	want(0, ioctl(keep.fd, PITRACE_IOC_ITRACE, &none));
	want(0, ioctl(keep.fd, PITRACE_IOC_ON));
	for (k = 0; k < STORM_CHILDREN; k++)
		pid[k] = child_of(&g[k], k == 2 ? part_long : part_storm);
	it = itrace_of(pid);
	it.listed = 3;
	it.flags = PITRACE_ITRACE_FOLLOW | PITRACE_ITRACE_LOSSY;
	if (begin_sides(&v, USER_SIDE | KERNEL_SIDE, &it)) {
		for (k = 0; k < STORM_CHILDREN; k++)
			let_go(&g[k]);
		for (i = 0; i < turns && !bad; i++) {
			unsigned long n[3] = { 0 };

			want(0, ioctl(v.fd, PITRACE_IOC_ON));
			if (i % 4 == 1) {
				want(0, ioctl(v.fd, PITRACE_IOC_SUSPEND));
				want(0, ioctl(v.fd, PITRACE_IOC_RESUME));
			}
			if (i % 4 == 2)
				nap(5);
			want(0, ioctl(v.fd, PITRACE_IOC_OFF));
			if (i % 4 == 2)
				each_record(&v, PITRACE_RING_TRACE, count_all, n);
			kernel += n[0];
			all_alive(pid, i);
		}
		unview(&v);
	}
	end_children(pid, g);
	unview(&keep);
	printf("# %ld turns, %ld branches of the kernel in each fourth\n", turns, kernel);
	check(kernel > turns);
	no_session_left();
}

/* ---- who sleeps when the driver goes --------------------------------------------------------- */

static char *missing;
static int faults = -1;

/* In a call; and in a page fault within one, which is not served. */
static void part_asleep(void)
{
	char c;

	(void)!read(sleeping[0], &c, 1);
	pause();
}

static void part_fault(void)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register r = {
		.range = { .len = 4096 },
		.mode = UFFDIO_REGISTER_MODE_MISSING,
	};

	missing = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	faults = (int)syscall(SYS_userfaultfd, O_CLOEXEC);
	r.range.start = (uintptr_t)missing;
	if (faults >= 0 && !ioctl(faults, UFFDIO_API, &api) && !ioctl(faults, UFFDIO_REGISTER, &r))
		(void)!write(awake[1], missing, 100);
	pause();
}

int leave_kernel_sleepers(void)
{
	struct pitrace_itrace_args it;
	struct gate g[2];
	int32_t pid[2];
	struct view v;

	check(!pipe(sleeping) && !pipe(awake));
	pid[0] = child_of(&g[0], part_asleep);
	pid[1] = child_of(&g[1], part_fault);
	it = itrace_of(pid);
	it.listed = 2;
	if (!begin_sides(&v, USER_SIDE | KERNEL_SIDE, &it))
		return 1;
	want(0, ioctl(v.fd, PITRACE_IOC_ON));
	let_go(&g[0]);
	let_go(&g[1]);
	nap(300);
	wait_branches(&v, 1000);
	want(0, ioctl(v.fd, PITRACE_IOC_OFF));
	check(flow_of(&v, pid[0], true).branches[1] > 100);
	check(flow_of(&v, pid[1], true).branches[1] > 100);
	unview(&v);
	printf("%d %d\n", bad ? 0 : pid[0], bad ? 0 : pid[1]);
	return bad != 0;
}

#endif

/* ---- who may not ----------------------------------------------------------------------------- */

static void rights(int unused)
{
	struct pitrace_session_args args = plain();
	struct pitrace_setup_args setup = setup_args(1000);
	bool have = info().majors[0] >> PITRACE_BRANCH_KERNEL & 1;
	int fd;

	(void)unused;
	args.scope = PITRACE_SCOPE_PROCESS;
	args.pid = getpid();
	fd = want(0, session(&args));
	setup.majors[0] = 1ull << PITRACE_BRANCH_KERNEL;
	want(have ? EPERM : EOPNOTSUPP, ioctl(fd, PITRACE_IOC_SETUP, &setup));
	setup.majors[0] = 1ull << PITRACE_BREAK_KERNEL;
	want(have ? EPERM : EOPNOTSUPP, ioctl(fd, PITRACE_IOC_SETUP, &setup));
	close(fd);
}

/* Members may not trace the kernel; root may if the module was loaded with the parameter. */
void test_kernel_itrace_refused(void)
{
	struct pitrace_session_args args = plain();
	struct pitrace_setup_args setup = setup_args(1000);
	bool have = info().majors[0] >> PITRACE_BRANCH_KERNEL & 1;
	int fd = want(0, session(&args));

	setup.majors[0] |= 1ull << PITRACE_BRANCH_KERNEL;
	want(have ? 0 : EOPNOTSUPP, ioctl(fd, PITRACE_IOC_SETUP, &setup));
	close(fd);
	as_member(rights, 0);
	no_session_left();
}
