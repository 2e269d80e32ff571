// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Events in the life of traced threads: they have children, execute programs, are stopped, are
 * stepped by a debugger, wait for a consumer; and sessions go on and off meanwhile. No program may
 * be hit by a foreign trap: it would die of SIGTRAP, and its status would show it.
 */
#include <pthread.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "itrace.h"

#ifdef TRACED_HERE

/* `part` from its begin to its end. */
static struct seen whole(void (*part)(void), uint32_t flags,
			 void (*more)(struct pitrace_itrace_args *), bool own)
{
	struct pitrace_itrace_args it;
	struct seen s = { 0 };
	struct gate g;
	struct view v;
	int32_t pid = child_of(&g, part);
	int status;

	it = itrace_of(&pid);
	it.flags = flags;
	if (more)
		more(&it);
	if (begin_itrace(&v, itrace_plain(), &it)) {
		want(0, ioctl(v.fd, PITRACE_IOC_ON));
		let_go(&g);
		status = status_of(pid);
		if (status)
			wrong("the child's status: %#x", status);
		want(0, ioctl(v.fd, PITRACE_IOC_OFF));
		check(check_rings(&v) > 0);
		s = seen_of(&v, own ? pid : 0);
		unview(&v);
	} else {
		kill(pid, SIGKILL);
		status_of(pid);
	}
	done(&g);
	return s;
}

/* ---- children -------------------------------------------------------------------------------- */

static void *some_work(void *arg)
{
	volatile int i;

	for (i = 0; i < 100; i++)
		;
	return arg;
}

static void part_children(void)
{
	pthread_t thread[3];
	int i, status;
	pid_t pid;

	for (i = 0; i < 3; i++)
		if (pthread_create(&thread[i], NULL, some_work, NULL))
			_exit(3);
	for (i = 0; i < 3; i++)
		pthread_join(thread[i], NULL);
	pid = fork();
	if (!pid) {
		some_work(NULL);
		_exit(0);
	}
	if (waitpid(pid, &status, 0) != pid || status)
		_exit(4);
}

static void part_vfork(void)
{
	int status;
	pid_t pid = vfork();

	if (!pid) {
		execlp("true", "true", (char *)NULL);
		_exit(127);
	}
	if (waitpid(pid, &status, 0) != pid || status)
		_exit(4);
}

static void from_part_children(struct pitrace_itrace_args *it)
{
	it->flags |= PITRACE_ITRACE_FROM;
	it->start = (struct pitrace_itrace_place){
		.fd = -1,
		.address = (uintptr_t)part_children,
	};
}

static void until_part_children(struct pitrace_itrace_args *it)
{
	it->flags |= PITRACE_ITRACE_UNTIL;
	it->stop = (struct pitrace_itrace_place){
		.fd = -1,
		.address = (uintptr_t)part_children,
	};
}

void test_itrace_children(void)
{
	struct seen s;

	s = whole(part_children, 0, NULL, true);
	printf("# alone: %lu threads, %u records of others\n", s.threads, s.other);
	check(s.threads == 4 && s.start[PITRACE_ITRACE_FORK] == 3);
	check(s.stop[PITRACE_ITRACE_EXIT] == 4);
	check(s.other == 0 && s.gaps == 0);
	s = whole(part_children, PITRACE_ITRACE_FOLLOW, NULL, false);
	printf("# followed: %lu threads\n", s.threads);
	check(s.threads == 5 && s.start[PITRACE_ITRACE_FORK] == 4);
	check(s.stop[PITRACE_ITRACE_EXIT] == 5);
	s = whole(part_children, PITRACE_ITRACE_FOLLOW | PITRACE_ITRACE_NO_THREADS, NULL, false);
	check(s.threads == 2 && s.start[PITRACE_ITRACE_FORK] == 1);
	/* Everything that is created by a thread that has reached the place is traced as well. */
	s = whole(part_children, PITRACE_ITRACE_FOLLOW, from_part_children, false);
	printf("# followed from a place: %lu threads\n", s.threads);
	check(s.threads == 5 && s.start[PITRACE_ITRACE_ADDRESS] == 1);
	check(s.start[PITRACE_ITRACE_FORK] == 4 && s.gaps == 0);
	s = whole(part_children, PITRACE_ITRACE_NO_THREADS, from_part_children, false);
	check(s.threads == 1 && s.start[PITRACE_ITRACE_ADDRESS] == 1);
	/* … and what begins behind the other place is left out. */
	s = whole(part_children, PITRACE_ITRACE_FOLLOW, until_part_children, false);
	check(s.threads == 1 && s.stop[PITRACE_ITRACE_ADDRESS] == 1);
	s = whole(part_vfork, PITRACE_ITRACE_FOLLOW, NULL, false);
	printf("# vfork: %lu threads, %lu programs, %lu branches\n", s.threads,
	       s.breaks[PITRACE_BREAK_EXEC], s.branches);
	check(s.threads == 2 && s.breaks[PITRACE_BREAK_EXEC] == 1 && s.branches > 500);
	s = whole(part_vfork, 0, NULL, true);
	check(s.threads == 1 && s.other == 0);
	no_session_left();
}

static void tids(struct pitrace_itrace_args *it)
{
	it->scope = PITRACE_ITRACE_TIDS;
}

static void range(struct pitrace_itrace_args *it)
{
	it->scope = PITRACE_ITRACE_RANGE;
	it->first = *(int32_t *)(uintptr_t)it->list;
	it->listed = 0;
	it->list = 0;
}

static void all(struct pitrace_itrace_args *it)
{
	it->scope = PITRACE_ITRACE_ALL;
	it->listed = 0;
	it->list = 0;
}

void test_itrace_scopes(void)
{
	struct seen s;

	s = whole(part_children, 0, tids, false);
	check(s.threads == 1 && s.other == 0);
	s = whole(part_children, 0, range, false);
	check(s.threads == 5);
	s = whole(part_children, 0, all, true);
	check(s.threads == 4 && s.stop[PITRACE_ITRACE_EXIT] == 4);
	no_session_left();
}

/* ---- programs -------------------------------------------------------------------------------- */

#define PROGRAM "/tmp/itrace-setuid"

static void part_exec(void)
{
	execl("/bin/true", "true", (char *)NULL);
	_exit(127);
}

static void part_setuid(void)
{
	/* Another user begins root's program. */
	if (setgid(1000) || setuid(1000))
		_exit(5);
	execl(PROGRAM, "abi", "spin", "10", (char *)NULL);
	_exit(127);
}

void test_itrace_exec(void)
{
	struct seen s;

	s = whole(part_exec, 0, NULL, true);
	check(s.breaks[PITRACE_BREAK_EXEC] == 1 && s.stop[PITRACE_ITRACE_EXIT] == 1);
	check(s.instructions > 10000 && s.gaps == 0);
	printf("# exec: %lu instructions, %lu branches\n", (long)s.instructions, s.branches);
	check(copy_self(PROGRAM) && chmod(PROGRAM, 04755) == 0);
	s = whole(part_setuid, 0, NULL, true);
	printf("# set-uid: %lu instructions\n", (long)s.instructions);
	check(s.breaks[PITRACE_BREAK_EXEC] == 0 && s.stop[PITRACE_ITRACE_EXEC] == 1);
	check(s.stop[PITRACE_ITRACE_EXIT] == 0);
	/* A program that may not be read is not dumpable. */
	check(chmod(PROGRAM, 0711) == 0);
	s = whole(part_setuid, 0, NULL, true);
	check(s.breaks[PITRACE_BREAK_EXEC] == 0 && s.stop[PITRACE_ITRACE_EXEC] == 1);
	unlink(PROGRAM);
	no_session_left();
}

/* ---- from where, how long -------------------------------------------------------------------- */

static __attribute__((noinline)) int inner(int n)
{
	volatile int i, sum = 0;

	for (i = 0; i < n; i++)
		sum += i;
	return sum;
}

static __attribute__((noinline)) void outer(void)
{
	asm volatile("");
}

static void part_places(void)
{
	int i;

	for (i = 0; i < 5; i++) {
		inner(20);
		outer();
	}
}

static void limit(struct pitrace_itrace_args *it)
{
	it->skip = 100;
	it->limit = 1000;
}

static void from_inner(struct pitrace_itrace_args *it)
{
	it->flags = PITRACE_ITRACE_FROM | PITRACE_ITRACE_UNTIL;
	it->start.fd = it->stop.fd = -1;
	it->start.address = (uintptr_t)inner;
	it->stop.address = (uintptr_t)outer;
}

void test_itrace_limits(void)
{
	struct seen s;

	s = whole(part_children, 0, limit, true);
	printf("# limit: %lu instructions, %lu started, %lu stopped\n", (long)s.instructions,
	       s.start[PITRACE_ITRACE_SKIPPED], s.stop[PITRACE_ITRACE_LIMIT]);
	check(s.start[PITRACE_ITRACE_SKIPPED] >= 1 && s.stop[PITRACE_ITRACE_LIMIT] >= 1);
	check(s.instructions - s.stop[PITRACE_ITRACE_LIMIT] * 1000 <=
	      (s.start[PITRACE_ITRACE_SKIPPED] - s.stop[PITRACE_ITRACE_LIMIT]) * 1000);
	s = whole(part_places, 0, from_inner, true);
	printf("# places: %lu started, %lu stopped, %lu instructions\n",
	       s.start[PITRACE_ITRACE_ADDRESS], s.stop[PITRACE_ITRACE_ADDRESS],
	       (long)s.instructions);
	check(s.start[PITRACE_ITRACE_ADDRESS] == 5 && s.stop[PITRACE_ITRACE_ADDRESS] == 5);
	check(s.first_start == (uintptr_t)inner && s.last_stop == (uintptr_t)outer);
	check(s.instructions > 500 && s.instructions < 2000);
	no_session_left();
}

/* ---- code in no file ------------------------------------------------------------------------- */

static void part_code(void)
{
#if defined(__s390x__)
	static const unsigned char ret[] = { 0xa7, 0x29, 0, 1, 0x07, 0xfe };
	const int value = 3;
#elif defined(__powerpc64__)
	static const unsigned char ret[] = { 1, 0, 0x60, 0x38, 0x20, 0, 0x80, 0x4e };
	const int value = 0;
#else
	static const unsigned char ret[] = { 0xb8, 1, 0, 0, 0, 0xc3 };
	const int value = 1;
#endif
	unsigned char *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
				MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int (*f)(void) = (int (*)(void))p;
	int i;

	memcpy(p, ret, sizeof(ret));
	__builtin___clear_cache((char *)p, (char *)p + sizeof(ret));
	for (i = 0; i < 10; i++)
		f();
	/* Writing the same code again is not recorded, writing other code is. */
	p[value] = 2;
	__builtin___clear_cache((char *)p, (char *)p + sizeof(ret));
	for (i = 0; i < 10; i++)
		f();
	if (f() != 2)
		_exit(3);
}

void test_itrace_code(void)
{
	struct seen s = whole(part_code, 0, NULL, true);

	printf("# code: %lu records\n", s.code);
	check(s.code == 2);
	no_session_left();
}

/* ---- debuggers ------------------------------------------------------------------------------- */

void test_itrace_debugger(void)
{
	struct pitrace_itrace_args it;
	struct gate g;
	struct view v;
	int32_t pid = child_of(&g, part_spin);
	int status, i;
	struct seen s;

	it = itrace_of(&pid);
	if (begin_itrace(&v, itrace_plain(), &it)) {
		it.flags = 0;
		want(0, ioctl(v.fd, PITRACE_IOC_ON));
		let_go(&g);
		nap(20);
		want(0, ptrace(PTRACE_ATTACH, pid, NULL, NULL));
		waitpid(pid, &status, 0);
		for (i = 0; i < 100; i++) {
			want(0, ptrace(PTRACE_SINGLESTEP, pid, NULL, NULL));
			waitpid(pid, &status, 0);
			if (!WIFSTOPPED(status) || WSTOPSIG(status) != SIGTRAP)
				wrong("step %d: status %#x", i, status);
		}
		want(0, ioctl(v.fd, PITRACE_IOC_OFF));
		want(0, ptrace(PTRACE_SINGLESTEP, pid, NULL, NULL));
		waitpid(pid, &status, 0);
		check(WIFSTOPPED(status) && WSTOPSIG(status) == SIGTRAP);
		want(0, ptrace(PTRACE_DETACH, pid, NULL, NULL));
		nap(20);
		check(waitpid(pid, &status, WNOHANG) == 0);
		s = seen_of(&v, pid);
		check(s.stop[PITRACE_ITRACE_DEBUGGER] == 1 && s.branches > 0);
		unview(&v);
	}
	kill(pid, SIGKILL);
	status_of(pid);
	done(&g);
	no_session_left();
}

/* ---- the consumer ---------------------------------------------------------------------------- */

void test_itrace_wait(void)
{
	const size_t branches = offsetof(struct pitrace_cpu, branches);
	struct pitrace_itrace_args it;
	struct gate g;
	struct view v;
	int32_t pid = child_of(&g, part_spin);
	uint64_t before;
	int status, i;

	/* Without a reader it waits, and continues as soon as there is room; repeatedly. */
	it = itrace_of(&pid);
	if (!begin_itrace(&v, plain(), &it))
		return;
	want(0, ioctl(v.fd, PITRACE_IOC_ON));
	let_go(&g);
	before = waits_at(&v);
	check(before > 100);
	for (i = 0; i < 20 || (i < 200 && sum_pages(&v, branches) <= 2 * before); i++) {
		consume_all(&v);
		nap(50);
	}
	check(sum_pages(&v, branches) > 2 * before);
	check(sum_pages(&v, offsetof(struct pitrace_cpu, waits)) >= 1);
	check(sum_pages(&v, offsetof(struct pitrace_cpu, waited)) > 100000000);
	check(lost(&v, PITRACE_LOST_BRANCH) == 0);
	/* It is over: the child runs free. */
	nap(100);
	want(0, ioctl(v.fd, PITRACE_IOC_OFF));
	check(waitpid(pid, &status, WNOHANG) == 0);

	/* While it waits it can be killed. */
	want(0, ioctl(v.fd, PITRACE_IOC_ON));
	nap(300);
	kill(pid, SIGKILL);
	status = status_of(pid);
	check(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	want(0, ioctl(v.fd, PITRACE_IOC_OFF));
	unview(&v);
	done(&g);

	/* Lossy: it never waits, losses are counted, and the records show where they are. */
	pid = child_of(&g, part_spin);
	it = itrace_of(&pid);
	it.flags = PITRACE_ITRACE_LOSSY;
	if (begin_itrace(&v, plain(), &it)) {
		struct seen s;

		want(0, ioctl(v.fd, PITRACE_IOC_ON));
		let_go(&g);
		for (i = 0; i < 200 && !lost(&v, PITRACE_LOST_BRANCH); i++)
			nap(100);
		consume_all(&v);
		nap(100);
		want(0, ioctl(v.fd, PITRACE_IOC_OFF));
		s = seen_of(&v, pid);
		printf("# lossy: %lu lost, %lu gaps told\n", (long)lost(&v, PITRACE_LOST_BRANCH),
		       s.gaps);
		check(lost(&v, PITRACE_LOST_BRANCH) > 0 && s.gaps >= 1);
		check(sum_pages(&v, offsetof(struct pitrace_cpu, waits)) == 0);
		unview(&v);
	}
	kill(pid, SIGKILL);
	status_of(pid);
	done(&g);
	no_session_left();
}

/* ---- on and off ------------------------------------------------------------------------------ */

static volatile sig_atomic_t alarms;

static void on_alarm(int signal)
{
	(void)signal;
	alarms++;
}

/* Threads start and exit, children, signals, faults: until it is told to stop. */
static void part_busy(void)
{
	struct sigaction act = { .sa_handler = on_alarm };
	struct itimerval every = { { 0, 2000 }, { 0, 2000 } };
	time_t end = time(NULL) + 3600;

	sigaction(SIGALRM, &act, NULL);
	setitimer(ITIMER_REAL, &every, NULL);
	while (time(NULL) < end && getppid() != 1) {
		pthread_t thread;
		char *p;
		int status;
		pid_t pid;

		if (!pthread_create(&thread, NULL, some_work, NULL))
			pthread_join(thread, NULL);
		p = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		p[0] = p[4096] = 1;
		munmap(p, 8192);
#ifdef __x86_64__
		asm volatile("pushfq\n\tnop\n\tpopfq" : : : "cc", "memory");
#endif
		pid = fork();
		if (!pid)
			_exit(7);
		while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
			;
		if (status != 7 << 8) {
			fprintf(stderr, "# a child's status: %#x\n", status);
			_exit(9);
		}
	}
}

/* Most of a turn is waiting until each CPU has been elsewhere: the kernel asks them, or not. */
static void hurry(bool on)
{
	int fd = open("/sys/kernel/rcu_expedited", O_WRONLY);

	check(fd >= 0 && write(fd, on ? "1" : "0", 1) == 1);
	close(fd);
}

void test_itrace_storm(void)
{
	struct pitrace_session_args args = itrace_plain();
	uint64_t branches = 0;
	long turns = turns_or(50), i;
	struct pitrace_itrace_args it;
	struct gate g[STORM_CHILDREN];
	struct view v, keep;
	int32_t pid[STORM_CHILDREN];
	int k;
	time_t began = time(NULL);

	if (!keep_hooks(&keep))
		return;

	for (k = 0; k < STORM_CHILDREN; k++)
		pid[k] = child_of(&g[k], k == 2 ? part_spin : part_busy);
	it = itrace_of(pid);
	it.listed = 3;
	it.flags = PITRACE_ITRACE_FOLLOW | PITRACE_ITRACE_LOSSY;
	args.trace_bytes = 1 * MB;
	if (begin_itrace(&v, args, &it)) {
		for (k = 0; k < STORM_CHILDREN; k++)
			let_go(&g[k]);
		for (i = 0; i < turns && !bad; i++) {
			/* One in four turns of each kind takes its time. */
			hurry(i / 16 % 4);
			want(0, ioctl(v.fd, PITRACE_IOC_ON));
			if (i % 4 == 1) {
				want(0, ioctl(v.fd, PITRACE_IOC_SUSPEND));
				want(0, ioctl(v.fd, PITRACE_IOC_RESUME));
			}
			if (i % 8 == 0)
				nap(5);
			/* Asleep with the flag saved. */
			if (i % 16 == 3)
				kill(pid[2], SIGSTOP);
			if (i % 16 == 7)
				kill(pid[2], SIGCONT);
			want(0, ioctl(v.fd, PITRACE_IOC_OFF));
			branches += sum_pages(&v, offsetof(struct pitrace_cpu, branches));
			all_alive(pid, i);
		}
		hurry(false);
		unview(&v);
	}
	end_children(pid, g);
	unview(&keep);
	printf("# %ld turns in %ld s, %lu branches\n", turns, (long)(time(NULL) - began),
	       (long)branches);
	check(branches > 10ul * turns);
	no_session_left();
}

/* A child is left behind that was stopped while it was traced; the driver may be unloaded. */
int leave_sleeper(void)
{
	struct pitrace_itrace_args it;
	struct gate g;
	struct view v;
	int32_t pid = child_of(&g, part_spin);
	int status;

	it = itrace_of(&pid);
	if (!begin_itrace(&v, itrace_plain(), &it))
		return 1;
	want(0, ioctl(v.fd, PITRACE_IOC_ON));
	let_go(&g);
	wait_branches(&v, 10);
	check(branches_of(&v) > 10);
	kill(pid, SIGSTOP);
	check(waitpid(pid, &status, WUNTRACED) == pid && WIFSTOPPED(status));
	unview(&v);
	printf("%d\n", bad ? 0 : pid);
	return bad != 0;
}

/* ---- members --------------------------------------------------------------------------------- */

static void rights(int stranger)
{
	struct pitrace_session_args args = itrace_plain();
	struct pitrace_itrace_args it;
	struct pitrace_setup_args setup = setup_args(1000);
	struct gate g;
	struct view v;
	int32_t pid = child_of(&g, part_children), other = stranger;

	args.scope = PITRACE_SCOPE_PROCESS;
	args.mte_bytes = args.trace_bytes = 1 * MB;
	args.pid = pid;
	it = itrace_of(&other);
	if (begin(&v, args, 1000)) {
		struct seen s;

		want(EPERM, ioctl(v.fd, PITRACE_IOC_ITRACE, &it));
		setup.majors[0] = 1ull << PITRACE_BRANCH_KERNEL;
		want(info().majors[0] >> PITRACE_BRANCH_KERNEL & 1 ? EPERM : EOPNOTSUPP,
		     ioctl(v.fd, PITRACE_IOC_SETUP, &setup));
		unview(&v);
		/* All is all of the session's scope. */
		all(&it);
		it.flags = PITRACE_ITRACE_FOLLOW;
		if (begin_itrace(&v, args, &it)) {
			want(0, ioctl(v.fd, PITRACE_IOC_ON));
			let_go(&g);
			check(status_of(pid) == 0);
			want(0, ioctl(v.fd, PITRACE_IOC_OFF));
			s = seen_of(&v, pid);
			check(s.threads == 4 && s.gaps == 0 && s.branches > 100);
			s = seen_of(&v, 0);
			check(s.threads == 5);
			unview(&v);
		}
	}
	done(&g);
}

void test_itrace_member(void)
{
	struct gate g;
	pid_t stranger = child_of(&g, part_spin);

	as_member(rights, stranger);
	kill(stranger, SIGKILL);
	status_of(stranger);
	done(&g);
	no_session_left();
}

#endif
