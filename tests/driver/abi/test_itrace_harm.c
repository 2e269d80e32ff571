// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Things that an instruction trace must not damage: threads that exit while they are added,
 * programs that gain credentials before they are armed, user probes in any state, and the other
 * users' room in the table.
 */
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
#include <linux/userfaultfd.h>
#include "itrace.h"

#ifdef TRACED_HERE

static struct pitrace_session_args of_process(pid_t pid)
{
	struct pitrace_session_args args = plain();

	args.scope = PITRACE_SCOPE_PROCESS;
	args.pid = pid;
	args.segment_bytes = 32 * KB;
	args.mte_bytes = args.trace_bytes = 128 * KB;
	return args;
}

static struct pitrace_itrace_args everything(void)
{
	struct pitrace_itrace_args it = itrace_of(NULL);

	it.scope = PITRACE_ITRACE_ALL;
	it.listed = 0;
	it.list = 0;
	it.flags = PITRACE_ITRACE_LOSSY;
	return it;
}

/* A member's child must be one that he may see. */
static pid_t visible_child(struct gate *g, void (*part)(void))
{
	prctl(PR_SET_DUMPABLE, 1);
	return child_of(g, part);
}

/* ---- threads that end while they are added --------------------------------------------------- */

#define BATCH 12

static volatile int *hold; /* NULL: never */

static void *nothing(void *arg)
{
	return arg;
}

static void *churn(void *arg)
{
	pthread_t t[BATCH];
	int n;

	for (;;) {
		while (hold && *hold)
			usleep(1000);
		for (n = 0; n < BATCH; n++)
			if (pthread_create(&t[n], NULL, nothing, NULL))
				break;
		while (n--)
			pthread_join(t[n], NULL);
	}
	return arg;
}

void part_churn(void)
{
	pthread_t t;
	int i;

	for (i = 0; i < 3; i++)
		if (pthread_create(&t, NULL, churn, NULL))
			_exit(3);
	for (;;)
		pause();
}

/* A debug kernel reports a pointer that is followed after its object was freed. */
static void dying(int unused)
{
	struct pitrace_itrace_args it = everything();
	struct view v, keep;
	long i, turns = turns_or(20);
	struct gate g;
	pid_t pid;

	(void)unused;
	hold = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid = visible_child(&g, part_churn);
	/* The hooks stay from turn to turn. */
	if (!begin_itrace(&keep, of_process(pid), &it))
		return;
	want(0, ioctl(keep.fd, PITRACE_IOC_ON));
	want(0, ioctl(keep.fd, PITRACE_IOC_SUSPEND));
	if (begin_itrace(&v, of_process(pid), &it)) {
		let_go(&g);
		for (i = 0; i < turns && !bad; i++) {
			want(0, ioctl(v.fd, PITRACE_IOC_ON));
			*hold = 1;
			nap(5);
			want(0, ioctl(v.fd, PITRACE_IOC_OFF));
			*hold = 0;
			nap(4);
			check(waitpid(pid, NULL, WNOHANG) == 0);
		}
		unview(&v);
	}
	unview(&keep);
	kill(pid, SIGKILL);
	status_of(pid);
	done(&g);
}

void test_itrace_dying(void)
{
	as_member(dying, 0);
	no_session_left();
}

/* ---- programs that gain credentials ---------------------------------------------------------- */

/* Somebody else's hand on the memory that its execve() reads. */
static struct {
	struct gate go;
	char *page;
	int fd;
} held;

static void *fill_page(void *arg)
{
	static char argument[PAGE] = "6000";
	struct uffdio_copy copy = {
		.dst = (uintptr_t)held.page,
		.src = (uintptr_t)argument,
		.len = (uint64_t)getpagesize(),
	};
	char c;

	if (read(held.go.fd[0], &c, 1) == 1)
		ioctl(held.fd, UFFDIO_COPY, &copy);
	for (;;)
		pause();
	return arg;
}

/* It stays in execve() until it is released. */
static void part_held_exec(void)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register area = { .mode = UFFDIO_REGISTER_MODE_MISSING };
	pthread_t t;

	held.fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC);
	held.page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	area.range.start = (uintptr_t)held.page;
	area.range.len = PAGE;
	if (held.fd < 0 || ioctl(held.fd, UFFDIO_API, &api) ||
	    ioctl(held.fd, UFFDIO_REGISTER, &area) || pthread_create(&t, NULL, fill_page, NULL))
		_exit(4);
	execl(GAINS, "abi", "spin", held.page, (char *)NULL);
	_exit(3);
}

static int euid_of(pid_t pid)
{
	char path[64], line[200];
	int real, effective = -1;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "Uid: %d %d", &real, &effective) == 2)
			break;
	if (f)
		fclose(f);
	return effective;
}

/* Nothing of what runs as root is counted for the member: not if it was armed on its way there
 * (0), nor if its session paused meanwhile (1). */
static void gains(int pauses)
{
	struct pitrace_itrace_args it = everything();
	struct gate g;
	struct view v;
	uint64_t before;
	pid_t pid;
	int i;

	if (pipe(held.go.fd))
		return;
	pid = visible_child(&g, part_held_exec);
	let_go(&g);
	nap(300);
	if (begin_itrace(&v, of_process(pid), &it)) {
		want(0, ioctl(v.fd, PITRACE_IOC_ON));
		if (pauses)
			want(0, ioctl(v.fd, PITRACE_IOC_SUSPEND));
		check(euid_of(pid) == 1000);
		let_go(&held.go);
		for (i = 0; i < 3000 && euid_of(pid) == 1000; i++)
			nap(10);
		check(euid_of(pid) == 0);
		if (pauses)
			want(0, ioctl(v.fd, PITRACE_IOC_RESUME));
		nap(50);
		before = instructions(&v);
		nap(200);
		check(instructions(&v) == before);
		check(waitpid(pid, NULL, WNOHANG) == 0);
		want(0, ioctl(v.fd, PITRACE_IOC_OFF));
		check(instructions(&v) == before);
		unview(&v);
	}
	done(&held.go);
	done(&g);
}

static volatile int hidden_now;

static void *spinning(void *arg)
{
	for (;;)
		hidden_now++;
	return arg;
}

/* It hides while another of its threads computes. */
static void part_hides(void)
{
	pthread_t t;

	if (pthread_create(&t, NULL, spinning, NULL))
		_exit(3);
	usleep(200000);
	prctl(PR_SET_DUMPABLE, 0);
	for (;;)
		pause();
}

static bool dumpable(pid_t pid)
{
	char path[64];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%d/mem", pid);
	return !stat(path, &st) && st.st_uid == 1000;
}

static void hides(int unused)
{
	struct pitrace_itrace_args it = everything();
	uint64_t before;
	struct gate g;
	struct view v;
	pid_t pid = visible_child(&g, part_hides);
	int i;

	(void)unused;
	if (begin_itrace(&v, of_process(pid), &it)) {
		want(0, ioctl(v.fd, PITRACE_IOC_ON));
		let_go(&g);
		for (i = 0; i < 600 && !instructions(&v); i++)
			nap(50);
		check(instructions(&v) > 0);
		for (i = 0; i < 1500 && dumpable(pid); i++)
			nap(20);
		check(!dumpable(pid));
		nap(20);
		before = instructions(&v);
		nap(200);
		check(instructions(&v) == before);
		want(0, ioctl(v.fd, PITRACE_IOC_OFF));
		check(instructions(&v) == before);
		unview(&v);
	}
	kill(pid, SIGKILL);
	status_of(pid);
	done(&g);
}

static bool tell(const char *path, const char *words)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	bool done_so = fd >= 0 && write(fd, words, strlen(words)) == (ssize_t)strlen(words);

	if (fd >= 0)
		close(fd);
	return done_so;
}

#define HOLDING "/proc/sys/vm/unprivileged_userfaultfd"

void test_itrace_gains(void)
{
	if (access(HOLDING, F_OK)) {
		printf("# nobody can be held in execve() here\n");
	} else {
		check(copy_self(GAINS) && chmod(GAINS, 04755) == 0);
		check(tell(HOLDING, "1"));
		as_member(gains, 0);
		as_member(gains, 1);
		while (waitpid(-1, NULL, WNOHANG) > 0)
			;
		tell(HOLDING, "0");
		unlink(GAINS);
	}
	as_member(hides, 0);
	no_session_left();
}

/* ---- user probes ----------------------------------------------------------------------------- */

#define EVENTS "/sys/kernel/tracing/uprobe_events"
#define ENABLE "/sys/kernel/tracing/events/uprobes/harm/enable"

__attribute__((noinline, noclone)) static long probed(long a, long b)
{
	/* An instruction that is stepped for the probe is not emulated. */
#ifdef __x86_64__
	long sum;

	asm volatile("lea 3(%1, %2), %0" : "=r"(sum) : "r"(a), "r"(b));
	return sum;
#else
	asm volatile("" : "+r"(a));
	return a + b + 3;
#endif
}

void part_steps_probe(void)
{
	long i;

	for (i = 0;; i++)
		if (probed(i, 5) != i + 8)
			_exit(9);
}

static bool probe_there(char *words, size_t size)
{
	unsigned long from, to, offset, at = (uintptr_t)probed;
	FILE *f = fopen("/proc/self/maps", "re");
	char line[400], path[200];
	bool found = false;

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "%lx-%lx %*s %lx %*s %*s %199s", &from, &to, &offset, path) == 4 &&
		    at >= from && at < to) {
			snprintf(words, size, "p:uprobes/harm %s:%#lx", path, at - from + offset);
			found = true;
		}
	if (f)
		fclose(f);
	return found;
}

bool probe_on(void)
{
	char words[300] = "";

	if (access(EVENTS, W_OK)) {
		printf("# no user probes here\n");
		return false;
	}
	if (probe_there(words, sizeof(words)) && tell(EVENTS, words) && tell(ENABLE, "1"))
		return true;
	wrong("no probe at %s", words);
	return false;
}

void probe_off(void)
{
	check(tell(ENABLE, "0") && tell(EVENTS, "-:uprobes/harm"));
}

/* Turns that begin and end anywhere in a probe's own steps. */
void test_itrace_probed(void)
{
	struct pitrace_itrace_args it = everything();
	long i, turns = turns_or(25);
	struct view v, keep;
	struct gate g;
	int status;
	pid_t pid;

	if (!probe_on())
		return;
	pid = child_of(&g, part_steps_probe);
	if (begin_itrace(&keep, of_process(pid), &it) && begin_itrace(&v, of_process(pid), &it)) {
		/* That the hooks stay. */
		want(0, ioctl(keep.fd, PITRACE_IOC_ON));
		want(0, ioctl(keep.fd, PITRACE_IOC_SUSPEND));
		let_go(&g);
		for (i = 0; i < turns && !bad; i++) {
			want(0, ioctl(v.fd, PITRACE_IOC_ON));
			usleep(2000);
			want(0, ioctl(v.fd, PITRACE_IOC_OFF));
			usleep(1000 + rand() % 3000);
			if (waitpid(pid, &status, WNOHANG) != 0)
				wrong("turn %ld: the child ended, status %#x", i, status);
		}
		unview(&v);
		unview(&keep);
	}
	if (!bad) {
		kill(pid, SIGKILL);
		status_of(pid);
	}
	done(&g);
	probe_off();
	no_session_left();
}

/* ---- threads that are born while it pauses --------------------------------------------------- */

#define BORN 40

/* How often each of them has gone round. */
static volatile uint32_t *rounds;

static void *alive(void *arg)
{
	for (;;) {
		volatile int i;

		for (i = 0; i < 100; i++)
			;
		++*(volatile uint32_t *)arg;
		usleep(1000);
	}
	return arg;
}

/* All have gone round as often as that since `since`. */
static bool all_round(const uint32_t *since, uint32_t times)
{
	int i;

	for (i = 0; i < BORN && rounds[i] - since[i] >= times; i++)
		;
	return i == BORN;
}

static void part_bears(void)
{
	pthread_t t;
	int i;

	for (i = 0; i < BORN; i++) {
		if (pthread_create(&t, NULL, alive, (void *)&rounds[i]))
			_exit(3);
		usleep(20000);
	}
	for (;;)
		pause();
}

void test_itrace_born_in_pause(void)
{
	struct pitrace_itrace_args it;
	struct gate g;
	struct view v;
	unsigned long starts = 0, stops = 0;
	uint32_t since[BORN] = { 0 };
	struct seen s;
	int32_t pid;
	int i;

	rounds = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	check(rounds != MAP_FAILED);
	pid = child_of(&g, part_bears);
	it = itrace_of(&pid);
	it.flags = PITRACE_ITRACE_LOSSY;
	if (begin_itrace(&v, itrace_plain(), &it)) {
		want(0, ioctl(v.fd, PITRACE_IOC_ON));
		let_go(&g);
		for (i = 0; i < 40 || (i < 3000 && !all_round(since, 1)); i++) {
			want(0, ioctl(v.fd, PITRACE_IOC_SUSPEND));
			want(0, ioctl(v.fd, PITRACE_IOC_RESUME));
			nap(20);
		}
		for (i = 0; i < BORN; i++)
			since[i] = rounds[i];
		for (i = 0; i < 3000 && !all_round(since, 2); i++)
			nap(20);
		want(0, ioctl(v.fd, PITRACE_IOC_OFF));
		s = seen_of(&v, pid);
		for (i = 0; i < 16; i++) {
			starts += s.start[i];
			stops += s.stop[i];
		}
		printf("# %lu threads, %lu starts, %lu stops\n", s.threads, starts, stops);
		check(lost(&v, PITRACE_LOST_BRANCH) == 0);
		/* Each survives: a traced one stops where it pauses, and is traced again. */
		check(starts == stops);
		/* The first one, which has borne the others, too. */
		check(s.threads == BORN + 1);
		unview(&v);
	}
	kill(pid, SIGKILL);
	status_of(pid);
	done(&g);
	munmap((void *)rounds, 4096);
	no_session_left();
}

/* ---- a member's many threads ----------------------------------------------------------------- */

#define CROWD 300
#define SHARE 256

static void *waiting(void *arg)
{
	for (;;)
		pause();
	return arg;
}

static void part_crowd(void)
{
	pthread_attr_t small;
	pthread_t t;
	int i;

	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 64 * KB);
	for (i = 0; i < CROWD; i++)
		if (pthread_create(&t, &small, waiting, NULL))
			_exit(3);
	for (;;)
		pause();
}

static int threads_of(pid_t pid)
{
	char path[32], line[128];
	int n = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	f = fopen(path, "re");
	while (f && !n && fgets(line, sizeof(line), f))
		sscanf(line, "Threads: %d", &n);
	if (f)
		fclose(f);
	return n;
}

static void crowd(int unused)
{
	struct pitrace_itrace_args it = everything();
	struct view v;
	struct gate g;
	pid_t pid = visible_child(&g, part_crowd);
	int i;

	(void)unused;
	if (begin_itrace(&v, of_process(pid), &it)) {
		let_go(&g);
		for (i = 0; i < 600 && threads_of(pid) < CROWD + 1; i++)
			nap(100);
		want(0, ioctl(v.fd, PITRACE_IOC_ON));
		printf("# %lu had no room\n", (long)lost(&v, PITRACE_LOST_BRANCH));
		check(lost(&v, PITRACE_LOST_BRANCH) >= CROWD + 1 - SHARE);
		want(0, ioctl(v.fd, PITRACE_IOC_OFF));
		unview(&v);
	}
	kill(pid, SIGKILL);
	status_of(pid);
	done(&g);
}

void test_itrace_crowd(void)
{
	as_member(crowd, 0);
	no_session_left();
}

#endif
