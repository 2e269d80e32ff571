// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Processes change their names and their memory, one case per call:
 *	lives CASE [MS]		names: COUNT
 * Each case works in functions named after it, so that the trace can be held against this source.
 */
#include <dlfcn.h>
#include <libgen.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "work.h"

static long work_ms = 50;
static char self[PATH_MAX];

WORKER(spin_work)
WORKER(before_rename)
WORKER(after_rename)
WORKER(leader_work)
WORKER(thread_work)
WORKER(vfork_parent)
WORKER(fork_child)
WORKER(clone_child)

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static void name_self(const char *name)
{
	prctl(PR_SET_NAME, name);
}

static void exec_self(const char *what)
{
	char number[24];

	snprintf(number, sizeof(number), "%ld", work_ms);
	execl(self, "lives", what, number, NULL);
	_exit(127);
}

static int reap(pid_t pid)
{
	int status;

	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		die("wait");
	return status != 0;
}

/* ---- names ----------------------------------------------------------------------------------- */

static int spin(void)
{
	spin_work(work_ms);
	return 0;
}

static int renames(void)
{
	name_self("old-name");
	before_rename(work_ms);
	name_self("new-name");
	after_rename(work_ms);
	return 0;
}

/* Records of names, as many as that. */
static int names(void)
{
	char name[16];
	long i;

	for (i = 0; i < work_ms; i++) {
		snprintf(name, sizeof(name), "name-%u", (unsigned int)i % 100000);
		name_self(name);
	}
	return 0;
}

static void *exec_from_thread(void *unused)
{
	(void)unused;
	name_self("not-leader");
	thread_work(work_ms);
	exec_self("spin");
	return NULL;
}

/* A thread that is not the leader execs: it becomes the process, with the leader's id. */
static int threadexec(void)
{
	pthread_t t;

	name_self("leader");
	if (pthread_create(&t, NULL, exec_from_thread, NULL))
		die("thread");
	leader_work(work_ms);
	pthread_join(t, NULL);
	return 1;
}

static void *named_thread(void *arg)
{
	char name[16];

	snprintf(name, sizeof(name), "worker-%ld", (long)arg);
	name_self(name);
	thread_work(work_ms);
	return NULL;
}

static int threads(void)
{
	static pthread_t t[500];
	pthread_attr_t attr;
	long i;

	name_self("manythreads");
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 64 * 1024);
	for (i = 0; i < 500; i++)
		if (pthread_create(&t[i], &attr, named_thread, (void *)i))
			die("thread");
	for (i = 0; i < 500; i++)
		pthread_join(t[i], NULL);
	return 0;
}

/* ---- children -------------------------------------------------------------------------------- */

static int vforks(void)
{
	pid_t pid;

	name_self("vforker");
	vfork_parent(work_ms);
	pid = vfork();
	if (!pid)
		exec_self("spin");
	return reap(pid);
}

/* One function of a library, for so long. */
static void run_in(void *lib, const char *symbol)
{
	int64_t end = clock_ns(CLOCK_THREAD_CPUTIME_ID) + work_ms * 1000000;
	void (*f)(void) = (void (*)(void))dlsym(lib, symbol);
	long rounds = 0;

	if (!f)
		die(symbol);
	do
		f();
	while (++rounds < ROUNDS(work_ms) || clock_ns(CLOCK_THREAD_CPUTIME_ID) < end);
}

static void *library(const char *name)
{
	static char path[PATH_MAX + 64];
	char exe[PATH_MAX];
	void *lib;

	snprintf(path, sizeof(path), "%s/%s", dirname(strcpy(exe, self)), name);
	lib = dlopen(path, RTLD_NOW);
	if (!lib)
		die(path);
	return lib;
}

/* A library mapped before the fork is named in the child, which never execs. */
static int forks(void)
{
	void *lib = library("libreuse_a.so");
	pid_t pid = fork();

	if (!pid) {
		name_self("forked");
		fork_child(work_ms);
		run_in(lib, "first_a");
		_exit(0);
	}
	return reap(pid);
}

/* A child that shares its parent's memory sees what the parent maps later. */
static void *later;
static int ready;

static int shared_child(void *unused)
{
	(void)unused;
	name_self("shares-memory");
	clone_child(work_ms);
	while (!__atomic_load_n(&ready, __ATOMIC_ACQUIRE))
		sched_yield();
	run_in(later, "first_b");
	return 0;
}

static int clones(void)
{
	static char stack[256 * 1024] __attribute__((aligned(16)));
	pid_t pid = clone(shared_child, stack + sizeof(stack), CLONE_VM | SIGCHLD, NULL);

	if (pid < 0)
		die("clone");
	later = library("libreuse_b.so");
	__atomic_store_n(&ready, 1, __ATOMIC_RELEASE);
	return reap(pid);
}

/* ---- memory ---------------------------------------------------------------------------------- */

static void phase(const char *name)
{
	printf("phase %s %lld\n", name, (long long)clock_ns(CLOCK_MONOTONIC));
	fflush(stdout);
}

/* One page in the middle of a library's code is made writable and then code again. */
static int mprotects(void)
{
	void *lib = library("libreuse_a.so");
	char *page = dlsym(lib, "middle_a");

	name_self("mprotector");
	phase("whole");
	run_in(lib, "first_a");
	run_in(lib, "middle_a");
	if (mprotect(page, WORK_PAGE, PROT_READ | PROT_WRITE))
		die("mprotect");
	*(volatile char *)(page + WORK_PAGE - 1) = 0x5A;
	phase("hole");
	run_in(lib, "first_a");
	run_in(lib, "last_a");
	if (mprotect(page, WORK_PAGE, PROT_READ | PROT_EXEC))
		die("mprotect");
	phase("mended");
	run_in(lib, "first_a");
	run_in(lib, "middle_a");
	run_in(lib, "last_a");
	phase("end");
	return 0;
}

/* Code moved to another place by mremap; the old place is gone. */
static int remaps(void)
{
	void *lib = library("libreuse_b.so");
	void *page = dlsym(lib, "middle_b"), *place;
	void (*moved)(void);
	long rounds = 0;
	int64_t end;

	name_self("remapper");
	run_in(lib, "middle_b");
	place = mmap(NULL, WORK_PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	place = mremap(page, WORK_PAGE, WORK_PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, place);
	moved = (void (*)(void))place;
	if (place == MAP_FAILED)
		die("mremap");
	end = clock_ns(CLOCK_THREAD_CPUTIME_ID) + work_ms * 1000000;
	phase("moved");
	do
		moved();
	while (++rounds < ROUNDS(work_ms) || clock_ns(CLOCK_THREAD_CPUTIME_ID) < end);
	phase("end");
	return 0;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		int (*run)(void);
	} cases[] = {
		{ "spin", spin },          { "rename", renames },
		{ "names", names },        { "threadexec", threadexec },
		{ "threads", threads },    { "vfork", vforks },
		{ "fork", forks },         { "clone", clones },
		{ "mprotect", mprotects }, { "mremap", remaps },
	};
	unsigned int i;

	if (readlink("/proc/self/exe", self, sizeof(self) - 1) < 0)
		die("exe");
	if (argc > 2)
		work_ms = atol(argv[2]);
	for (i = 0; argc > 1 && i < sizeof(cases) / sizeof(cases[0]); i++)
		if (!strcmp(argv[1], cases[i].name))
			return cases[i].run();
	fprintf(stderr, "usage: lives CASE [MS]\n");
	return 2;
}
