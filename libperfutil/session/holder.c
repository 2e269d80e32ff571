/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The holder process, and requests to it; holder_serve.c answers them. */
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include "base/service.h"
#include "session/holder.h"
#include "base/rc.h"

static void address(struct sockaddr_un *a, bool make)
{
	service_address(a, "PITRACE_SOCKET", "pitrace", make);
}

/* Socket name of a tracer that controls itself and lets its command do so: beside the holder's. */
static void own_address(struct sockaddr_un *a, char *path, size_t room)
{
	char folder[80];

	service_folder(folder, sizeof(folder), true);
	snprintf(path, room, "%s/pitrace-%d.sock", folder, getpid());
	memset(a, 0, sizeof(*a));
	a->sun_family = AF_UNIX;
	snprintf(a->sun_path, sizeof(a->sun_path), "%s", path);
}

void holder_hooks(char *path, size_t room)
{
	struct sockaddr_un a;

	address(&a, false);
	snprintf(path, room, "%s.hooks", a.sun_path);
}

/* ---- client ------------------------------------------------------------------------------- */

static int reach(bool wait)
{
	struct sockaddr_un a;

	address(&a, false);
	return service_connect(&a, wait);
}

int holder_call(const struct holder_request *request, struct holder_reply *reply)
{
	struct holder_reply own;
	ssize_t n;
	int fd = reach(true);

	if (!reply)
		reply = &own;
	if (fd == -ENOENT || fd == -ECONNREFUSED)
		return rc_fail(PI_NOT_INITIALIZED,
			       "there is no trace session (swtrace init begins one)");
	if (fd == -EPERM || fd == -EACCES)
		return rc_fail(PI_NOT_OWNER, "the trace session belongs to another user");
	if (fd < 0)
		return rc_errno(fd, "reaching the session's holder");
	n = service_send(fd, request, sizeof(*request), -1) ?
		    service_receive(fd, reply, sizeof(*reply), NULL) :
		    -1;
	close(fd);
	if (n != (ssize_t)sizeof(*reply) || reply->version != HOLDER_VERSION)
		return rc_fail(PI_HOLDER_GONE,
			       n > 0 ? "the session's holder is of another release" :
				       "the session's holder died; what was written stays readable");
	reply->why[sizeof(reply->why) - 1] = 0;
	return reply->rc ? rc_fail(reply->rc, "%s", reply->why) : PI_OK;
}

int holder_hook(void)
{
	static const struct holder_request q = {
		.size = sizeof(q),
		.version = HOLDER_VERSION,
		.op = HOLDER_HOOK,
	};
	static struct holder_reply r;
	int fd = getauxval(AT_SECURE) ? -1 : reach(false), hook = -1;
	ssize_t n = -1;

	if (fd < 0)
		return -1;
	if (service_send(fd, &q, sizeof(q), -1))
		n = service_receive(fd, &r, sizeof(r), &hook);
	close(fd);
	if (hook >= 0 && (n != (ssize_t)sizeof(r) || r.version != HOLDER_VERSION || r.rc)) {
		close(hook);
		hook = -1;
	}
	return hook;
}

/* ---- holder ------------------------------------------------------------------------------- */

/* From here on there is no session: remove the socket. */
static void withdraw(int listener)
{
	struct sockaddr_un a;

	address(&a, false);
	service_unlink(a.sun_path, (uid_t)-1);
	close(listener);
}

static void hold(struct tracer *t, int listener)
{
	struct pollfd p[2] = {
		{ .fd = listener, .events = POLLIN },
		{ .fd = tracer_fd(t), .events = POLLIN },
	};
	static struct holder_reply r;
	int fd;

	service_block_signals();
	for (;;) {
		int n = service_wait(p, 2);

		if (n < 0) {
			tracer_close(t);
			withdraw(listener);
			return;
		}
		if (!n)
			continue;
		/* A buffer filled or the file failed: turn tracing off, so that the trace stays. */
		if (p[1].revents)
			tracer_off(t);
		if (p[0].revents && holder_serve(t, listener, false, (uid_t)-1, &fd, &r)) {
			tracer_close(t);
			withdraw(listener);
			send(fd, &r, sizeof(r), MSG_NOSIGNAL);
			close(fd);
			return;
		}
	}
}

int tracer_socket(uid_t guest, char *path, size_t room)
{
	struct sockaddr_un a;
	int fd;

	own_address(&a, path, room);
	fd = service_bind(&a);
	if (fd >= 0 && guest != (uid_t)-1 && lchown(path, guest, (gid_t)-1)) {
		int err = -errno;

		close(fd);
		service_unlink(path, (uid_t)-1);
		fd = err;
	}
	return fd < 0 ? rc_errno(fd, "%s", path) : fd;
}

static void holder_main(void *arg, int pipe_fd)
{
	struct holder_reply r = { .size = sizeof(r), .version = HOLDER_VERSION };
	struct tracer_options options = *(const struct tracer_options *)arg;
	char hooks[PATH_MAX];
	struct sockaddr_un a;
	struct tracer *t;
	int listener = -1;

	address(&a, true);
	holder_hooks(hooks, sizeof(hooks));
	options.hooks = hooks;
	t = tracer_open(&options, &r.rc);
	if (t) {
		listener = service_bind(&a);
		if (listener < 0)
			r.rc = rc_errno(listener, "the session's socket");
	}
	snprintf(r.why, sizeof(r.why), "%s", r.rc ? TraceLastError() : "");
	if (!service_report(pipe_fd, &r, sizeof(r)) || r.rc)
		_exit(1);
	service_detach();
	hold(t, listener);
}

int holder_start(const struct tracer_options *options)
{
	struct tracer_options copy = *options;
	struct holder_reply r = { 0 };
	ssize_t n;
	int fd = reach(true);

	if (fd >= 0 || fd == -EPERM || fd == -EACCES) {
		if (fd >= 0)
			close(fd);
		return rc_fail(PI_BUSY,
			       "busy: a trace session exists already (swtrace info shows it, swtrace free ends it)");
	}
	n = service_start(holder_main, &copy, &r, sizeof(r));
	if (n < 0)
		return rc_errno((int)n, "starting the holder");
	if (n != (ssize_t)sizeof(r))
		return rc_fail(PI_HOLDER_GONE, "the session's holder died before it began");
	return r.rc ? rc_fail(r.rc, "%s", r.why) : PI_OK;
}
