// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * PTT counts right: books that balance to the last cycle whatever happens, values that agree with
 * the kernel's own clock and never step back, each thread's in its own page.
 */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "ptt.h"
#include "work.h"

static bool open_slots(struct ptt *p, uint32_t slots, uint32_t flags)
{
	struct pitrace_ptt_args args = ptt_args();

	args.slots = slots;
	args.flags = flags;
	return ptt_view(p, want(0, ptt_open(&args)));
}

static void update(const struct ptt *p)
{
	want(0, ioctl(p->fd, PITRACE_IOC_PTT_UPDATE));
}

static void stop(const struct ptt *p)
{
	want(0, ioctl(p->fd, PITRACE_IOC_PTT_STOP));
	check(p->control->flags & PITRACE_PTT_STOPPED);
}

/* Children one after the other, each with a thread, that work and sleep a little. */
static void *short_thread(void *unused)
{
	turns(50000);
	return unused;
}

static void forks(int children)
{
	pthread_t thread;
	pid_t pid;

	while (children--) {
		pid = fork();
		if (!pid) {
			if (!pthread_create(&thread, NULL, short_thread, NULL))
				pthread_join(thread, NULL);
			turns(100000);
			usleep(1000);
			_exit(0);
		}
		waitpid(pid, NULL, 0);
	}
}

/* ---- what may be asked for ------------------------------------------------------------------- */

void test_ptt_fields(void)
{
	struct pitrace_ptt_args args = ptt_args();
	struct pitrace_ptt_thread_args thread = { sizeof(thread), PITRACE_ABI_VERSION, 0, 0 };
	int fd, more[PITRACE_MAX_PTTS], i;
	uint32_t flags = 0x2;

	args.metrics = 0;
	want(EINVAL, ptt_open(&args));
	args.metrics = PITRACE_METRICS + 1;
	want(EINVAL, ptt_open(&args));
	args.metrics = 2;
	args.metric[1] = args.metric[0];
	want(EEXIST, ptt_open(&args));
	check(args.failed == 1);
	args = ptt_args();
	args.metrics = 2;
	args.metric[1].type = 0xFFFFFF00;
	want(EOPNOTSUPP, ptt_open(&args));
	check(args.failed == 1);
	args.failed = 1;
	want(EINVAL, ptt_open(&args));
	args = ptt_args();
	args.metric[0].flags = 1;
	want(EINVAL, ptt_open(&args));
	args = ptt_args();
	args.metric[0].config = 1;
	want(EINVAL, ptt_open(&args));
	args = ptt_args();
	args.flags = 0x2;
	want(EINVAL, ptt_open(&args));
	args = ptt_args();
	args.slots = PITRACE_PTT_SLOTS + 1;
	want(EINVAL, ptt_open(&args));
	args = ptt_args();
	args.reserved[2] = 1;
	want(EINVAL, ptt_open(&args));
	args = ptt_args();
	args.version++;
	want(EINVAL, ptt_open(&args));
	args = ptt_args();
	args.size = 4;
	want(EINVAL, ptt_open(&args));
	want(EFAULT, ptt_open(NULL));

	args = ptt_args();
	fd = want(0, ptt_open(&args));
	check(info().ptts == 1 && info().sessions == 0);
	want(ENOTTY, ioctl(fd, _IO(PITRACE_IOC_MAGIC, 0x7F)));
	want(ENOTTY, ioctl(fd, PITRACE_IOC_ON));
	want(EINVAL, ptt_add(fd, -1, 0));
	want(ESRCH, ptt_add(fd, 0x7FFFFFFF, 0));
	want(EINVAL, ptt_add(fd, 0, 0x100));
	want(EINVAL, ptt_add(fd, 0, PITRACE_PTT_SLOT));
	want(EINVAL, ptt_add(fd, 1, PITRACE_PTT_ALL));
	want(EINVAL, ptt_add(fd, 0, PITRACE_PTT_ALL | PITRACE_PTT_PROCESS));
	want(EINVAL, ptt_remove(fd, 0, PITRACE_PTT_CHILDREN));
	want(EINVAL, ptt_remove(fd, 0, PITRACE_PTT_SLOT | PITRACE_PTT_PROCESS));
	want(EINVAL, ptt_remove(fd, -1, PITRACE_PTT_SLOT));
	want(EINVAL, ptt_remove(fd, 1, PITRACE_PTT_ALL));
	want(ESRCH, ptt_remove(fd, 0, PITRACE_PTT_SLOT));
	want(ESRCH, ptt_remove(fd, 64, PITRACE_PTT_SLOT));
	want(ESRCH, ptt_remove(fd, 0, 0));
	thread.version++;
	want(EINVAL, ioctl(fd, PITRACE_IOC_PTT_ADD, &thread));
	want(EFAULT, ioctl(fd, PITRACE_IOC_PTT_ADD, NULL));
	want(EINVAL, ioctl(fd, PITRACE_IOC_PTT_CHARGE, &flags));
	want(EFAULT, ioctl(fd, PITRACE_IOC_PTT_CHARGE, NULL));
	want(0, ioctl(fd, PITRACE_IOC_PTT_STOP));
	want(0, ioctl(fd, PITRACE_IOC_PTT_STOP));
	want(0, ioctl(fd, PITRACE_IOC_PTT_UPDATE));
	want(EINVAL, ptt_add(fd, 0, 0));

	for (i = 1; i < PITRACE_MAX_PTTS; i++)
		more[i] = want(0, ptt_open(&args));
	want(EUSERS, ptt_open(&args));
	for (i = 1; i < PITRACE_MAX_PTTS; i++)
		close(more[i]);
	close(fd);
	no_ptt_left();
}

void test_ptt_maps(void)
{
	struct ptt p;
	uint64_t end;
	void *at;

	if (!open_slots(&p, 3, 0))
		return;
	check(p.control->slots == 3 && p.control->metrics == 1 && p.control->ncpus >= 1);
	end = p.control->thread_offset + 3 * p.control->thread_stride;
	want(EPERM, mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, p.fd, 0));
	want(EINVAL, mmap(NULL, WORK_PAGE, PROT_READ, MAP_SHARED, p.fd, end));
	want(EINVAL, mmap(NULL, 2 * WORK_PAGE, PROT_READ, MAP_SHARED, p.fd,
			  p.control->thread_offset + 2 * p.control->thread_stride));
	want(EINVAL, mmap(NULL, 2 * WORK_PAGE, PROT_READ, MAP_SHARED, p.fd, 0));
	at = mmap(NULL, WORK_PAGE, PROT_READ, MAP_SHARED, p.fd, p.control->thread_offset);
	check(at != MAP_FAILED);
	want(EACCES, mprotect(at, WORK_PAGE, PROT_READ | PROT_WRITE));
	want(EACCES, mprotect(at, WORK_PAGE, PROT_READ | PROT_EXEC));
	ptt_close(&p);
	/* Only the mapping keeps it. */
	check(info().ptts == 1);
	munmap(at, WORK_PAGE);
	no_ptt_left();
}

/* ---- books ----------------------------------------------------------------------------------- */

/* All threads there are, under load; dumps now and then. What the CPUs gave to threads is what the
 * threads have got: meanwhile within a dump's time, at the end exactly. */
static void books(const char *what, bool one_cpu)
{
	struct pitrace_ptt_cpu c, sum = { 0 };
	uint64_t before, given, after;
	int64_t early, late, first, last;
	unsigned int cpu;
	struct ptt p;
	pid_t load;

	early = clock_ns(CLOCK_MONOTONIC);
	if (!open_slots(&p, 256, 0))
		return;
	late = clock_ns(CLOCK_MONOTONIC);
	check(want(0, ptt_add(p.fd, 0, PITRACE_PTT_ALL)) > 10);
	load = fork();
	if (!load) {
		/* A child of its that outlives it must not keep the ptt. */
		close(p.fd);
		if (one_cpu)
			on_cpu(0);
		for (;;)
			forks(100);
	}
	for (int i = 0; i < 50; i++) {
		nap(20);
		update(&p);
		before = ptt_all(&p, 0);
		given = ptt_books(&p, 0);
		update(&p);
		after = ptt_all(&p, 0);
		/* Threads that go between two looks at the slots are missed by one, no more. */
		if (p.control->gone == 0)
			check(before <= given && given <= after);
	}
	first = clock_ns(CLOCK_MONOTONIC);
	stop(&p);
	last = clock_ns(CLOCK_MONOTONIC);
	kill(load, SIGKILL);
	waitpid(load, NULL, 0);
	given = ptt_books(&p, 0);
	after = ptt_all(&p, 0);
	if (given != after)
		wrong("%llu given to threads, they have %llu", (unsigned long long)given,
		      (unsigned long long)after);
	check(p.control->unwatched == 0);
	for (cpu = 0; cpu < p.control->ncpus; cpu++) {
		c = ptt_copy_cpu(ptt_cpu(&p, cpu));
		if (!c.present)
			continue;
		/* The wall's clock says the same. */
		check((int64_t)to_ns(&p, c.last[0] - c.start[0]) > (first - late) / 100 * 99 &&
		      (int64_t)to_ns(&p, c.last[0] - c.start[0]) < (last - early) / 100 * 101);
		for (int b = 0; b < PITRACE_PTT_BUCKETS; b++)
			sum.bucket[b][0] += c.bucket[b][0];
		sum.dispatches += c.dispatches;
		sum.interrupts += c.interrupts;
	}
	printf("# %s: ms of threads %llu, others %llu, idle %llu, interrupts %llu; %llu dispatches,"
	       " %llu interrupts, %llu threads gone\n",
	       what, (unsigned long long)to_ns(&p, sum.bucket[PITRACE_PTT_THREADS][0]) / 1000000,
	       (unsigned long long)to_ns(&p, sum.bucket[PITRACE_PTT_OTHER][0]) / 1000000,
	       (unsigned long long)to_ns(&p, sum.bucket[PITRACE_PTT_IDLE][0]) / 1000000,
	       (unsigned long long)to_ns(&p, sum.bucket[PITRACE_PTT_INTERRUPTS][0]) / 1000000,
	       (unsigned long long)sum.dispatches, (unsigned long long)sum.interrupts,
	       (unsigned long long)p.control->gone);
	for (int b = 0; b < PITRACE_PTT_BUCKETS; b++)
		check(sum.bucket[b][0] > 0 || b == PITRACE_PTT_OTHER);
	check(sum.dispatches > 100 && sum.interrupts > 10);
	ptt_close(&p);
	no_ptt_left();
}

void test_ptt_books(void)
{
	books("two CPUs", false);
	books("one CPU", true);
}

/* Switches between unwatched threads end no period. They are still counted, and a watched thread
 * among them is found. */
void test_ptt_unwatched(void)
{
	const unsigned int echoes = 1000;
	struct pitrace_ptt_cpu before, after;
	int to[2], from[2];
	char byte = 0;
	struct ptt p;
	pid_t pid;

	if (pipe(to) || pipe(from) || !open_slots(&p, 2, 0))
		return;
	on_cpu(0);
	pid = fork();
	if (!pid) {
		close(to[1]);
		while (read(to[0], &byte, 1) == 1 && write(from[1], &byte, 1) == 1)
			;
		_exit(0);
	}
	for (int watched = 0; watched < 3; watched++) {
		long slot = watched ? want(0, ptt_add(p.fd, watched == 1 ? pid : 0, 0)) : 0;
		struct pitrace_ptt_thread t = ptt_copy(ptt_thread(&p, slot));

		update(&p);
		before = ptt_copy_cpu(ptt_cpu(&p, 0));
		for (unsigned int i = 0; i < echoes; i++)
			check(write(to[1], &byte, 1) == 1 && read(from[0], &byte, 1) == 1);
		update(&p);
		after = ptt_copy_cpu(ptt_cpu(&p, 0));
		check(after.dispatches - before.dispatches >= 2 * echoes &&
		      after.dispatches - before.dispatches < 3 * echoes);
		check(after.bucket[PITRACE_PTT_OTHER][0] > before.bucket[PITRACE_PTT_OTHER][0] ||
		      watched == 2);
		check(!watched == (after.bucket[PITRACE_PTT_THREADS][0] == 0));
		ptt_books(&p, 0);
		if (watched)
			check(ptt_copy(ptt_thread(&p, slot)).dispatches - t.dispatches >= echoes);
	}
	close(to[1]);
	waitpid(pid, NULL, 0);
	on_all_cpus();
	close(to[0]);
	close(from[0]);
	close(from[1]);
	ptt_close(&p);
	no_ptt_left();
}

/* A process, its future threads and its children: all of them and no other. */
void test_ptt_kin(void)
{
	struct pitrace_ptt_thread t;
	unsigned int mine = 0, watched = 0, ended = 0;
	struct ptt p;
	pid_t pid;
	int go[2];

	if (pipe(go) || !open_slots(&p, 64, 0))
		return;
	pid = fork();
	if (!pid) {
		char c;

		if (read(go[0], &c, 1) == 1)
			forks(10);
		_exit(0);
	}
	check(want(0, ptt_add(p.fd, pid, PITRACE_PTT_CHILDREN | PITRACE_PTT_PROCESS)) == 1);
	forks(2); /* not its children */
	check(write(go[1], "", 1) == 1);
	waitpid(pid, NULL, 0);
	nap(50); /* the last switch comes after the zombie */
	for (uint32_t slot = 0; slot < p.control->slots; slot++) {
		t = ptt_copy(ptt_thread(&p, slot));
		watched += t.state == PITRACE_PTT_WATCHED;
		ended += t.state == PITRACE_PTT_ENDED;
		if (t.state != PITRACE_PTT_FREE) {
			mine += t.pid == (uint32_t)pid;
			check(t.metric[0].value > 0 && t.dispatches > 0 && !strcmp(t.comm, "abi"));
			check(t.pid >= (uint32_t)pid && t.start > 0 && t.generation == 1);
		}
	}
	if (watched || ended != 21 || mine != 1)
		wrong("%u still watched, %u ended, %u of the process", watched, ended, mine);
	stop(&p);
	check(ptt_books(&p, 0) == ptt_all(&p, 0));
	ptt_close(&p);
	close(go[0]);
	close(go[1]);
	no_ptt_left();
}

/* ---- one thread, by itself ------------------------------------------------------------------- */

/* The value and the kernel's clock at one moment, as nearly as can be had: a pair with nothing
 * in between. */
static void moment(const struct pitrace_ptt_thread *page, uint64_t *counts, int64_t *clock)
{
	uint64_t before, after, best = UINT64_MAX;
	unsigned long retries = 0;
	int64_t now;

	for (int i = 0; i < 200; i++) {
		before = ptt_own(page, &retries) + page->metric[0].interrupt;
		now = clock_ns(CLOCK_THREAD_CPUTIME_ID);
		after = ptt_own(page, &retries) + page->metric[0].interrupt;
		if (after - before >= best)
			continue;
		best = after - before;
		*counts = before + best / 2;
		*clock = now;
	}
}

#define CLOCK_TURNS 21

/* With its interrupts a thread has used what the kernel's clock of it says. An emulated CPU may
 * stand still between the kernel's stamp of a dispatch and ours: in most turns it does not. */
void test_ptt_clock(void)
{
	const struct pitrace_ptt_thread *page;
	uint64_t begin = 0, end = 0, ours = 0, all = 0;
	int64_t clock_begin = 0, clock_end = 0, theirs = 0;
	unsigned int near = 0;
	struct ptt p;
	long slot;

	if (!open_slots(&p, 1, 0))
		return;
	slot = want(0, ptt_add(p.fd, 0, 0));
	check(slot == 0 && ptt_add(p.fd, (pid_t)syscall(SYS_gettid), 0) == slot);
	page = ptt_thread(&p, slot);
	moment(page, &begin, &clock_begin);
	for (int i = 0; i < CLOCK_TURNS; i++) {
		/* Long compared with a slow kernel's time from its own stamp of a dispatch to
		 * ours. */
		spin(150);
		nap(2);
		moment(page, &end, &clock_end);
		ours = to_ns(&p, end - begin);
		theirs = clock_end - clock_begin;
		near += llabs((int64_t)ours - theirs) <= theirs / 1000;
		all += ours;
		begin = end;
		clock_begin = clock_end;
	}
	printf("# %u of %d turns the same; %llu ns, the last %llu, the kernel says %lld; "
	       "%llu dispatches, %llu interrupts\n",
	       near, CLOCK_TURNS, (unsigned long long)all, (unsigned long long)ours,
	       (long long)theirs, (unsigned long long)page->dispatches,
	       (unsigned long long)page->interrupts);
	check(near > CLOCK_TURNS / 2);
	check(page->dispatches >= 20 && page->interrupts > 10 && page->metric[0].interrupt > 0);
	ptt_close(&p);
	no_ptt_left();
}

struct reader {
	pthread_t thread;
	const struct ptt *p;
	unsigned long reads, retries, back, most, dispatches;
};

static void *read_much(void *arg)
{
	struct reader *r = arg;
	const struct pitrace_ptt_thread *page;
	uint64_t value, before = 0;
	long slot;

	on_cpu(0);
	slot = ptt_add(r->p->fd, 0, 0);
	if (slot < 0)
		return NULL;
	page = ptt_thread(r->p, slot);
	for (unsigned long i = 0; i < r->reads; i++) {
		unsigned long retries = 0;

		value = ptt_own(page, &retries);
		r->back += value < before;
		before = value;
		r->retries += retries;
		if (retries > r->most)
			r->most = retries;
		if (i % 100000 == 0)
			sched_yield();
	}
	r->dispatches = page->dispatches;
	return NULL;
}

/* Two threads on one CPU read themselves without end, a third one on the other reads them. READS:
 * each so often, if five million times are not enough. */
void test_ptt_own(void)
{
	const char *reads = getenv("READS");
	struct reader r[2];
	struct pitrace_ptt_thread t, before[2] = { 0 };
	unsigned long back = 0;
	struct ptt p;

	if (!open_slots(&p, 2, 0))
		return;
	for (int i = 0; i < 2; i++) {
		r[i] = (struct reader){ .p = &p,
					.reads = reads ? strtoul(reads, NULL, 0) : 5000000 };
		check(!pthread_create(&r[i].thread, NULL, read_much, &r[i]));
	}
	for (int round = 0; round < 20000; round++)
		for (long slot = 0; slot < 2; slot++) {
			t = ptt_copy(ptt_thread(&p, slot));
			back += t.metric[0].value < before[slot].metric[0].value ||
				t.metric[0].interrupt < before[slot].metric[0].interrupt ||
				t.dispatches < before[slot].dispatches;
			before[slot] = t;
		}
	for (int i = 0; i < 2; i++) {
		pthread_join(r[i].thread, NULL);
		printf("# %lu reads, %lu dispatches, %lu retries, %lu at once, %lu steps back\n",
		       r[i].reads, r[i].dispatches, r[i].retries, r[i].most, r[i].back);
		check(r[i].back == 0 && r[i].most <= 4 && r[i].dispatches >= 20);
	}
	check(back == 0);
	ptt_close(&p);
	no_ptt_left();
}

/* Charged or apart: what a thread and its interrupts used is the same, who has it is not. */
void test_ptt_charge(void)
{
	uint32_t charge = PITRACE_PTT_CHARGE, apart = 0;
	const struct pitrace_ptt_thread *page;
	struct pitrace_ptt_thread a, b, c;
	struct ptt p;

	if (!open_slots(&p, 1, PITRACE_PTT_CHARGE))
		return;
	check(p.control->flags & PITRACE_PTT_CHARGE);
	page = ptt_thread(&p, want(0, ptt_add(p.fd, 0, 0)));
	spin(200);
	update(&p);
	a = ptt_copy(page);
	check(a.interrupts > 0 && a.metric[0].interrupt == 0 && a.metric[0].value > 0);
	for (unsigned int cpu = 0; cpu < p.control->ncpus; cpu++)
		check(ptt_copy_cpu(ptt_cpu(&p, cpu)).bucket[PITRACE_PTT_INTERRUPTS][0] == 0);
	want(0, ioctl(p.fd, PITRACE_IOC_PTT_CHARGE, &apart));
	check(!(p.control->flags & PITRACE_PTT_CHARGE));
	spin(200);
	update(&p);
	b = ptt_copy(page);
	check(b.interrupts > a.interrupts && b.metric[0].interrupt > 0);
	want(0, ioctl(p.fd, PITRACE_IOC_PTT_CHARGE, &charge));
	b = ptt_copy(page);
	spin(200);
	update(&p);
	c = ptt_copy(page);
	check(c.interrupts > b.interrupts && c.metric[0].interrupt == b.metric[0].interrupt);
	ptt_books(&p, 0);
	ptt_close(&p);
	no_ptt_left();
}
