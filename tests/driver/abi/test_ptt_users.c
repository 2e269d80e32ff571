// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * PTT's users and threads come and go: several at once, threads that end while they are watched and
 * mapped, slots that others get, who may watch whom, CPUs that go.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "ptt.h"
#include "work.h"

static bool open_slots(struct ptt *p, uint32_t slots)
{
	struct pitrace_ptt_args args = ptt_args();

	args.slots = slots;
	return ptt_view(p, want(0, ptt_open(&args)));
}

static struct pitrace_ptt_thread now(const struct ptt *p, long slot)
{
	want(0, ioctl(p->fd, PITRACE_IOC_PTT_UPDATE));
	return ptt_copy(ptt_thread(p, slot));
}

static bool balanced(const struct ptt *p)
{
	want(0, ioctl(p->fd, PITRACE_IOC_PTT_STOP));
	return ptt_books(p, 0) == ptt_all(p, 0);
}

/* A child that spins for some ms on command, any number of times. */
struct spinner {
	pid_t pid;
	int tell, told;
};

static void begin_spinner(struct spinner *s)
{
	int to[2], from[2];
	long ms;

	if (pipe(to) || pipe(from))
		exit(2);
	s->pid = fork();
	if (!s->pid) {
		close(to[1]);
		while (read(to[0], &ms, sizeof(ms)) == sizeof(ms)) {
			spin(ms);
			if (write(from[1], "", 1) != 1)
				break;
		}
		_exit(0);
	}
	close(to[0]);
	close(from[1]);
	s->tell = to[1];
	s->told = from[0];
}

static void let_spin(const struct spinner *s, long ms)
{
	char c;

	check(write(s->tell, &ms, sizeof(ms)) == sizeof(ms) && read(s->told, &c, 1) == 1);
}

static void end_spinner(const struct spinner *s)
{
	close(s->tell);
	close(s->told);
	/* Another child may have the pipe's other end, too. */
	kill(s->pid, SIGKILL);
	waitpid(s->pid, NULL, 0);
}

/* Two users watch one thread each, one of them both: each sees its own, and all the same. */
void test_ptt_two(void)
{
	struct pitrace_ptt_thread a, b, also_a;
	struct spinner s[2];
	struct ptt p[2];
	long slot, other;
	uint64_t used;

	begin_spinner(&s[0]);
	begin_spinner(&s[1]);
	if (!open_slots(&p[0], 1) || !open_slots(&p[1], 2))
		return;
	check(want(0, ptt_add(p[0].fd, s[0].pid, 0)) == 0);
	want(ENOSPC, ptt_add(p[0].fd, s[1].pid, 0));
	slot = want(0, ptt_add(p[1].fd, s[1].pid, 0));
	let_spin(&s[1], 100);
	/* When it says that it has it still runs: until it waits. */
	nap(50);
	a = now(&p[0], 0);
	b = now(&p[1], slot);
	check(to_ns(&p[0], a.metric[0].value) < 20000000);
	check(to_ns(&p[1], b.metric[0].value) > 50000000);
	other = want(0, ptt_add(p[1].fd, s[0].pid, 0));
	a = now(&p[0], 0);
	let_spin(&s[0], 100);
	nap(50);
	also_a = now(&p[1], other);
	used = now(&p[0], 0).metric[0].value - a.metric[0].value;
	check(to_ns(&p[0], used) > 50000000);
	check(llabs((int64_t)(used - also_a.metric[0].value)) < (int64_t)used / 100);
	check(now(&p[1], slot).metric[0].value == b.metric[0].value);
	/* The first one is closed, the second one continues to count. */
	check(balanced(&p[0]));
	ptt_close(&p[0]);
	let_spin(&s[1], 100);
	check(to_ns(&p[1], now(&p[1], slot).metric[0].value - b.metric[0].value) > 50000000);
	check(balanced(&p[1]));
	ptt_close(&p[1]);
	end_spinner(&s[0]);
	end_spinner(&s[1]);
	no_ptt_left();
}

/* ---- threads that end ------------------------------------------------------------------------ */

static void *spin_a_little(void *arg)
{
	const struct ptt *p = arg;
	long slot = ptt_add(p->fd, 0, 0);

	spin(20);
	return (void *)slot;
}

void test_ptt_ends(void)
{
	struct pitrace_ptt_thread t;
	pthread_t thread;
	struct ptt p;
	void *slot;
	pid_t pid;

	if (!open_slots(&p, 4))
		return;
	check(!pthread_create(&thread, NULL, spin_a_little, &p));
	pthread_join(thread, &slot);
	nap(20);
	t = now(&p, (long)slot);
	check(t.state == PITRACE_PTT_ENDED && t.pid == (uint32_t)getpid() && t.tid != t.pid);
	check(to_ns(&p, t.metric[0].value) > 10000000);
	nap(20);
	check(now(&p, (long)slot).metric[0].value == t.metric[0].value);
	/* It is not a thread's any more, but still a used slot. */
	want(ESRCH, ptt_add(p.fd, (pid_t)t.tid, 0));
	want(ESRCH, ptt_remove(p.fd, (pid_t)t.tid, 0));
	check(want(0, ptt_remove(p.fd, (pid_t)(long)slot, PITRACE_PTT_SLOT)) == 1);
	check(p.control->gone == 1 && p.control->gone_value[0] == t.metric[0].value);
	check(ptt_copy(ptt_thread(&p, (long)slot)).state == PITRACE_PTT_FREE);

	/* A process is killed while it is watched, separately and while mapped. */
	fflush(stdout);
	pid = fork();
	if (!pid) {
		struct ptt own;

		if (open_slots(&own, 1) && ptt_add(own.fd, 0, 0) == 0) {
			close(own.fd);
			for (;;)
				turns(1000);
		}
		_exit(1);
	}
	nap(100);
	check(info().ptts == 2);
	want(0, ptt_add(p.fd, pid, 0));
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	nap(50);
	check(info().ptts == 1);
	check(balanced(&p));
	ptt_close(&p);
	no_ptt_left();
}

static void *nothing(void *unused)
{
	return unused;
}

/* Ptts end in any order, by close, unmapping or death, while those they watch run and are
 * interrupted; and while anything of one is left the module stays. */
void test_ptt_order(void)
{
	struct pitrace_ptt_args args = ptt_args();
	pid_t pid[2], owner;
	struct ptt p[3];
	long rounds = (turns_or(4) + 3) / 4 * 4, i;
	int k, keeper = -1;

	fflush(stdout);
	for (k = 0; k < 2; k++) {
		pid[k] = fork();
		if (!pid[k])
			for (;;)
				turns(1000);
	}
	for (i = 0; i < rounds; i++) {
		/* Hooks go with the last one: not each time, it takes many calls of all CPUs. */
		if (i % 4 == 0)
			keeper = want(0, ptt_open(&args));
		if (i % 4 == 3)
			close(keeper);
		fflush(stdout);
		owner = fork();
		if (!owner) {
			if (!open_slots(&p[0], 2) || ptt_add(p[0].fd, pid[i & 1], 0) < 0)
				_exit(1);
			pause();
		}
		for (k = 0; k < 3; k++)
			if (!open_slots(&p[k], 2) || ptt_add(p[k].fd, pid[0], 0) < 0 ||
			    ptt_add(p[k].fd, pid[1], 0) < 0)
				check(false);
		nap(1 + i % 7);
		/* Only the mapping keeps the descriptor and the threads that it watches. */
		close(p[i % 3].fd);
		want(EWOULDBLOCK, (int)syscall(SYS_delete_module, "pitrace", O_NONBLOCK));
		p[i % 3].fd = -1;
		if (i & 2)
			kill(owner, SIGKILL);
		for (k = 0; k < 3; k++)
			ptt_close(&p[(i + k * (1 + (i >> 1 & 1))) % 3]);
		kill(owner, SIGKILL);
		waitpid(owner, NULL, 0);
		nap(i % 3);
	}
	no_ptt_left();
	/* No hook is left; who was watched runs on. */
	nap(50);
	for (k = 0; k < 2; k++) {
		check(!kill(pid[k], SIGKILL));
		waitpid(pid[k], NULL, 0);
	}
}

/* Many threads, few slots: who ended first makes room; nothing of what they used is lost. */
void test_ptt_reuse(void)
{
	const int threads = (int)turns_or(3000);
	pthread_t thread;
	uint64_t seen = 0;
	struct ptt p;
	int i;

	if (!open_slots(&p, 4))
		return;
	check(want(0, ptt_add(p.fd, 0, PITRACE_PTT_PROCESS)) == 1);
	for (i = 0; i < threads; i++) {
		check(!pthread_create(&thread, NULL, nothing, NULL));
		pthread_join(thread, NULL);
	}
	check(balanced(&p));
	for (uint32_t slot = 0; slot < 4; slot++)
		seen += ptt_copy(ptt_thread(&p, slot)).generation;
	printf("# %d threads: %llu had slots, %llu none, %llu gone\n", threads,
	       (unsigned long long)seen, (unsigned long long)p.control->unwatched,
	       (unsigned long long)p.control->gone);
	check(seen + p.control->unwatched == (uint64_t)threads + 1 && p.control->gone == seen - 4);
	check(p.control->unwatched <= (uint64_t)threads / 20);
	ptt_close(&p);
	no_ptt_left();
}

static void *wait_for(void *arg)
{
	pthread_barrier_wait(arg);
	return NULL;
}

/* More threads at one time than there is room for: those that have none are counted. */
void test_ptt_crowd(void)
{
	pthread_barrier_t barrier;
	pthread_t thread[20];
	struct ptt p;
	int i;

	if (!open_slots(&p, 8))
		return;
	pthread_barrier_init(&barrier, NULL, 21);
	for (i = 0; i < 5; i++)
		check(!pthread_create(&thread[i], NULL, wait_for, &barrier));
	check(want(0, ptt_add(p.fd, getpid(), PITRACE_PTT_PROCESS)) == 6);
	check(want(0, ptt_add(p.fd, getpid(), PITRACE_PTT_PROCESS)) == 0);
	for (; i < 20; i++)
		check(!pthread_create(&thread[i], NULL, wait_for, &barrier));
	check(p.control->unwatched == 13);
	want(ENOSPC, ptt_add(p.fd, getpid(), PITRACE_PTT_PROCESS));
	pthread_barrier_wait(&barrier);
	for (i = 0; i < 20; i++)
		pthread_join(thread[i], NULL);
	check(balanced(&p));
	ptt_close(&p);
	pthread_barrier_destroy(&barrier);
	no_ptt_left();
}

/* Removed while they run: no more is counted, and what was counted stays in the sum. */
void test_ptt_removed(void)
{
	const struct pitrace_ptt_thread *page;
	struct spinner s;
	uint64_t value;
	struct ptt p;
	pid_t pid;
	int i;

	begin_spinner(&s);
	if (!open_slots(&p, 8))
		return;
	page = ptt_thread(&p, want(0, ptt_add(p.fd, 0, 0)));
	want(0, ptt_add(p.fd, s.pid, PITRACE_PTT_CHILDREN));
	spin(20);
	check(want(0, ptt_remove(p.fd, 0, 0)) == 1);
	value = p.control->gone_value[0];
	check(to_ns(&p, value) > 10000000 && page->state == PITRACE_PTT_FREE);
	spin(20);
	want(0, ioctl(p.fd, PITRACE_IOC_PTT_UPDATE));
	check(page->metric[0].value == value);
	check(want(0, ptt_remove(p.fd, s.pid, PITRACE_PTT_PROCESS)) == 1);
	want(ESRCH, ptt_remove(p.fd, 0, PITRACE_PTT_ALL));

	/* Added and removed without end while it runs, forks and ends. */
	fflush(stdout);
	pid = fork();
	if (!pid)
		for (;;) {
			pid_t child = fork();

			if (!child)
				_exit(0);
			waitpid(child, NULL, 0);
		}
	for (i = 0; i < 200; i++) {
		check(want(0, ptt_add(p.fd, pid, i & 1 ? PITRACE_PTT_CHILDREN : 0)) >= 0);
		check(want(0, ptt_remove(p.fd, 0, PITRACE_PTT_ALL)) >= 1);
	}
	want(0, ptt_add(p.fd, pid, PITRACE_PTT_CHILDREN));
	nap(50);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	check(balanced(&p));
	ptt_close(&p);
	end_spinner(&s);
	no_ptt_left();
}

/* ---- who may --------------------------------------------------------------------------------- */

static void rights(int handed)
{
	struct pitrace_ptt_args args = ptt_args();
	struct spinner s;
	struct ptt p, q;
	long slot;
	int none;
	pid_t pid;

	/* Someone else's descriptor. */
	want(EPERM, ptt_add(handed, 0, 0));
	want(EPERM, ioctl(handed, PITRACE_IOC_PTT_UPDATE));
	want(EPERM, mmap(NULL, WORK_PAGE, PROT_READ, MAP_SHARED, handed, 0));

	begin_spinner(&s);
	if (!open_slots(&p, 4))
		return;
	check(!p.control->cpu_offset);
	want(EPERM, mmap(NULL, WORK_PAGE, PROT_READ, MAP_SHARED, p.fd, WORK_PAGE));
	want(EPERM, ptt_add(p.fd, 1, 0));
	want(EPERM, ptt_add(p.fd, 1, PITRACE_PTT_PROCESS));
	want(EPERM, ptt_add(p.fd, 0, PITRACE_PTT_ALL));
	want(EPERM, ptt_remove(p.fd, 1, 0));
	slot = want(0, ptt_add(p.fd, s.pid, 0));
	let_spin(&s, 50);
	check(to_ns(&p, now(&p, slot).metric[0].value) > 20000000);
	fflush(stdout);
	pid = fork();
	if (!pid) {
		prctl(PR_SET_DUMPABLE, 0);
		nap(500);
		_exit(0);
	}
	nap(100);
	want(EPERM, ptt_add(p.fd, pid, 0));
	waitpid(pid, NULL, 0);
	/* Two for one user. */
	check(ptt_view(&q, want(0, ptt_open(&args))));
	none = (int)want(EDQUOT, ptt_open(&args));
	check(none < 0);
	ptt_close(&q);
	ptt_close(&p);
	end_spinner(&s);
}

void test_ptt_rights(void)
{
	struct pitrace_ptt_args args = ptt_args();
	int fd = want(0, ptt_open(&args));

	as_member(rights, fd);
	close(fd);
	no_ptt_left();
}

#define SETUID "/home/setuid-ptt"

/* A child of a member's executes a program: counted on, or (set-uid) no more. */
static void executes(int mode)
{
	struct pitrace_ptt_thread t;
	uint64_t before;
	struct ptt p;
	long slot;
	int go[2];
	pid_t pid;

	if (pipe(go))
		return;
	fflush(stdout);
	pid = fork();
	if (!pid) {
		char c;

		if (read(go[0], &c, 1) == 1)
			execl(SETUID, SETUID, "spin", "300", (char *)NULL);
		_exit(127);
	}
	if (!open_slots(&p, 1))
		return;
	slot = want(0, ptt_add(p.fd, pid, 0));
	before = now(&p, slot).metric[0].value;
	check(write(go[1], "", 1) == 1);
	waitpid(pid, NULL, 0);
	nap(50);
	t = now(&p, slot);
	printf("# mode %o: %llu ms after the exec's begin\n", mode,
	       (unsigned long long)to_ns(&p, t.metric[0].value - before) / 1000000);
	check(t.state == PITRACE_PTT_ENDED);
	/* The time of the exec itself still counts for the member. */
	if (mode & S_ISUID)
		check(to_ns(&p, t.metric[0].value - before) < 150000000);
	else
		check(to_ns(&p, t.metric[0].value - before) > 200000000 &&
		      !strcmp(t.comm, "setuid-ptt"));
	ptt_close(&p);
	close(go[0]);
	close(go[1]);
}

void test_ptt_exec(void)
{
	static const int modes[] = { 0755, 04755 };

	mkdir("/home", 0755);
	check(copy_self(SETUID));
	for (int i = 0; i < 2; i++) {
		check(!chmod(SETUID, (mode_t)modes[i]));
		as_member(executes, modes[i]);
	}
	unlink(SETUID);
	no_ptt_left();
}

/* ---- CPUs that go and come ------------------------------------------------------------------- */

void test_ptt_cpus(void)
{
	struct pitrace_ptt_cpu c;
	int64_t begin, off = 0;
	uint64_t wall;
	struct ptt p;

	if (!cpu1("0")) {
		printf("# one CPU only\n");
		return;
	}
	/* It comes when the ptt is there already. */
	if (!open_slots(&p, 64))
		return;
	check(!ptt_cpu(&p, 1)->online);
	want(0, ptt_add(p.fd, 0, PITRACE_PTT_PROCESS));
	begin = clock_ns(CLOCK_MONOTONIC);
	check(cpu1("1"));
	check(ptt_cpu(&p, 1)->online);
	for (int i = 0; i < 5; i++) {
		on_cpu(1);
		spin(50);
		on_cpu(0);
		check(cpu1("0"));
		check(!ptt_cpu(&p, 1)->online);
		off -= clock_ns(CLOCK_MONOTONIC);
		nap(200);
		off += clock_ns(CLOCK_MONOTONIC);
		check(cpu1("1"));
		ptt_books(&p, 0);
	}
	check(balanced(&p));
	c = ptt_copy_cpu(ptt_cpu(&p, 1));
	wall = to_ns(&p, c.last[0] - c.start[0]);
	begin = clock_ns(CLOCK_MONOTONIC) - begin;
	printf("# CPU 1: %llu ms of %lld, %lld off\n", (unsigned long long)wall / 1000000,
	       (long long)begin / 1000000, (long long)off / 1000000);
	check(wall >= 250000000 && (int64_t)wall <= begin - off);
	on_all_cpus();
	ptt_close(&p);
	no_ptt_left();
}
