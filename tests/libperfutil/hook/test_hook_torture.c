// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * TraceHook while everything changes at once: threads begin and end, children are forked, signals
 * come 10,000 times a second and write, too, the library is opened and closed, sessions begin and
 * end. Nobody hangs or dies, errno stays, and what TraceHook said of its records is true.
 * For longer (tests/torture): HOOK_TORTURE_SECONDS, and HOOK_TORTURE_THREADS at a time.
 */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
#include "hook/hookfile.h"
#include "file/record_walk.h"
#include "base/now.h"
#include "unit.h"

#define MAJOR       0xD2
#define WRITERS     4
#define THREADS_MAX 1000 /* of a writer, at a time */

static const uint64_t majors[4] = { [MAJOR / 64] = 1ull << MAJOR % 64, [2] = ~0ull };
static char top[] = "/tmp/hook_torture.XXXXXX", folder[64], library[4200];
static uint64_t records;
static unsigned int threads = 8;   /* … */
static uint64_t seconds = 1, most; /* of the first test; of the second */

/* The sums over all processes. */
static struct {
	_Atomic uint64_t ok, full, nobody, other, errnos, threads, forks, signals, opened;
	_Atomic bool over;
	char why[200]; /* the first of the others */
} * told;

static int sink(void *arg, const void *segment, size_t size)
{
	struct pitrace_segment h;
	struct record_walk w;
	struct record r;

	(void)arg;
	if (record_walk_begin(&w, segment, size, &h))
		return -EBADMSG;
	while (record_next(&w, &r) > 0)
		records += r.major == MAJOR;
	return 0;
}

static void put(int strings)
{
	const char *word = "torture";
	uint64_t value = 4711;
	int rc;

	errno = 4711;
	rc = (TraceHook)(0, MAJOR, 1, 1, strings, &value, NULL, &word);
	told->errnos += errno != 4711;
	if (rc == 0)
		told->ok++;
	else if (rc == PI_BUFFER_FULL)
		told->full++;
	else if (rc == TRACE_NOBODY)
		told->nobody++;
	else if (!told->other++)
		snprintf(told->why, sizeof(told->why), "%s", TraceLastError());
}

static void on_alarm(int number)
{
	int saved = errno;

	(void)number;
	put(1);
	told->signals++;
	errno = saved;
}

static void *short_life(void *arg)
{
	for (int i = 0; i < 50; i++)
		put(i & 1);
	told->threads++;
	return arg;
}

static void fork_one(void)
{
	pid_t pid = fork();

	if (!pid) {
		for (int i = 0; i < 20; i++)
			put(i & 1);
		_exit(0);
	}
	if (pid > 0)
		waitpid(pid, NULL, 0);
	told->forks++;
}

static void open_and_close(void)
{
	void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);

	if (handle) {
		dlclose(handle);
		told->opened++;
	}
}

static _Noreturn void writer(unsigned int seed)
{
	static pthread_t thread[THREADS_MAX];
	struct itimerval often = { { 0, 100 }, { 0, 100 } };
	pthread_attr_t small;
	unsigned int turn = 0;

	/* A thousand of the usual stacks would be more than a machine may have. */
	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 256 << 10);
	signal(SIGALRM, on_alarm);
	setitimer(ITIMER_REAL, &often, NULL);
	while (!told->over) {
		unsigned int n = 0;

		/* On a machine that is busy there may be few rounds. */
		turn++;
		while (n < threads && !pthread_create(&thread[n], &small, short_life, NULL))
			n++;
		if (turn == 1 || rand_r(&seed) % 8 == 0)
			fork_one();
		if (turn == 1 || rand_r(&seed) % 32 == 0)
			open_and_close();
		while (n > 0)
			pthread_join(thread[--n], NULL);
	}
	_exit(0);
}

/* One session, that is read all the time, with writers that end before it does or after. */
static uint64_t session(bool stays)
{
	struct hooks *h = hooks_new(folder, (uid_t)-1, TRACER_TRACE_BYTES, 1);
	uint64_t lost, until = now_ns() + 300000000;

	CU_ASSERT_PTR_NOT_NULL_FATAL(h);
	CU_ASSERT_EQUAL(hooks_listen(h, majors), 0);
	while (stays ? waitpid(-1, NULL, WNOHANG) >= 0 : now_ns() < until) {
		CU_ASSERT_EQUAL(hooks_collect(h), 0);
		CU_ASSERT_EQUAL(hooks_drain(h, PITRACE_RING_TRACE, false, sink, NULL), 0);
		usleep(2000);
		if (stays && now_ns() > until + seconds * 1000000000u)
			told->over = true;
	}
	CU_ASSERT_EQUAL(hooks_listen(h, NULL), 0);
	do {
		CU_ASSERT_EQUAL(hooks_collect(h), 0);
		CU_ASSERT_EQUAL(hooks_drain(h, PITRACE_RING_TRACE, true, sink, NULL), 0);
	} while (hooks_pending(h));
	lost = hooks_lost(h);
	hooks_free(h);
	return lost;
}

static void start(pid_t pid[WRITERS])
{
	memset(told, 0, sizeof(*told));
	records = 0;
	for (unsigned int i = 0; i < WRITERS; i++) {
		pid[i] = fork();
		if (!pid[i])
			writer(i + (unsigned int)now_ns());
	}
}

static void say(void)
{
	printf("# %llu written, %llu lost, %llu read; %llu threads, %llu forks, %llu signals, %llu times opened\n",
	       (unsigned long long)told->ok, (unsigned long long)told->full,
	       (unsigned long long)records, (unsigned long long)told->threads,
	       (unsigned long long)told->forks, (unsigned long long)told->signals,
	       (unsigned long long)told->opened);
	CU_ASSERT(told->ok > 100 && told->threads > 10 && told->signals > 10 && told->forks > 0);
	CU_ASSERT_EQUAL(told->errnos, 0);
	if (told->other)
		printf("# %llu others: %s\n", (unsigned long long)told->other, told->why);
	CU_ASSERT_EQUAL(told->other, 0);
}

/* All is accounted for while the session outlives its programs. */
static void test_one_session(void)
{
	pid_t pid[WRITERS];
	uint64_t lost;

	start(pid);
	lost = session(true);
	say();
	CU_ASSERT_EQUAL(records, told->ok);
	CU_ASSERT_EQUAL(lost, told->full);
}

/* Programs outlive sessions: all of them end by themselves. */
static void test_sessions(void)
{
	uint64_t until = now_ns() + most * 1000000000u;
	pid_t pid[WRITERS];
	int status;

	start(pid);
	while (now_ns() < until) {
		session(false);
		usleep(20000);
	}
	told->over = true;
	/* They end their round first, which on a busy machine takes as long as the test did. */
	until = now_ns() + (30 + 2 * most) * 1000000000u;
	for (int i = 0; i < WRITERS; i++) {
		status = -1;
		while (waitpid(pid[i], &status, WNOHANG) != pid[i] && now_ns() < until)
			usleep(10000);
		CU_ASSERT_EQUAL(status, 0);
		kill(pid[i], SIGKILL);
	}
	say();
	CU_ASSERT(records > 0 && records <= told->ok);
}

static unsigned int number(const char *name, unsigned int usual)
{
	const char *given = getenv(name);

	return given ? (unsigned int)atoi(given) : usual;
}

int main(void)
{
	static const struct unit_test tests[] = {
		{ "one_session", test_one_session },
		{ "sessions", test_sessions },
		{ NULL, NULL },
	};
	char path[300];
	ssize_t n = readlink("/proc/self/exe", library, sizeof(library) - 64);
	int code;

	most = number("HOOK_TORTURE_SECONDS", 3);
	seconds = most > 3 ? most : 1;
	threads = number("HOOK_TORTURE_THREADS", threads * WRITERS) / WRITERS;
	if (!threads || threads > THREADS_MAX)
		return 2;
	told = mmap(NULL, sizeof(*told), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (n < 0 || told == MAP_FAILED || !mkdtemp(top))
		return 1;
	library[n] = 0;
	strcpy(strrchr(library, '/'), "/../../lib/libperfutil.so");
	snprintf(folder, sizeof(folder), "%s/s.hooks", top);
	snprintf(path, sizeof(path), "%s/s", top);
	setenv("PITRACE_SOCKET", path, 1);
	unsetenv(HOOKFILE_ENV);
	code = unit_run("hook_torture", tests);
	snprintf(path, sizeof(path), "%s/s.listen", top);
	unlink(path);
	rmdir(top);
	return code;
}
