/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A service of the test's own, and the test as its program: the daemon that it starts becomes its
 * child, so that its end is waited for. be_held() comes first in main(), set_up() first among the
 * tests.
 */
#ifndef HELD_SERVICE_H
#define HELD_SERVICE_H

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/rc.h"
#include "base/service.h"
#include "unit.h"

#define WHO  1
#define STOP 2

/* The parameters of the service. */
struct wish {
	int rc;     /* it cannot begin */
	int signal; /* that comes while it begins */
	int ms;     /* for which it begins */
};

static char folder[] = "/tmp/held.XXXXXX";
static struct sockaddr_un address = { .sun_family = AF_UNIX };
static char *holder_program; /* the build's */
static pid_t newest;         /* holder that answered */

static bool answer(void *held, int fd, const void *request);

static void *begin(const void *start, size_t size, const char *at, int *rc)
{
	struct wish w = { 0 };

	(void)at;
	if (size == sizeof(w))
		memcpy(&w, start, size);
	*rc = w.rc ? rc_fail(w.rc, "it cannot begin") : PI_OK;
	if (w.signal)
		kill(getpid(), w.signal);
	usleep((useconds_t)w.ms * 1000);
	return w.rc ? NULL : &newest;
}

static const struct service service = {
	.kind = "test",
	.named = "PITRACE_TEST_HELD",
	.leaf = "test",
	.version = 3,
	.request = sizeof(struct service_question),
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

static bool answer(void *held, int fd, const void *request)
{
	uint32_t op = service_op(&service, request);
	pid_t pid = getpid();

	(void)held;
	if (op == STOP)
		service_withdraw();
	if (op)
		service_send(fd, &pid, sizeof(pid), -1);
	return op == STOP;
}

static inline int start(void)
{
	return service_begin(&service, NULL, 0);
}

/* Our own children are waited for elsewhere: whoever ends now was a holder. One that stays alive is
 * told by -1, after half a minute, and ended. */
static inline int ended(void)
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

static inline bool nobody(void)
{
	return waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD;
}

static inline pid_t ask(const struct service *h, uint32_t op)
{
	pid_t pid = -1;
	int fd = service_ask(h, op, &pid, sizeof(pid), NULL);

	if (fd < 0)
		return fd;
	if (pid > 0)
		newest = pid;
	close(fd);
	return pid;
}

static inline void set_up(void)
{
	CU_ASSERT_EQUAL_FATAL(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(folder));
	snprintf(address.sun_path, sizeof(address.sun_path), "%s/socket", folder);
	setenv("PITRACE_TEST_HELD", address.sun_path, 1);
	holder_program = strdup(getenv("PITRACE_HOLDER"));
	setenv("PITRACE_HOLDER", "/proc/self/exe", 1);
	later = service;
	later.version++;
}

/* Before anything else in main(): this program as the program of its services. */
static inline void be_held(int argc, char **argv)
{
	static const struct service *const held[] = { &service, NULL };

	if (argc == 2)
		_exit(service_program(held, argv[1]));
}

#endif
