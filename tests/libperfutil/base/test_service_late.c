/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Requests that come late: from a client that did not run between connect and send, and at a
 * holder that was stopped meanwhile. sendmsg is the test's own.
 */
#include <sys/syscall.h>

#include "held_service.h"

static int late_sends; /* which begin 2.5 s after they were called */

ssize_t sendmsg(int fd, const struct msghdr *m, int flags)
{
	if (late_sends) {
		late_sends--;
		usleep(2500000);
	}
	return syscall(SYS_sendmsg, fd, m, flags);
}

/* A client that does not run between connect and send is answered nevertheless; another client
 * that never sends is not, and what it sends later is for nobody. */
static void late_requests(void)
{
	struct service_question q = { sizeof(q), service.version, WHO, 0 };
	pid_t pid, got;
	int silent;

	CU_ASSERT_EQUAL_FATAL(start(), PI_OK);
	pid = ask(&service, WHO);
	late_sends = 1;
	CU_ASSERT_EQUAL(ask(&service, WHO), pid);
	CU_ASSERT_EQUAL(late_sends, 0);
	silent = service_connect(&address, true);
	CU_ASSERT(silent >= 0);
	CU_ASSERT_EQUAL(ask(&service, WHO), pid);
	CU_ASSERT(!service_send(silent, &q, sizeof(q), -1) ||
		  service_receive(silent, &got, sizeof(got), NULL) <= 0);
	close(silent);
	/* A late one of another release is told so. */
	late_sends = 1;
	CU_ASSERT_EQUAL(ask(&later, WHO), PI_HOLDER_GONE);
	CU_ASSERT_EQUAL(ask(&service, STOP), pid);
	CU_ASSERT_EQUAL(ended(), 0);
	CU_ASSERT(nobody());
}

/* A holder that is stopped while it waits for a request, and goes on, still waits for it. */
static void stopped_meanwhile(void)
{
	struct service_question q = { sizeof(q), service.version, WHO, 0 };
	pid_t pid, got = 0;
	int fd;

	CU_ASSERT_EQUAL_FATAL(start(), PI_OK);
	pid = ask(&service, WHO);
	fd = service_connect(&address, true);
	CU_ASSERT(fd >= 0);
	for (int i = 0; i < 5; i++) {
		usleep(50000);
		kill(pid, SIGSTOP);
		usleep(50000);
		kill(pid, SIGCONT);
	}
	usleep(50000);
	CU_ASSERT(service_send(fd, &q, sizeof(q), -1));
	CU_ASSERT(service_receive(fd, &got, sizeof(got), NULL) == (ssize_t)sizeof(got));
	CU_ASSERT_EQUAL(got, pid);
	close(fd);
	CU_ASSERT_EQUAL(ask(&service, STOP), pid);
	CU_ASSERT_EQUAL(ended(), 0);
	CU_ASSERT(nobody());
}

static void tear_down(void)
{
	CU_ASSERT_EQUAL(rmdir(folder), 0);
}

int main(int argc, char **argv)
{
	static const struct unit_test tests[] = {
		{ "set_up", set_up },
		{ "late_requests", late_requests },
		{ "stopped_meanwhile", stopped_meanwhile },
		{ "tear_down", tear_down },
		{ NULL, NULL },
	};

	be_held(argc, argv);
	return unit_run("service_late", tests);
}
