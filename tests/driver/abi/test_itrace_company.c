// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Traced threads and who else has to do with them: another session, children that are born while
 * tracing ends, debuggers, signals and freezers while they wait for a consumer, one that dies, user
 * probes.
 */
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "itrace.h"

#ifdef TRACED_HERE

/* ---- another session ------------------------------------------------------------------------- */

void test_itrace_taken(void)
{
	struct pitrace_itrace_args it;
	struct pitrace_session_args args = itrace_plain();
	struct gate g;
	struct view v, w;
	int32_t pid = child_of(&g, part_spin);
	struct seen s;

	/* A thread that two sessions may trace must not be in two system-wide ones. */
	args.scope = PITRACE_SCOPE_PROCESS;
	args.pid = pid;
	it = itrace_of(&pid);
	if (begin_itrace(&v, itrace_plain(), &it) && begin_itrace(&w, args, &it)) {
		want(0, ioctl(v.fd, PITRACE_IOC_ON));
		want(0, ioctl(w.fd, PITRACE_IOC_ON));
		let_go(&g);
		wait_branches(&v, 10);
		want(0, ioctl(w.fd, PITRACE_IOC_OFF));
		want(0, ioctl(v.fd, PITRACE_IOC_OFF));
		s = seen_of(&w, pid);
		check(s.branches == 0 && s.stop[PITRACE_ITRACE_TAKEN] == 1 && s.threads == 1);
		check(sum_pages(&w, offsetof(struct pitrace_cpu, taken)) == 1);
		s = seen_of(&v, pid);
		check(s.branches > 10 && s.stop[PITRACE_ITRACE_TAKEN] == 0);
		check(sum_pages(&v, offsetof(struct pitrace_cpu, taken)) == 0);
		/* Now it is available. */
		want(0, ioctl(w.fd, PITRACE_IOC_ON));
		wait_branches(&w, 10);
		want(0, ioctl(w.fd, PITRACE_IOC_OFF));
		s = seen_of(&w, pid);
		check(s.branches > 10);
		unview(&v);
		unview(&w);
	}
	kill(pid, SIGKILL);
	status_of(pid);
	done(&g);
	no_session_left();
}

/* ---- children born while it ends ------------------------------------------------------------- */

/* Each child must exit as intended: a stray trap would kill it. */
static void part_forks(void)
{
	time_t end = time(NULL) + 600;
	int status;

	while (time(NULL) < end && getppid() != 1) {
		pid_t pid = fork();

		if (!pid) {
			syscall(SYS_getpid);
			_exit(7);
		}
		if (waitpid(pid, &status, 0) != pid || status != 7 << 8) {
			fprintf(stderr, "# a child's status: %#x\n", status);
			_exit(9);
		}
		pid = vfork();
		if (!pid)
			_exit(7);
		if (waitpid(pid, &status, 0) != pid || status != 7 << 8)
			_exit(10);
	}
}

/* In the last turns the hooks are also removed, which takes time: children that are created a
 * moment later are not noticed any more. */
void test_itrace_forks(void)
{
	long turns = turns_or(48) / 4, i;
	struct pitrace_session_args args = itrace_plain();
	struct pitrace_itrace_args it;
	uint64_t branches = 0;
	time_t began = time(NULL);
	struct gate g[STORM_CHILDREN];
	struct view v, keep;
	int32_t pid[STORM_CHILDREN];
	unsigned int cpu;
	int k;

	/* Their children outlive them, and are to have none of our descriptors. */
	for (k = 0; k < STORM_CHILDREN; k++)
		pid[k] = child_of(&g[k], part_forks);
	if (!keep_hooks(&keep))
		return;
	it = itrace_of(pid);
	it.listed = 3;
	args.trace_bytes = 1 * MB;
	if (begin_itrace(&v, args, &it)) {
		for (k = 0; k < STORM_CHILDREN; k++)
			let_go(&g[k]);
		for (i = 0; i < turns && !bad; i++) {
			if (i == turns - (getenv("TURNS") ? 3 : 2))
				want(0, ioctl(keep.fd, PITRACE_IOC_OFF));
			want(0, ioctl(v.fd, PITRACE_IOC_ON));
			/* If children were lost, off would wait for room to report the living
			 * ones. */
			for (cpu = 0; cpu < v.control->ncpus; cpu++)
				if (page_of(&v, cpu)->present)
					consume(&v, cpu, PITRACE_RING_MTE,
						head(&v, cpu, PITRACE_RING_MTE));
			want(0, ioctl(v.fd, PITRACE_IOC_OFF));
			branches += sum_pages(&v, offsetof(struct pitrace_cpu, branches));
			all_alive(pid, i);
		}
		unview(&v);
	}
	end_children(pid, g);
	unview(&keep);
	printf("# %ld turns in %ld s, %lu branches\n", turns, (long)(time(NULL) - began),
	       (long)branches);
	check(branches > 0);
	no_session_left();
}

/* ---- while it waits -------------------------------------------------------------------------- */

/* It is released; no reader: after a while it waits. */
static bool begin_waiting(struct view *v, int32_t *pid, struct gate *g)
{
	struct pitrace_itrace_args it = itrace_of(pid);

	if (!begin_itrace(v, plain(), &it))
		return false;
	want(0, ioctl(v->fd, PITRACE_IOC_ON));
	let_go(g);
	check(waits_at(v));
	return true;
}

static volatile sig_atomic_t signals;

static void on_signal(int number)
{
	signals += number;
}

static void part_spin_handling(void)
{
	signal(SIGUSR1, on_signal);
	part_spin();
}

void test_itrace_stopped(void)
{
	struct gate g;
	struct view v;
	int32_t pid = child_of(&g, part_spin_handling);
	uint64_t before;
	struct seen s;
	cpu_set_t first;
	int status, i;

	/* It waits where its CPU's buffer is half full: on another one it would run on. */
	CPU_ZERO(&first);
	CPU_SET(0, &first);
	want(0, sched_setaffinity(pid, sizeof(first), &first));
	if (begin_waiting(&v, &pid, &g)) {
		/* Stopped and continued by signals: it waits again. */
		kill(pid, SIGSTOP);
		check(waitpid(pid, &status, WUNTRACED) == pid && WIFSTOPPED(status));
		kill(pid, SIGCONT);
		/* Signals get through to it, one instruction at a time. */
		before = branches_of(&v);
		for (i = 0; i < 5; i++) {
			kill(pid, SIGUSR1);
			nap(20);
		}
		printf("# %lu branches more at five signals\n", (long)(branches_of(&v) - before));
		check(branches_of(&v) - before < 100);
		/* A debugger need not wait for a consumer. */
		want(0, ptrace(PTRACE_SEIZE, pid, NULL, NULL));
		want(0, ptrace(PTRACE_INTERRUPT, pid, NULL, NULL));
		check(waitpid(pid, &status, 0) == pid && WIFSTOPPED(status));
		want(0, ptrace(PTRACE_SINGLESTEP, pid, NULL, NULL));
		check(waitpid(pid, &status, 0) == pid);
		/* If that was a handler's last one, the next signal may come first. */
		if (WIFSTOPPED(status) && WSTOPSIG(status) == SIGUSR1) {
			want(0, ptrace(PTRACE_SINGLESTEP, pid, NULL, SIGUSR1));
			check(waitpid(pid, &status, 0) == pid);
		}
		check(WIFSTOPPED(status) && WSTOPSIG(status) == SIGTRAP);
		want(0, ptrace(PTRACE_DETACH, pid, NULL, NULL));
		nap(20);
		check(waitpid(pid, &status, WNOHANG) == 0);
		want(0, ioctl(v.fd, PITRACE_IOC_OFF));
		s = seen_of(&v, pid);
		check(s.stop[PITRACE_ITRACE_DEBUGGER] == 1 && s.gaps == 0);
		check(s.breaks[PITRACE_BREAK_SIGNAL] >= 1);
		unview(&v);
	}
	kill(pid, SIGKILL);
	status_of(pid);
	done(&g);
	no_session_left();
}

#define GROUP "/sys/fs/cgroup/itrace"

static bool put_in(const char *path, const char *words)
{
	int fd = open(path, O_WRONLY);
	bool done_so = fd >= 0 && write(fd, words, strlen(words)) == (ssize_t)strlen(words);

	if (fd >= 0)
		close(fd);
	return done_so;
}

static bool frozen(void)
{
	char text[200] = "";
	int fd = open(GROUP "/cgroup.events", O_RDONLY);

	if (fd < 0)
		return false;
	if (read(fd, text, sizeof(text) - 1) < 0)
		*text = 0;
	close(fd);
	return strstr(text, "frozen 1");
}

void test_itrace_frozen(void)
{
	struct gate g;
	struct view v;
	int32_t pid = child_of(&g, part_spin);
	uint64_t before;
	char words[16];
	int i;

	snprintf(words, sizeof(words), "%d", pid);
	if (mkdir(GROUP, 0755) || !put_in(GROUP "/cgroup.procs", words)) {
		printf("# no groups here\n");
		kill(pid, SIGKILL);
		status_of(pid);
		done(&g);
		return;
	}
	if (begin_waiting(&v, &pid, &g)) {
		check(put_in(GROUP "/cgroup.freeze", "1"));
		for (i = 0; i < 100 && !frozen(); i++)
			nap(20);
		check(frozen());
		/* There is room now, but it is frozen. */
		consume_all(&v);
		before = branches_of(&v);
		nap(100);
		check(branches_of(&v) == before);
		check(put_in(GROUP "/cgroup.freeze", "0"));
		wait_branches(&v, before);
		check(branches_of(&v) > before);
		want(0, ioctl(v.fd, PITRACE_IOC_OFF));
		check(lost(&v, PITRACE_LOST_BRANCH) == 0);
		unview(&v);
	}
	kill(pid, SIGKILL);
	status_of(pid);
	done(&g);
	rmdir(GROUP);
	no_session_left();
}

/* ---- who reads ------------------------------------------------------------------------------- */

static void part_long(void)
{
	volatile int i;

	for (i = 0; i < 300000; i++)
		;
}

/* A consumer that exits, dies or pauses does not block any thread. */
void test_itrace_consumer(void)
{
	struct gate g, h;
	struct view v;
	int32_t pid = child_of(&g, part_long);
	uint64_t before;
	pid_t reader;
	int status;

	if (pipe(h.fd))
		return;
	reader = fork();
	if (!reader) {
		if (begin_waiting(&v, &pid, &g) && write(h.fd[1], "", 1) == 1)
			pause();
		_exit(1);
	}
	check(read(h.fd[0], &status, 1) == 1);
	check(waitpid(pid, &status, WNOHANG) == 0);
	kill(reader, SIGKILL);
	status = status_of(reader);
	check(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	check(status_of(pid) == 0);
	done(&g);
	done(&h);
	no_session_left();

	pid = child_of(&g, part_spin);
	if (begin_waiting(&v, &pid, &g)) {
		before = branches_of(&v);
		want(0, ioctl(v.fd, PITRACE_IOC_SUSPEND));
		nap(50);
		check(branches_of(&v) == before);
		check(waitpid(pid, &status, WNOHANG) == 0);
		consume_all(&v);
		want(0, ioctl(v.fd, PITRACE_IOC_RESUME));
		wait_branches(&v, before);
		check(branches_of(&v) > before);
		want(0, ioctl(v.fd, PITRACE_IOC_OFF));
		check(lost(&v, PITRACE_LOST_BRANCH) == 0);
		unview(&v);
	}
	kill(pid, SIGKILL);
	status_of(pid);
	done(&g);
	no_session_left();
}

/* ---- user probes ----------------------------------------------------------------------------- */

#define EVENTS "/sys/kernel/tracing/uprobe_events"
#define ENABLE "/sys/kernel/tracing/events/uprobes/itrace/enable"

__attribute__((noinline, noclone)) static void probed(void)
{
	asm volatile("nop\n\tnop" : : : "memory");
}

static void part_probed(void)
{
	int i;

	for (i = 0; i < 100; i++)
		probed();
}

/* Where it is in this program's file. */
static bool where(const void *address, char *words, size_t size)
{
	FILE *f = fopen("/proc/self/maps", "re");
	unsigned long from, to, offset, at = (uintptr_t)address;
	char line[400], path[200];
	bool found = false;

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "%lx-%lx %*s %lx %*s %*s %199s", &from, &to, &offset, path) == 4 &&
		    at >= from && at < to) {
			snprintf(words, size, "p:uprobes/itrace %s:%#lx", path, at - from + offset);
			found = true;
		}
	if (f)
		fclose(f);
	return found;
}

static unsigned long hits(void)
{
	FILE *f = fopen("/sys/kernel/tracing/uprobe_profile", "re");
	unsigned long n = 0;

	if (f && fscanf(f, "%*s %*s %lu", &n) != 1)
		n = 0;
	if (f)
		fclose(f);
	return n;
}

void test_itrace_uprobe(void)
{
	char words[300];
	struct pitrace_itrace_args it;
	struct gate g;
	struct view v;
	int32_t pid;
	struct seen s;

	if (access(EVENTS, W_OK)) {
		printf("# no user probes here\n");
		return;
	}
	if (!where((const void *)probed, words, sizeof(words)) || !put_in(EVENTS, words) ||
	    !put_in(ENABLE, "1")) {
		wrong("no probe at %s", words);
		return;
	}
	pid = child_of(&g, part_probed);
	it = itrace_of(&pid);
	if (begin_itrace(&v, itrace_plain(), &it)) {
		want(0, ioctl(v.fd, PITRACE_IOC_ON));
		let_go(&g);
		check(status_of(pid) == 0);
		want(0, ioctl(v.fd, PITRACE_IOC_OFF));
		s = seen_of(&v, pid);
		printf("# %lu hits, %lu branches\n", hits(), s.branches);
		check(hits() == 100);
		check(s.stop[PITRACE_ITRACE_DEBUGGER] == 1 && s.branches >= 1);
		unview(&v);
	}
	done(&g);
	check(put_in(ENABLE, "0") && put_in(EVENTS, "-:uprobes/itrace"));
	no_session_left();
}

#endif
