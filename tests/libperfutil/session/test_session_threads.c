/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Threads that begin and end the same thing at once: one of them does, the others are told what is
 * in their way, and no holder is left. test_session_threads.sh runs this under TSan, too.
 */
#include <ai.h>
#include <errno.h>
#include <itrace.h>
#include <perfutil.h>
#include <pthread.h>
#include <ptt.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include "base/now.h"
#include "unit.h"

#define THREADS 6
#define ROUNDS  8
#define MIX_NS  1500000000ull

static char folder[] = "/tmp/session_threads.XXXXXX", trace[64];

/* ---- all at once ----------------------------------------------------------------------------- */

static struct race {
	pthread_barrier_t gate;
	int (*function)(void);
	int rc[THREADS];
} race;

static void *runner(void *arg)
{
	int *rc = arg;

	pthread_barrier_wait(&race.gate);
	*rc = race.function();
	return NULL;
}

static void run_all(int (*function)(void))
{
	pthread_t threads[THREADS];

	race.function = function;
	CU_ASSERT_EQUAL_FATAL(pthread_barrier_init(&race.gate, NULL, THREADS), 0);
	for (int i = 0; i < THREADS; i++)
		CU_ASSERT_EQUAL_FATAL(pthread_create(&threads[i], NULL, runner, &race.rc[i]), 0);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	pthread_barrier_destroy(&race.gate);
}

/* How many got this code, and that nobody got any other but `also`. */
static int got(int rc, int also)
{
	int n = 0;

	for (int i = 0; i < THREADS; i++) {
		n += race.rc[i] == rc;
		if (race.rc[i] != rc && race.rc[i] != also)
			printf("# a thread got %d (%s)\n", race.rc[i], RcToString(race.rc[i]));
		CU_ASSERT(race.rc[i] == rc || race.rc[i] == also);
	}
	return n;
}

static void one_wins(int (*function)(void), int others)
{
	run_all(function);
	CU_ASSERT_EQUAL(got(PI_OK, others), 1);
}

static void all_may(int (*function)(void))
{
	run_all(function);
	CU_ASSERT_EQUAL(got(PI_OK, PI_OK), THREADS);
}

/* Holders are adopted by this process, and end soon after their sessions. */
static void nobody_is_left(void)
{
	const struct timespec some = { .tv_nsec = 5000000 };
	int left = 0;

	CU_ASSERT_EQUAL(access(getenv("PITRACE_SOCKET"), F_OK), -1);
	for (int i = 0; i < 4000 && left >= 0; i++) {
		left = waitpid(-1, NULL, WNOHANG);
		if (!left)
			nanosleep(&some, NULL);
	}
	CU_ASSERT(left < 0 && errno == ECHILD);
}

/* ---- sessions -------------------------------------------------------------------------------- */

static int init(void)
{
	return TraceInit(0);
}

/* False: perf records nothing for this user here. */
static bool configure(void)
{
	int rc;

	CU_ASSERT_EQUAL(TraceSetCollector("perf"), PI_OK);
	CU_ASSERT_EQUAL(TraceSetScope(TRACE_PROCESS, getpid()), PI_OK);
	CU_ASSERT_EQUAL(TraceSetMode(TRACE_CONTINUOUS), PI_OK);
	CU_ASSERT_EQUAL(TraceSetName(trace), PI_OK);
	rc = TraceInit(0);
	if (rc == PI_NO_PERMISSION || rc == PI_NOT_SUPPORTED) {
		unit_skip(NULL, TraceLastError());
		return false;
	}
	CU_ASSERT_EQUAL(rc, PI_OK);
	CU_ASSERT_EQUAL(TraceTerminate(), PI_OK);
	return true;
}

static void sessions(void)
{
	if (!configure())
		return;
	for (int i = 0; i < ROUNDS; i++) {
		one_wins(init, PI_BUSY);
		CU_ASSERT_EQUAL(IsTraceActive(), 1);
		one_wins(TraceOn, PI_INCORRECT_STATE);
		all_may(TraceSuspend);
		all_may(TraceResume);
		one_wins(TraceOff, PI_INCORRECT_STATE);
		one_wins(TraceTerminate, PI_NOT_INITIALIZED);
		CU_ASSERT_EQUAL(IsTraceActive(), 0);
	}
	nobody_is_left();
}

/* ---- settings -------------------------------------------------------------------------------- */

/* Each name is a whole one, and stays while other threads ask, too. */
static int name_again(void)
{
	const char *name;

	for (int i = 0; i < 200; i++) {
		if (TraceSetName(i & 1 ? "/tmp/a_name" : "/a_much_longer_name_of_a_file"))
			return PI_ERROR;
		name = TraceGetName();
		for (int k = 0; k < 20; k++)
			if (strcmp(name, "/tmp/a_name") &&
			    strcmp(name, "/a_much_longer_name_of_a_file"))
				return PI_ERROR;
	}
	return PI_OK;
}

static void settings(void)
{
	all_may(name_again);
	CU_ASSERT_EQUAL(TraceSetName(NULL), PI_OK);
}

/* ---- everything ------------------------------------------------------------------------------ */

/* A call may also be refused because other threads have just changed the state. */
static bool may_be(int rc)
{
	return rc >= 0 || rc == PI_NOT_INITIALIZED || rc == PI_BUSY || rc == PI_INCORRECT_STATE;
}

static int any_call(unsigned int which)
{
	struct trace_info info;

	switch (which % 20) {
	case 0:
	case 1:
	case 2:
		return TraceInit(0);
	case 3:
		return TraceTerminate();
	case 4:
	case 5:
		return TraceOn();
	case 6:
		return TraceOff();
	case 7:
		return TraceSuspend();
	case 8:
		return TraceResume();
	case 9:
		return TraceDiscard();
	case 10:
		return TraceEnable(PITRACE_USER_FIRST);
	case 11:
		return TraceDisable(PITRACE_USER_FIRST);
	case 12:
		return TraceQueryMajor(PITRACE_USER_FIRST);
	case 13:
		return TraceGetInfo(&info);
	case 14:
		return IsTraceOn();
	case 15:
		return IsContMode();
	case 16:
		return TraceGetIntervalId();
	case 17:
		return TraceSetSectionSize(65536);
	case 18:
		return SetProfilerRate(200);
	}
	return *TraceGetName() == '/' ? PI_OK : PI_ERROR;
}

static int mix(void)
{
	static unsigned int seeds;
	unsigned int seed = __atomic_add_fetch(&seeds, 7919, __ATOMIC_RELAXED);
	uint64_t until = now_ns() + MIX_NS;

	while (now_ns() < until) {
		unsigned int which = (unsigned int)rand_r(&seed) % 20;
		int rc = any_call(which);

		if (!may_be(rc)) {
			printf("# call %u: %d, %s\n", which, rc, TraceLastError());
			return PI_ERROR;
		}
	}
	return PI_OK;
}

static void everything(void)
{
	if (!configure())
		return;
	all_may(mix);
	(void)TraceTerminate();
	nobody_is_left();
}

/* ---- instruction traces ---------------------------------------------------------------------- */

static pid_t traced;

static int itrace_init(void)
{
	return ITraceInit(ITRACE_USER);
}

static int choose(void)
{
	return ITraceEnablePid(traced);
}

static void instructions(void)
{
	int rc;

	CU_ASSERT_EQUAL(TraceSetCollector("ptrace"), PI_OK);
	CU_ASSERT_EQUAL(TraceSetName(trace), PI_OK);
	traced = fork();
	if (!traced) {
		pause();
		_exit(0);
	}
	for (int i = 0; i < ROUNDS / 2; i++) {
		one_wins(itrace_init, PI_INCORRECT_STATE);
		all_may(choose);
		rc = ITraceInstall();
		if (rc == PI_NO_PERMISSION || rc == PI_NOT_SUPPORTED) {
			unit_skip(NULL, TraceLastError());
			(void)ITraceTerminate();
			break;
		}
		CU_ASSERT_EQUAL(rc, PI_OK);
		/* A session that it began is ended with it. */
		CU_ASSERT_EQUAL(ITraceInit(ITRACE_USER), PI_INCORRECT_STATE);
		all_may(ITraceInstall);
		all_may(ITraceOn);
		all_may(ITraceOff);
		one_wins(ITraceTerminate, PI_NOT_INITIALIZED);
		CU_ASSERT_EQUAL(IsTraceActive(), 0);
	}
	kill(traced, SIGKILL);
	waitpid(traced, NULL, 0);
	nobody_is_left();
	CU_ASSERT_EQUAL(TraceSetCollector(NULL), PI_OK);
}

/* That of a session that is over does not stand in the way of the next. */
static void instructions_anew(void)
{
	CU_ASSERT_EQUAL(TraceSetCollector("ptrace"), PI_OK);
	CU_ASSERT_EQUAL(ITraceInit(ITRACE_USER), PI_OK);
	if (ITraceInstall() == PI_OK) {
		CU_ASSERT_EQUAL(TraceTerminate(), PI_OK);
		CU_ASSERT_EQUAL(ITraceInit(ITRACE_USER), PI_OK);
	}
	CU_ASSERT_EQUAL(ITraceTerminate(), PI_OK);
	nobody_is_left();
	CU_ASSERT_EQUAL(TraceSetCollector(NULL), PI_OK);
}

/* ---- metrics --------------------------------------------------------------------------------- */

static int ptt_init(void)
{
	static const char *const metrics[] = { "task-clock", "page-faults" };

	return PttInit(2, metrics, TRACE_PRIV_ANY);
}

static int ptt_use(void)
{
	struct ptt_thread_data data;
	struct ptt_info info;
	int rc = PttInitThread(0);

	if (!rc)
		rc = PttGetThreadData(0, &data);
	if (!rc)
		rc = PttGetInfo(&info);
	return rc ? rc : PttUninitThread(0);
}

static int ptt_mix(void)
{
	for (int i = 0; i < 20; i++) {
		int rc = i % 3 == 0 ? ptt_init() : i % 3 == 1 ? ptt_use() : PttTerminate();

		/* This thread is not in another PTT. */
		if (!may_be(rc) && rc != PI_NO_PROCESS)
			return rc;
	}
	return PI_OK;
}

static void metrics(void)
{
	int rc = ptt_init();

	if (rc == PI_NO_PERMISSION || rc == PI_NOT_SUPPORTED) {
		unit_skip(NULL, TraceLastError());
		return;
	}
	CU_ASSERT_EQUAL(rc, PI_OK);
	CU_ASSERT_EQUAL(PttTerminate(), PI_OK);
	for (int i = 0; i < ROUNDS; i++) {
		one_wins(ptt_init, PI_INCORRECT_STATE);
		all_may(ptt_use);
		one_wins(PttTerminate, PI_NOT_INITIALIZED);
	}
	all_may(ptt_mix);
	(void)PttTerminate();
}

static int ai_init(void)
{
	return AiInit();
}

static void idle(void)
{
	CU_ASSERT_EQUAL(AiSetCollector("proc"), PI_OK);
	for (int i = 0; i < ROUNDS; i++) {
		one_wins(ai_init, PI_INCORRECT_STATE);
		one_wins(AiTerminate, PI_NOT_INITIALIZED);
	}
}

/* ---- forks ----------------------------------------------------------------------------------- */

static bool stop;

static void *change_all_the_time(void *unused)
{
	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
		(void)SetProfilerRate(100);
		(void)TraceSetMode(TRACE_NORMAL);
		(void)ITraceInit(ITRACE_USER);
		(void)ITraceEnableAll();
		(void)ITraceTerminate();
	}
	return unused;
}

/* A child's calls return, whatever other threads of its parent were about. */
static void forks(void)
{
	pthread_t threads[3];
	int hung = 0, status;

	for (int i = 0; i < 3; i++)
		CU_ASSERT_EQUAL_FATAL(pthread_create(&threads[i], NULL, change_all_the_time, NULL),
				      0);
	for (int i = 0; i < 300 && !hung; i++) {
		pid_t pid = fork();

		if (!pid) {
			alarm(20);
			(void)TraceSetMode(TRACE_NORMAL);
			(void)ITraceInit(ITRACE_USER);
			_exit(ITraceTerminate() != PI_OK);
		}
		CU_ASSERT_EQUAL(waitpid(pid, &status, 0), pid);
		hung = status;
	}
	CU_ASSERT_EQUAL(hung, 0);
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
}

static void set_up(void)
{
	char path[4200];

	CU_ASSERT_EQUAL_FATAL(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/socket", folder);
	setenv("PITRACE_SOCKET", path, 1);
	snprintf(trace, sizeof(trace), "%s/a.nrm2", folder);
}

static void tear_down(void)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -rf %s", folder);
	CU_ASSERT_EQUAL(system(command), 0);
}

int main(void)
{
	static const struct unit_test tests[] = {
		{ "set_up", set_up },
		{ "sessions", sessions },
		{ "settings", settings },
		{ "everything", everything },
		{ "instructions", instructions },
		{ "instructions_anew", instructions_anew },
		{ "metrics", metrics },
		{ "idle", idle },
		{ "forks", forks },
		{ "tear_down", tear_down },
		{ NULL, NULL },
	};

	return unit_run("session_threads", tests);
}
