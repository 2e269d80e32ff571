/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How a program that may not open the device gets a hook descriptor from a session's holder. The
 * driver's descriptor is another file's here (the linker puts it in place), all else is real.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "collect/driver/driver_hook.h"
#include "session/holder.h"
#include "unit.h"

int __wrap_driver_hook_open(void);
bool __wrap_session_by_driver(const struct tracer *t);

uid_t __wrap_geteuid(void);
uid_t __real_geteuid(void);
DIR *__wrap_opendir(const char *name);
DIR *__real_opendir(const char *name);

static bool by_files, refused;
static uid_t strange; /* this process is that user, if not 0 */
static unsigned int opened;
static char address[] = "/tmp/holder.XXXXXX";
static struct stat given;
static int file, listener;

int __wrap_driver_hook_open(void)
{
	errno = EACCES;
	return refused ? -1 : dup(file);
}

bool __wrap_session_by_driver(const struct tracer *t)
{
	(void)t;
	return !by_files;
}

uid_t __wrap_geteuid(void)
{
	return strange ? strange : __real_geteuid();
}

DIR *__wrap_opendir(const char *name)
{
	opened++;
	return __real_opendir(name);
}

static void make_socket(void)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };

	file = memfd_create("hook", MFD_CLOEXEC);
	CU_ASSERT_EQUAL_FATAL(fstat(file, &given), 0);
	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(address));
	snprintf(a.sun_path, sizeof(a.sun_path), "%s/socket", address);
	listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	CU_ASSERT_EQUAL_FATAL(bind(listener, (struct sockaddr *)&a, sizeof(a)), 0);
	CU_ASSERT_EQUAL_FATAL(listen(listener, 0), 0);
	setenv("PITRACE_SOCKET", a.sun_path, 1);
	unit_keep_files();
}

/* Answers as swtrace run does, in a separate process. */
static int ask(void)
{
	struct tracer_options o;
	int rc, hook, status = -1;
	pid_t pid = fork();

	if (!pid) {
		struct tracer *t;

		setenv("PITRACE_TIMER_LIBRARY", "/proc/self/exe", 1);
		tracer_defaults(&o);
		o.scope = TRACE_PROCESS;
		o.collector = "timer";
		t = tracer_open(&o, &rc);
		if (t)
			tracer_serve(t, listener, (uid_t)-1);
		tracer_close(t);
		_exit(!t);
	}
	hook = holder_hook();
	CU_ASSERT_EQUAL(waitpid(pid, &status, 0), pid);
	CU_ASSERT_EQUAL(status, 0);
	return hook;
}

static void gives_one(void)
{
	struct stat got;
	int hook = ask();

	CU_ASSERT_FATAL(hook >= 0);
	CU_ASSERT_EQUAL(fstat(hook, &got), 0);
	CU_ASSERT_EQUAL(got.st_ino, given.st_ino);
	CU_ASSERT_EQUAL(got.st_dev, given.st_dev);
	/* Not for the programs that it executes. */
	CU_ASSERT_EQUAL(fcntl(hook, F_GETFD), FD_CLOEXEC);
	close(hook);
}

static void gives_none(void)
{
	by_files = true;
	CU_ASSERT_EQUAL(ask(), -1);
	by_files = false;
	refused = true;
	CU_ASSERT_EQUAL(ask(), -1);
	refused = false;
}

static double seconds_of_asking(void)
{
	struct timespec a, b;

	clock_gettime(CLOCK_MONOTONIC, &a);
	CU_ASSERT_EQUAL(holder_hook(), -1);
	clock_gettime(CLOCK_MONOTONIC, &b);
	return (double)(b.tv_sec - a.tv_sec) + (double)(b.tv_nsec - a.tv_nsec) / 1e9;
}

/* A holder that says nothing holds nobody up for long; one whose queue is full, not at all: who
 * would still be waiting there is told by the alarm. */
static void is_silent(void)
{
	CU_ASSERT(seconds_of_asking() >= 1.9);
	alarm(60);
	/* That request stands in the queue, which has room for no other. */
	CU_ASSERT(seconds_of_asking() < 1.9);
	alarm(0);
}

static void is_none(void)
{
	close(listener);
	CU_ASSERT_EQUAL(holder_hook(), -1);
	setenv("PITRACE_SOCKET", "/nowhere/socket", 1);
	CU_ASSERT_EQUAL(holder_hook(), -1);
}

/* The folder that is this user's is another's: it is looked for without allocating, for TraceHook
 * may be in a signal handler. */
static void is_taken(void)
{
	char folder[64];

	unsetenv("PITRACE_SOCKET");
	unsetenv("XDG_RUNTIME_DIR");
	for (uid_t uid = 3000000000u;; uid++) {
		snprintf(folder, sizeof(folder), "/tmp/pitrace-%u", uid);
		if (!mkdir(folder, 0755)) {
			strange = uid;
			break;
		}
		CU_ASSERT_EQUAL_FATAL(errno, EEXIST);
	}
	opened = 0;
	CU_ASSERT_EQUAL(holder_hook(), -1);
	CU_ASSERT_EQUAL(opened, 0);
	strange = 0;
	CU_ASSERT_EQUAL(rmdir(folder), 0);
}

int main(void)
{
	static const struct unit_test tests[] = {
		{ "make_socket", make_socket },
		{ "gives_one", gives_one },
		{ "gives_none", gives_none },
		{ "is_silent", is_silent },
		{ "is_none", is_none },
		{ "is_taken", is_taken },
		{ NULL, NULL },
	};
	char command[100];
	int rc = unit_run("holder", tests);

	snprintf(command, sizeof(command), "rm -rf %s", address);
	return system(command) || rc;
}
