/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Processes that hold something: that they begin, answer, and that each is gone after its last
 * answer, after a signal, when it could not begin and when nobody hears how it began. They are
 * nobody's children; here they become ours, so that their ends are waited for.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "base/service.h"
#include "session/holder.h"
#include "base/rc.h"
#include "unit.h"

#define WHO  1
#define STOP 2

static char folder[] = "/tmp/held.XXXXXX";
static struct sockaddr_un address = { .sun_family = AF_UNIX };
static int begins_with;
static pid_t newest; /* holder that answered */

static bool answer(void *arg, int fd, uint32_t op);

static int begin(void *arg)
{
	(void)arg;
	return begins_with ? rc_fail(begins_with, "it cannot begin") : PI_OK;
}

static const struct service service = {
	.named = "PITRACE_TEST_HELD",
	.leaf = "test",
	.version = 3,
	.holder = "the holder of tests",
	.none = "nothing is held",
	.not_owner = "it is another's",
	.busy = "it is held",
	.restart_hint = "begin again",
	.begin = begin,
	.answer = answer,
};
/* The same of another release. */
static struct service later;

static bool answer(void *arg, int fd, uint32_t op)
{
	pid_t pid = getpid();

	(void)arg;
	if (op == STOP)
		service_withdraw(&service);
	service_send(fd, &pid, sizeof(pid), -1);
	return op == STOP;
}

/* Our own children are waited for elsewhere: whoever ends now was a holder. One that stays alive is
 * told by -1, after half a minute, and ended. */
static int ended(void)
{
	const struct timespec some = { .tv_nsec = 10000000 };
	int status = 0;
	pid_t pid = 0;

	for (int i = 0; i < 3000 && !(pid = waitpid(-1, &status, WNOHANG)); i++)
		nanosleep(&some, NULL);
	if (!pid && newest > 0) {
		kill(newest, SIGKILL);
		waitpid(newest, &status, 0);
	}
	return pid <= 0 ? -1 : WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static bool nobody(void)
{
	return waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD;
}

static pid_t ask(const struct service *h, uint32_t op)
{
	int fd = service_request(h, op);
	pid_t pid = -1;

	if (fd < 0)
		return fd;
	if (service_receive(fd, &pid, sizeof(pid), NULL) != (ssize_t)sizeof(pid))
		pid = 0;
	if (pid > 0)
		newest = pid;
	close(fd);
	return pid;
}

static void set_up(void)
{
	CU_ASSERT_EQUAL_FATAL(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(folder));
	snprintf(address.sun_path, sizeof(address.sun_path), "%s/socket", folder);
	setenv("PITRACE_TEST_HELD", address.sun_path, 1);
	later = service;
	later.version++;
}

static void answers(void)
{
	struct stat st;
	pid_t pid;

	CU_ASSERT_EQUAL(ask(&service, WHO), PI_NOT_INITIALIZED);
	CU_ASSERT_STRING_EQUAL(TraceLastError(), "nothing is held");
	CU_ASSERT_EQUAL_FATAL(service_begin(&service, NULL), PI_OK);
	pid = ask(&service, WHO);
	CU_ASSERT(pid > 0 && pid != getpid());
	CU_ASSERT_NOT_EQUAL(getsid(pid), getsid(0));
	CU_ASSERT_EQUAL(ask(&service, WHO), pid);
	CU_ASSERT_EQUAL(service_begin(&service, NULL), PI_BUSY);
	CU_ASSERT_STRING_EQUAL(TraceLastError(), "it is held");
	CU_ASSERT_EQUAL(ask(&later, WHO), 0);
	CU_ASSERT_EQUAL(stat(address.sun_path, &st), 0);
	CU_ASSERT_EQUAL(st.st_mode & 077, 0);
	CU_ASSERT_EQUAL(ask(&service, WHO), pid);
	CU_ASSERT_EQUAL(ask(&service, STOP), pid);
	CU_ASSERT_EQUAL(ended(), 0);
	CU_ASSERT_EQUAL(access(address.sun_path, F_OK), -1);
	CU_ASSERT(nobody());
}

static void signals(void)
{
	static const int end[] = { SIGTERM, SIGHUP }, ignored[] = { SIGINT, SIGQUIT, SIGPIPE };
	pid_t pid;

	for (size_t i = 0; i < 2; i++) {
		CU_ASSERT_EQUAL_FATAL(service_begin(&service, NULL), PI_OK);
		pid = ask(&service, WHO);
		CU_ASSERT_FATAL(pid > 0);
		for (size_t k = 0; k < 3; k++)
			kill(pid, ignored[k]);
		CU_ASSERT_EQUAL(ask(&service, WHO), pid);
		kill(pid, end[i]);
		CU_ASSERT_EQUAL(ended(), 0);
		CU_ASSERT_EQUAL(access(address.sun_path, F_OK), -1);
		CU_ASSERT(nobody());
	}
}

static void cannot_begin(void)
{
	begins_with = PI_NO_MEMORY;
	CU_ASSERT_EQUAL(service_begin(&service, NULL), PI_NO_MEMORY);
	CU_ASSERT_STRING_EQUAL(TraceLastError(), "it cannot begin");
	CU_ASSERT_EQUAL(ended(), 1);
	CU_ASSERT_EQUAL(access(address.sun_path, F_OK), -1);
	begins_with = 0;
	CU_ASSERT(nobody());
}

/* What stands in the place is no socket, and stays. */
static void place_is_taken(void)
{
	struct stat st;
	FILE *f = fopen(address.sun_path, "w");

	CU_ASSERT_PTR_NOT_NULL_FATAL(f);
	fclose(f);
	CU_ASSERT(service_begin(&service, NULL) < 0);
	CU_ASSERT_EQUAL(ended(), 1);
	CU_ASSERT(!lstat(address.sun_path, &st) && S_ISREG(st.st_mode));
	unlink(address.sun_path);
	CU_ASSERT_EQUAL(symlink("elsewhere", address.sun_path), 0);
	CU_ASSERT(service_begin(&service, NULL) < 0);
	CU_ASSERT_EQUAL(ended(), 1);
	CU_ASSERT(!lstat(address.sun_path, &st) && S_ISLNK(st.st_mode));
	unlink(address.sun_path);
	CU_ASSERT(nobody());
}

/* A socket that a killed one left is taken over; one that is listened at is not. */
static void left_over(void)
{
	int fd = service_bind(&address);

	CU_ASSERT_FATAL(fd >= 0);
	CU_ASSERT_EQUAL(service_bind(&address), -EADDRINUSE);
	close(fd);
	CU_ASSERT_EQUAL(ask(&service, WHO), PI_HOLDER_GONE);
	CU_ASSERT_PTR_NOT_NULL(strstr(TraceLastError(), "was killed"));
	CU_ASSERT_EQUAL(service_begin(&service, NULL), PI_OK);
	CU_ASSERT(ask(&service, STOP) > 0);
	CU_ASSERT_EQUAL(ended(), 0);
	CU_ASSERT(nobody());
}

/* Nobody reads the report: whoever started it is gone. */
static void starter_is_gone(void)
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		/* Our end of its pipe goes with us: it writes into nothing. */
		int ends[2];

		signal(SIGPIPE, SIG_IGN);
		if (pipe(ends))
			_exit(9);
		close(ends[0]);
		_exit(service_report(ends[1], "x", 1) ? 1 : 0);
	}
	CU_ASSERT_EQUAL(waitpid(pid, &status, 0), pid);
	CU_ASSERT_EQUAL(status, 0);
}

/* A session's holder: gone after free, by a signal, and when it could not begin. */
static int session(const char *collector)
{
	struct tracer_options o;

	tracer_defaults(&o);
	o.collector = collector;
	o.mode = TRACE_NORMAL;
	return holder_start(&o);
}

static int session_ends(void)
{
	struct holder_request q = {
		.size = sizeof(q),
		.version = HOLDER_VERSION,
		.op = HOLDER_TERMINATE,
	};

	return holder_call(&q, NULL);
}

/* What is asked is what was set. */
static void is_controlled(void)
{
	CU_ASSERT_EQUAL(IsTraceActive(), 1);
	CU_ASSERT_EQUAL(IsTraceOn(), 0);
	CU_ASSERT_EQUAL(IsContMode(), 0);
	CU_ASSERT_EQUAL(IsWrapMode(), 0);
	CU_ASSERT_EQUAL(TraceGetIntervalId(), 0);
	CU_ASSERT_EQUAL(TraceQueryMajor(PITRACE_MTE), 1);
	CU_ASSERT_EQUAL(TraceQueryMajor(PITRACE_TPROF), 0);
	CU_ASSERT_EQUAL(TraceEnable(PITRACE_TPROF), PI_OK);
	CU_ASSERT_EQUAL(TraceQueryMajor(PITRACE_TPROF), 1);
	CU_ASSERT_EQUAL(TraceDisable(PITRACE_TPROF), PI_OK);
	CU_ASSERT_EQUAL(TraceQueryMajor(PITRACE_TPROF), 0);
	CU_ASSERT_EQUAL(TraceEnable(PITRACE_TPROF), PI_OK);
	CU_ASSERT_EQUAL(TraceQueryMajor(PITRACE_TPROF), 1);
	CU_ASSERT_EQUAL(TraceQueryMajor(-1), PI_INVALID_ARGUMENT);
	CU_ASSERT_EQUAL(TraceQueryMajor(PITRACE_MAJORS), PI_INVALID_ARGUMENT);
	CU_ASSERT_EQUAL(TraceOn(), PI_OK);
	CU_ASSERT_EQUAL(IsTraceOn(), 1);
	CU_ASSERT_EQUAL(TraceGetIntervalId(), 1);
	CU_ASSERT(TraceOn() < 0);
	CU_ASSERT_EQUAL(TraceSuspend(), PI_OK);
	CU_ASSERT_EQUAL(IsTraceOn(), 1);
	CU_ASSERT_EQUAL(TraceResume(), PI_OK);
	CU_ASSERT_EQUAL(TraceOff(), PI_OK);
	CU_ASSERT_EQUAL(IsTraceOn(), 0);
	CU_ASSERT_EQUAL(IsTraceActive(), 1);
}

static void of_a_session(void)
{
	setenv("PITRACE_SOCKET", address.sun_path, 1);
	CU_ASSERT_NOT_EQUAL(session("timer"), PI_OK); /* it has no sessions of the system */
	CU_ASSERT_EQUAL(ended(), 1);
	CU_ASSERT_EQUAL(access(address.sun_path, F_OK), -1);
	CU_ASSERT_EQUAL(session_ends(), PI_NOT_INITIALIZED);
	CU_ASSERT_EQUAL(IsTraceActive(), 0);
	CU_ASSERT_EQUAL(IsTraceOn(), 0);
	CU_ASSERT_EQUAL(TraceOn(), PI_NOT_INITIALIZED);
	if (session("perf") == PI_OK) {
		is_controlled();
		CU_ASSERT_EQUAL(session("perf"), PI_BUSY);
		CU_ASSERT_EQUAL(session_ends(), PI_OK);
		CU_ASSERT_EQUAL(ended(), 0);
		CU_ASSERT_EQUAL(access(address.sun_path, F_OK), -1);
	} else {
		CU_ASSERT_EQUAL(ended(), 1);
		printf("# perf does not work here: %s\n", TraceLastError());
	}
	CU_ASSERT(nobody());
	CU_ASSERT_EQUAL(IsTraceActive(), 0);
	CU_ASSERT_EQUAL(session_ends(), PI_NOT_INITIALIZED);
	CU_ASSERT_EQUAL(rmdir(folder), 0);
}

int main(void)
{
	static const struct unit_test tests[] = { { "set_up", set_up },
						  { "answers", answers },
						  { "signals", signals },
						  { "cannot_begin", cannot_begin },
						  { "place_is_taken", place_is_taken },
						  { "left_over", left_over },
						  { "starter_is_gone", starter_is_gone },
						  { "of_a_session", of_a_session },
						  { NULL, NULL } };

	return unit_run("service", tests);
}
