// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * The timer's library in a program: this one, restarted by itself, with the library's objects
 * linked into it. It behaves as without (threads, fork, signals, libraries that are opened and
 * closed, a sandbox); the collector gets samples of all of it. A second start has no collector.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "collect/collectors.h"
#include "collect/timer/preload/layout.h"
#include "collect/timer/timer_session.h"
#include "records.h"

#define LIBRARY "libBrokenLocale.so.1" /* glibc's, that nothing uses */

/* ---- the program ----------------------------------------------------------------------------- */

static volatile unsigned long sink;

static uint64_t cpu_ms(void)
{
	struct timespec t;

	syscall(SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

/* Uses so much of the thread's CPU time. */
static __attribute__((noinline)) void spin(uint64_t ms)
{
	uint64_t until = cpu_ms() + ms;

	while (cpu_ms() < until)
		for (int i = 0; i < 100000; i++)
			sink += (unsigned long)i;
}

#define MUST(what)                                                    \
	do                                                            \
		if (!(what)) {                                        \
			fprintf(stderr, "%d: %s\n", __LINE__, #what); \
			_exit(1);                                     \
		}                                                     \
	while (0)

static void *thread(void *arg)
{
	MUST(errno == 0);
	prctl(PR_SET_NAME, arg, 0, 0, 0);
	spin(150);
	return arg;
}

static int do_threads(void)
{
	static char names[3][8] = { "one", "two", "three" };
	pthread_t t[3];
	void *got;

	for (int i = 0; i < 3; i++)
		MUST(!pthread_create(&t[i], NULL, thread, names[i]));
	for (int i = 0; i < 3; i++)
		MUST(!pthread_join(t[i], &got) && got == names[i]);
	return 0;
}

static void *nothing(void *arg)
{
	return arg;
}

/* Data that a thread leaves behind is reported at the end, as a leak. */
static int do_many(void)
{
	pthread_attr_t attr;
	pthread_t t;

	for (int i = 0; i < 500; i++)
		MUST(!pthread_create(&t, NULL, nothing, &attr) && !pthread_join(t, NULL));
	/* One that cannot be made. */
	MUST(!pthread_attr_init(&attr) && !pthread_attr_setstacksize(&attr, 1ul << 46));
	MUST(pthread_create(&t, &attr, nothing, NULL) != 0);
	MUST(!pthread_attr_destroy(&attr));
	return 0;
}

static int do_fork(void)
{
	int status;
	pid_t pid;

	spin(50);
	errno = 77;
	pid = fork();
	if (!pid) {
		MUST(errno == 77);
		spin(150);
		_exit(5);
	}
	return waitpid(pid, &status, 0) != pid || status != 5 << 8;
}

static volatile sig_atomic_t came;

static void on_signal(int number)
{
	came += number;
}

static void on_info(int number, siginfo_t *info, void *context)
{
	came += context && info->si_signo == number ? 1000 : 0;
}

/* The library's own signal is the program's too, as far as it can see. */
static int do_signals(void)
{
	struct sigaction a = { .sa_handler = on_signal }, old;
	bool traced = getenv(TIMER_VARIABLE);
	sigset_t all, was;

	MUST(!sigaction(TIMER_SIGNAL, NULL, &old) && old.sa_handler == SIG_DFL);
	MUST(!sigaction(TIMER_SIGNAL, &a, &old) && old.sa_handler == SIG_DFL);
	MUST(!sigaction(TIMER_SIGNAL, NULL, &old) && old.sa_handler == on_signal);
	raise(TIMER_SIGNAL);
	MUST(came == TIMER_SIGNAL);
	MUST(signal(TIMER_SIGNAL, SIG_IGN) == on_signal);
	raise(TIMER_SIGNAL);
	MUST(came == TIMER_SIGNAL);
	MUST(signal(TIMER_SIGNAL, on_signal) == SIG_IGN);
	MUST(!sigaction(TIMER_SIGNAL, NULL, &old) && old.sa_flags & SA_RESTART);
	a.sa_sigaction = on_info;
	a.sa_flags = SA_SIGINFO;
	MUST(!sigaction(TIMER_SIGNAL, &a, NULL));
	raise(TIMER_SIGNAL);
	MUST(came == TIMER_SIGNAL + 1000);
	/* Others are what they are. */
	a.sa_handler = on_signal;
	a.sa_flags = 0;
	came = 0;
	MUST(!sigaction(SIGUSR1, &a, &old) && old.sa_handler == SIG_DFL);
	MUST(signal(SIGUSR2, on_signal) == SIG_DFL && signal(SIGUSR2, on_signal) == on_signal);
	MUST(sigaction(SIGKILL, &a, NULL) == -1 && errno == EINVAL);
	raise(SIGUSR1);
	raise(SIGUSR2);
	MUST(came == SIGUSR1 + SIGUSR2);
	/* A program that blocks all signals is still sampled. */
	sigfillset(&all);
	MUST(!pthread_sigmask(SIG_SETMASK, &all, &was) && !sigismember(&was, TIMER_SIGNAL));
	MUST(!pthread_sigmask(SIG_BLOCK, NULL, &was) && sigismember(&was, SIGUSR1));
	MUST(sigismember(&was, TIMER_SIGNAL) == !traced);
	MUST(!sigprocmask(SIG_BLOCK, &all, &was) && sigismember(&was, SIGUSR2));
	MUST(!sigprocmask(SIG_SETMASK, NULL, &was) && sigismember(&was, TIMER_SIGNAL) == !traced);
	MUST(sigismember(&all, TIMER_SIGNAL)); /* the program's own set is not touched */
	spin(200);
	MUST(!sigprocmask(SIG_UNBLOCK, &all, NULL));
	MUST(!pthread_sigmask(SIG_BLOCK, NULL, &was) && !sigismember(&was, SIGUSR1));
	MUST(pthread_sigmask(1234, &all, NULL) == EINVAL);
	MUST(sigprocmask(1234, &all, NULL) == -1 && errno == EINVAL);
	return 0;
}

static int do_library(void)
{
	void *h;

	spin(30);
	h = dlopen(LIBRARY, RTLD_NOW);
	MUST(h && !dlclose(h));
	MUST(!dlopen("/nowhere.so", RTLD_NOW));
	h = dlopen(LIBRARY, RTLD_NOW);
	MUST(h != NULL);
	spin(30);
	return 0;
}

/* From the first sign of a sandbox no system call is made; samples go on; children are let go. */
static int do_sandbox(void)
{
	int status;
	pid_t pid;
	char name[16];

	MUST(!prctl(PR_SET_NAME, "boxed", 0, 0, 0) && !prctl(PR_GET_NAME, name, 0, 0, 0));
	MUST(!strcmp(name, "boxed"));
	MUST(prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 0);
	spin(50);
	MUST(!prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
	MUST(prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1);
	MUST(prctl(-1, 0, 0, 0, 0) == -1 && errno == EINVAL);
	spin(150);
	pid = fork();
	if (!pid) {
		spin(50);
		_exit(5);
	}
	return waitpid(pid, &status, 0) != pid || status != 5 << 8;
}

/* Reading the clock is forbidden: the thread is sampled no more, from before that on. */
static int do_no_clock(void)
{
	spin(100);
	MUST(!prctl(PR_SET_TSC, PR_TSC_ENABLE, 0, 0, 0));
	spin(100);
	MUST(!prctl(PR_SET_TSC, PR_TSC_SIGSEGV, 0, 0, 0));
	for (unsigned long i = 0; i < 300000000; i++)
		sink += i;
	_exit(0); /* what comes at an end may read it */
}

static const struct {
	const char *name;
	int (*run)(void);
} acts[] = {
	{ "threads", do_threads },   { "many", do_many },       { "fork", do_fork },
	{ "signals", do_signals },   { "library", do_library }, { "sandbox", do_sandbox },
	{ "no_clock", do_no_clock },
};

/* ---- the collector --------------------------------------------------------------------------- */

FILE *__real_fopen64(const char *path, const char *mode);
FILE *__wrap_fopen64(const char *path, const char *mode);

/* The test provides the program's mappings. */
FILE *__wrap_fopen64(const char *path, const char *mode)
{
	return strstr(path, "/maps") ? NULL : __real_fopen64(path, mode);
}

static struct trace_config config;
static struct backend *b;
static pid_t program;

/* Its exit code. */
static int run(const char *act, bool traced)
{
	static char why[600];
	char **v = NULL;
	int status = -1, rc;

	memset(&config, 0, sizeof(config));
	config.mode = PITRACE_MODE_CONTINUOUS;
	config.scope = PITRACE_SCOPE_PROCESS;
	config.rate = 100;
	config.dither = 1;
	config.segment_bytes = 65536;
	config.user = geteuid();
	config.majors[0] = 1ull << PITRACE_TPROF;
	config.stacks = PITRACE_WANT_USER;
	records_forget();
	setenv("PITRACE_TIMER_LIBRARY", "/proc/self/exe", 1);
	b = collector_timer.open(&config, &rc, why, sizeof(why));
	CU_ASSERT_FATAL(b != NULL);
	CU_ASSERT_EQUAL_FATAL(collector_timer.environment(b, &v), 0);
	CU_ASSERT_EQUAL(collector_timer.on(b, &config), 0);
	program = fork();
	CU_ASSERT_FATAL(program >= 0);
	if (!program) {
		if (traced)
			putenv(v[1]);
		execl("/proc/self/exe", "test_timer_preload", act, NULL);
		_exit(99);
	}
	while (waitpid(program, &status, WNOHANG) != program) {
		CU_ASSERT_EQUAL(collector_timer.drain(b, false, records_take, NULL), 0);
		usleep(5000);
	}
	CU_ASSERT_EQUAL(collector_timer.drain(b, true, records_take, NULL), 0);
	CU_ASSERT_EQUAL(collector_timer.off(b), 0);
	CU_ASSERT_EQUAL(collector_timer.drain(b, true, records_take, NULL), 0);
	collector_timer.close(b);
	for (char **at = v; *at; at++)
		free(*at);
	free(v);
	if (status)
		printf("# %s: status %x\n", act, (unsigned int)status);
	return status;
}

static unsigned int samples(uint32_t pid, uint32_t tid)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < ntold; i++)
		n += told[i].major == PITRACE_TPROF && told[i].sample.pid == pid &&
		     (!tid || told[i].sample.tid == tid);
	return n;
}

static const struct told *task(uint32_t minor, uint32_t tid)
{
	for (unsigned int n = 0;; n++) {
		const struct told *t = records_nth(PITRACE_MTE, minor, n);

		if (!t || t->task.tid == tid)
			return t;
	}
}

static const struct told *mapping(const char *name, unsigned int nth)
{
	for (unsigned int i = 0; i < ntold; i++)
		if (told[i].major == PITRACE_MTE && told[i].minor == PITRACE_MTE_MODULE &&
		    strstr(told[i].map.path, name) && !nth--)
			return &told[i];
	return NULL;
}

/* It begins with its name and what it maps, and ends. */
static void whole(void)
{
	CU_ASSERT_EQUAL(records_count(PITRACE_LOST, UINT32_MAX) -
				records_count(PITRACE_LOST, PITRACE_LOST_OVERRUN),
			0);
	CU_ASSERT_PTR_NOT_NULL(task(PITRACE_MTE_PROCESS, (uint32_t)program));
	CU_ASSERT_PTR_NOT_NULL(task(PITRACE_MTE_PROCESS_EXIT, (uint32_t)program));
	CU_ASSERT_PTR_NOT_NULL(mapping("test_timer_preload", 0));
	CU_ASSERT_PTR_NOT_NULL(mapping("libc.so", 0));
	/* A build id of the program itself, and of libraries. */
	CU_ASSERT(records_count(PITRACE_MTE, PITRACE_MTE_BUILDID) > 1);
}

static void threads(void)
{
	static const char *const names[] = { "one", "two", "three" };
	unsigned int with_stack = 0;

	CU_ASSERT_EQUAL(run("threads", true), 0);
	whole();
	CU_ASSERT_EQUAL(records_count(PITRACE_MTE, PITRACE_MTE_THREAD), 3);
	CU_ASSERT_EQUAL(records_count(PITRACE_MTE, PITRACE_MTE_THREAD_EXIT), 3);
	for (unsigned int i = 0; i < 3; i++) {
		const struct told *t = records_nth(PITRACE_MTE, PITRACE_MTE_THREAD_EXIT, i);
		bool is = false;

		CU_ASSERT_FATAL(t != NULL);
		for (int k = 0; k < 3; k++)
			is |= !strcmp(t->task.comm, names[k]);
		CU_ASSERT(is);
		CU_ASSERT(samples((uint32_t)program, t->task.tid) > 3);
	}
	for (unsigned int i = 0; i < ntold; i++)
		if (told[i].major == PITRACE_TPROF) {
			const struct pitrace_stack *k =
				(const void *)(told[i].data + sizeof(struct pitrace_sample));

			CU_ASSERT_EQUAL(told[i].minor, PITRACE_TPROF_USER | PITRACE_TPROF_STACK);
			with_stack += k->user > 2 && !(k->flags & PITRACE_STACK_NONE_U);
		}
	CU_ASSERT(with_stack > 10);
}

static void many(void)
{
	CU_ASSERT_EQUAL(run("many", true), 0);
	whole();
}

static void forks(void)
{
	const struct told *t;

	CU_ASSERT_EQUAL(run("fork", true), 0);
	whole();
	CU_ASSERT_EQUAL_FATAL(records_count(PITRACE_MTE, PITRACE_MTE_FORK), 1);
	t = records_nth(PITRACE_MTE, PITRACE_MTE_FORK, 0);
	CU_ASSERT(t->task.ppid == (uint32_t)program && samples(t->task.pid, t->task.pid) > 3);
	CU_ASSERT_PTR_NOT_NULL(task(PITRACE_MTE_PROCESS_EXIT, t->task.pid));
}

static void signals(void)
{
	CU_ASSERT_EQUAL(run("signals", true), 0);
	whole();
	CU_ASSERT(samples((uint32_t)program, (uint32_t)program) > 5);
}

static void library(void)
{
	const struct told *first, *second;

	CU_ASSERT_EQUAL(run("library", true), 0);
	whole();
	first = mapping("libBrokenLocale", 0);
	second = mapping("libBrokenLocale", 1);
	CU_ASSERT_FATAL(first && second && !mapping("libBrokenLocale", 2));
	CU_ASSERT_EQUAL(records_count(PITRACE_MTE, PITRACE_MTE_UNMAP), 1);
	CU_ASSERT_EQUAL(records_nth(PITRACE_MTE, PITRACE_MTE_UNMAP, 0)->unmap.start,
			first->map.start);
}

static void sandbox(void)
{
	CU_ASSERT_EQUAL(run("sandbox", true), 0);
	CU_ASSERT_PTR_NOT_NULL(task(PITRACE_MTE_PROCESS, (uint32_t)program));
	CU_ASSERT(samples((uint32_t)program, (uint32_t)program) > 7);
	CU_ASSERT_EQUAL(records_count(PITRACE_MTE, PITRACE_MTE_FORK), 0);
}

static void no_clock(void)
{
	const struct told *t;

	CU_ASSERT_EQUAL(run("no_clock", true), 0);
	CU_ASSERT(samples((uint32_t)program, (uint32_t)program) > 7);
	/* It had reported its end by then. */
	t = records_nth(PITRACE_TPROF, UINT32_MAX, samples((uint32_t)program, 0) - 1);
	CU_ASSERT(t != NULL);
	CU_ASSERT(samples((uint32_t)program, (uint32_t)program) < 40);
}

/* Without a collector it also does all that, and reports nothing. */
static void alone(void)
{
	for (size_t i = 0; i < sizeof(acts) / sizeof(*acts); i++)
		if (strcmp(acts[i].name, "no_clock")) {
			CU_ASSERT_EQUAL(run(acts[i].name, false), 0);
			CU_ASSERT_EQUAL(samples((uint32_t)program, 0), 0);
			CU_ASSERT_PTR_NULL(task(PITRACE_MTE_PROCESS, (uint32_t)program));
		}
}

#ifndef __x86_64__
static void no_clock(void)
{
	unit_skip(NULL, "its sandbox knows x86-64's system calls");
}
#endif

int main(int argc, char **argv)
{
	static const struct unit_test tests[] = {
		{ "threads", threads },   { "many", many },       { "forks", forks },
		{ "signals", signals },   { "library", library }, { "sandbox", sandbox },
		{ "no_clock", no_clock }, { "alone", alone },     {},
	};

	for (size_t i = 0; argc > 1 && i < sizeof(acts) / sizeof(*acts); i++)
		if (!strcmp(argv[1], acts[i].name))
			return acts[i].run();
	return unit_run("timer_preload", tests);
}
