/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Counters in a process of their own. A request is a packet, the answer a head and then the values,
 * so many a packet, all structs of one machine and one release.
 */
#include <counters.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "held.h"
#include "rc.h"

#define VERSION		1
#define A_PACKET	64u		/* values */

enum op { READ = 1, STOP };
struct request {
	uint32_t size, version, op, reserved;
};
struct answer {
	int32_t rc;
	uint32_t reserved;
	struct counters_held head;
	char why[512];
};

static void address(struct sockaddr_un *a)
{
	held_address(a, "PITRACE_COUNTERS", "pitrace-counters");
}

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* ---- holding --------------------------------------------------------------------------------- */

struct holding {
	const struct counters_options *options;
	struct counters *counters;
	struct counter_value *list;
	struct answer answer;
	uint64_t begun;
	int listener;
};

static volatile sig_atomic_t ended;

static void on_signal(int number)
{
	ended = number;
}

static void answer_with_values(struct holding *h, int fd)
{
	struct answer *a = &h->answer;
	int n = counters_read(h->counters, h->list, a->head.values);

	a->head.elapsed = now() - h->begun;
	a->rc = n < 0 ? n : PI_OK;
	snprintf(a->why, sizeof(a->why), "%s", n < 0 ? TraceLastError() : "");
	if (send(fd, a, sizeof(*a), MSG_NOSIGNAL) < 0 || n < 0)
		return;
	for (uint32_t i = 0; i < a->head.values; i += A_PACKET) {
		uint32_t some = a->head.values - i < A_PACKET ? a->head.values - i : A_PACKET;

		if (send(fd, &h->list[i], some * sizeof(*h->list), MSG_NOSIGNAL) < 0)
			return;
	}
}

/* One request, one a connection. True: it is the last. */
static bool serve(struct holding *h)
{
	struct timeval patience = { .tv_sec = 2 };
	int fd = accept4(h->listener, NULL, NULL, SOCK_CLOEXEC);
	struct sockaddr_un a;
	struct request q;
	bool stop = false;

	if (fd < 0)
		return false;
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
	if (held_trusts(fd, (uid_t)-1) && recv(fd, &q, sizeof(q), 0) == (ssize_t)sizeof(q) &&
	    q.size == sizeof(q) && q.version == VERSION && (q.op == READ || q.op == STOP)) {
		stop = q.op == STOP;
		if (stop) {
			counters_off(h->counters);
			/* Who hears the last values may begin anew. */
			address(&a);
			unlink(a.sun_path);
		}
		answer_with_values(h, fd);
	}
	close(fd);
	return stop;
}

static int begin(struct holding *h)
{
	struct counters_held *head = &h->answer.head;
	struct sockaddr_un a;
	int rc, n;

	h->counters = counters_open(h->options, &rc);
	if (rc)
		return rc;
	n = counters_read(h->counters, NULL, 0);
	if (n < 0)
		return n;
	h->list = calloc((size_t)n, sizeof(*h->list));
	if (!h->list)
		return rc_fail(PI_NO_MEMORY, "no memory for values");
	*head = (struct counters_held){
		.size = sizeof(*head), .version = VERSION, .holder = getpid(),
		.scope = h->options->scope, .pid = h->options->pid, .values = (uint32_t)n,
	};
	address(&a);
	h->listener = held_bind(&a);
	if (h->listener < 0)
		return rc_errno(h->listener, "%s", a.sun_path);
	h->begun = now();
	rc = counters_on(h->counters);
	if (rc)
		unlink(a.sun_path);
	return rc;
}

static void hold(void *arg, int pipe_fd)
{
	struct holding h = { .options = arg, .listener = -1 };
	struct sigaction action = { .sa_handler = on_signal };
	struct sockaddr_un a;

	h.answer.rc = begin(&h);
	snprintf(h.answer.why, sizeof(h.answer.why), "%s", h.answer.rc ? TraceLastError() : "");
	if (!held_report(pipe_fd, &h.answer, sizeof(h.answer)) || h.answer.rc)
		_exit(1);
	held_detach();
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGHUP, &action, NULL);
	signal(SIGINT, SIG_IGN);
	signal(SIGQUIT, SIG_IGN);
	while (!ended) {
		struct pollfd p = { .fd = h.listener, .events = POLLIN };

		if (poll(&p, 1, -1) > 0 && serve(&h))
			return;
	}
	address(&a);
	unlink(a.sun_path);
}

int counters_hold(const struct counters_options *options)
{
	struct counters_options copy = *options;
	struct answer answer;
	struct sockaddr_un a;
	ssize_t n;
	int fd;

	if (options->scope == COUNTERS_COMMAND)
		return rc_fail(PI_INVALID_ARGUMENT, "a command is its starter's child, no holder's");
	address(&a);
	fd = held_reach(&a, true);
	if (fd >= 0)
		close(fd);
	if (fd >= 0 || fd == -EPERM || fd == -EACCES)
		return rc_fail(PI_BUSY, "busy: counters are held already (mpevt read shows them, mpevt stop ends them)");
	n = held_start(hold, &copy, &answer, sizeof(answer));
	if (n < 0)
		return rc_errno((int)n, "starting the holder of counters");
	if (n != (ssize_t)sizeof(answer))
		return rc_fail(PI_HOLDER_GONE, "the holder of counters died before it began");
	return answer.rc ? rc_fail(answer.rc, "%s", answer.why) : PI_OK;
}

/* ---- asking ---------------------------------------------------------------------------------- */

static ssize_t receive(int fd, void *to, size_t size)
{
	ssize_t n;

	do
		n = recv(fd, to, size, 0);
	while (n < 0 && errno == EINTR);
	return n;
}

static int take(int fd, struct answer *a, struct counter_value *list, unsigned int room)
{
	struct counter_value some[A_PACKET];
	uint32_t got = 0;

	if (receive(fd, a, sizeof(*a)) != (ssize_t)sizeof(*a) || a->head.size != sizeof(a->head) ||
	    a->head.version != VERSION || a->head.values > INT32_MAX)
		return rc_fail(PI_HOLDER_GONE, "the holder of counters died, or is of another release");
	a->why[sizeof(a->why) - 1] = 0;
	if (a->rc)
		return rc_fail(a->rc < 0 ? a->rc : PI_ERROR, "%s", a->why);
	while (got < a->head.values) {
		ssize_t n = receive(fd, some, sizeof(some));
		uint32_t values = n > 0 ? (uint32_t)((size_t)n / sizeof(*some)) : 0;

		if (!values || values > a->head.values - got)
			return rc_fail(PI_HOLDER_GONE, "the holder of counters died");
		for (uint32_t i = 0; i < values && got + i < room; i++) {
			list[got + i] = some[i];
			list[got + i].name[sizeof(some[i].name) - 1] = 0;
		}
		got += values;
	}
	return (int)got;
}

int counters_ask(int stop, struct counters_held *held, struct counter_value *list,
		 unsigned int room)
{
	struct request q = { .size = sizeof(q), .version = VERSION, .op = stop ? STOP : READ };
	struct answer a;
	struct sockaddr_un s;
	int fd, n;

	address(&s);
	fd = held_reach(&s, true);
	if (fd == -ENOENT || fd == -ECONNREFUSED)
		return rc_fail(PI_NOT_INITIALIZED, "no counters are held (mpevt start begins)");
	if (fd == -EPERM || fd == -EACCES)
		return rc_fail(PI_NOT_OWNER, "the counters that are held belong to another user");
	if (fd < 0)
		return rc_errno(fd, "reaching the holder of counters");
	if (send(fd, &q, sizeof(q), MSG_NOSIGNAL) == (ssize_t)sizeof(q))
		n = take(fd, &a, list, room);
	else
		n = rc_fail(PI_HOLDER_GONE, "the holder of counters died");
	close(fd);
	if (n >= 0 && held)
		*held = a.head;
	return n;
}
