/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The holder process and how it is asked. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>
#include "holder.h"
#include "rc.h"

/* One holder a user: root's stands in /run, others' in their runtime folder. */
static void address(struct sockaddr_un *a)
{
	const char *named = getenv("PITRACE_SOCKET"), *folder = getenv("XDG_RUNTIME_DIR");

	memset(a, 0, sizeof(*a));
	a->sun_family = AF_UNIX;
	if (named && *named)
		snprintf(a->sun_path, sizeof(a->sun_path), "%s", named);
	else if (geteuid() == 0)
		snprintf(a->sun_path, sizeof(a->sun_path), "/run/pitrace.sock");
	else if (folder && *folder)
		snprintf(a->sun_path, sizeof(a->sun_path), "%.80s/pitrace.sock", folder);
	else
		snprintf(a->sun_path, sizeof(a->sun_path), "/tmp/pitrace-%u.sock", geteuid());
}

/* Of a tracer that controls itself and lets others do so: beside the holder's. */
static void own_address(struct sockaddr_un *a, char *path, size_t room)
{
	const char *folder = getenv("XDG_RUNTIME_DIR");

	if (geteuid() == 0)
		folder = "/run";
	snprintf(path, room, "%.60s/pitrace-%d.sock", folder && *folder ? folder : "/tmp", getpid());
	memset(a, 0, sizeof(*a));
	a->sun_family = AF_UNIX;
	snprintf(a->sun_path, sizeof(a->sun_path), "%s", path);
}

void holder_hooks(char *path, size_t room)
{
	struct sockaddr_un a;

	address(&a);
	snprintf(path, room, "%s.hooks", a.sun_path);
}

static int packet_socket(void)
{
	return socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
}

/* Who is at the other end? Ourselves or root, or `also`, or nobody. */
static bool trusted_peer(int fd, uid_t also)
{
	struct ucred peer;
	socklen_t n = sizeof(peer);

	return !getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &n) &&
	       (peer.uid == geteuid() || peer.uid == 0 || peer.uid == also);
}

/* ---- asking ---------------------------------------------------------------------------------- */

static int reach(void)
{
	struct sockaddr_un a;
	int fd = packet_socket(), err;

	if (fd < 0)
		return -errno;
	address(&a);
	if (connect(fd, (struct sockaddr *)&a, sizeof(a))) {
		err = -errno;
		close(fd);
		return err;
	}
	if (!trusted_peer(fd, (uid_t)-1)) {
		close(fd);
		return -EPERM;
	}
	return fd;
}

int holder_ask(const struct holder_request *request, struct holder_reply *reply)
{
	struct holder_reply own;
	ssize_t n;
	int fd = reach();

	if (!reply)
		reply = &own;
	if (fd == -ENOENT || fd == -ECONNREFUSED)
		return rc_fail(PI_NOT_INITIALIZED, "there is no trace session (swtrace init begins one)");
	if (fd == -EPERM || fd == -EACCES)
		return rc_fail(PI_NOT_OWNER, "the trace session belongs to another user");
	if (fd < 0)
		return rc_errno(fd, "reaching the session's holder");
	n = send(fd, request, sizeof(*request), MSG_NOSIGNAL);
	if (n == (ssize_t)sizeof(*request))
		do
			n = recv(fd, reply, sizeof(*reply), 0);
		while (n < 0 && errno == EINTR);
	close(fd);
	if (n != (ssize_t)sizeof(*reply) || reply->version != HOLDER_VERSION)
		return rc_fail(PI_HOLDER_GONE, n > 0 ? "the session's holder is of another release"
				: "the session's holder died; what was written stays readable");
	reply->why[sizeof(reply->why) - 1] = 0;
	return reply->rc ? rc_fail(reply->rc, "%s", reply->why) : PI_OK;
}

/* ---- answering ------------------------------------------------------------------------------- */

static bool answer(struct tracer *t, const struct holder_request *q, struct holder_reply *r)
{
	switch (q->op) {
	case HOLDER_INFO:
		break;
	case HOLDER_ON:
		r->rc = tracer_on(t);
		break;
	case HOLDER_OFF:
		r->rc = tracer_off(t);
		break;
	case HOLDER_SUSPEND:
	case HOLDER_RESUME:
		r->rc = tracer_suspend(t, q->op == HOLDER_SUSPEND);
		break;
	case HOLDER_DISCARD:
		r->rc = tracer_discard(t);
		break;
	case HOLDER_WRITE:
		r->rc = tracer_write(t, *q->path ? q->path : NULL);
		break;
	case HOLDER_MAJOR:
		r->rc = tracer_enable(t, q->a, q->b);
		break;
	case HOLDER_RATE:
		r->rc = tracer_rate(t, q->a);
		break;
	case HOLDER_TERMINATE:
		return true;
	default:
		r->rc = rc_fail(PI_NOT_SUPPORTED, "unknown request %u", q->op);
	}
	if (r->rc)
		snprintf(r->why, sizeof(r->why), "%s", TraceLastError());
	return false;
}

/* From here on there is no session: nobody may reach us any more. */
static void withdraw(int listener)
{
	struct sockaddr_un a;

	address(&a);
	unlink(a.sun_path);
	close(listener);
}

/* What may be asked of a tracer that somebody else controls: nothing that outlives it, and files
 * only where it writes its own. It may be root's, and the one who asks not. */
static bool is_guests(const struct holder_request *q, struct holder_reply *r)
{
	switch (q->op) {
	case HOLDER_INFO:
	case HOLDER_OFF:
	case HOLDER_SUSPEND:
	case HOLDER_RESUME:
	case HOLDER_DISCARD:
		return true;
	case HOLDER_WRITE:
		if (!*q->path)
			return true;
		r->rc = rc_fail(PI_NO_PERMISSION, "under swtrace run a snapshot's name is not yours to choose: give none");
		break;
	case HOLDER_ON:
		r->rc = rc_fail(PI_INCORRECT_STATE, "swtrace run turns tracing on, once; suspend and resume pause it");
		break;
	default:
		r->rc = rc_fail(PI_NOT_SUPPORTED, "under swtrace run this is an option of swtrace run");
	}
	snprintf(r->why, sizeof(r->why), "%s", TraceLastError());
	return false;
}

/* One request a connection. True: the session shall end; whoever asked waits on *fd. */
static bool serve(struct tracer *t, int listener, bool guests, uid_t guest, int *fd,
		  struct holder_reply *r)
{
	struct timeval patience = { .tv_sec = 2 };
	static struct holder_request q;
	bool end = false;

	*fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
	if (*fd < 0)
		return false;
	/* A client that says nothing must not hold up the others. */
	setsockopt(*fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	if (trusted_peer(*fd, guest) && recv(*fd, &q, sizeof(q), 0) == (ssize_t)sizeof(q)) {
		memset(r, 0, sizeof(*r));
		r->size = sizeof(*r);
		r->version = HOLDER_VERSION;
		q.path[sizeof(q.path) - 1] = 0;
		if (q.version != HOLDER_VERSION)
			r->rc = PI_NOT_SUPPORTED;
		else if (!guests || is_guests(&q, r))
			end = answer(t, &q, r);
		if (end)
			return true;
		tracer_info(t, &r->info);
		send(*fd, r, sizeof(*r), MSG_NOSIGNAL);
	}
	close(*fd);
	return false;
}

void tracer_serve(struct tracer *t, int socket, uid_t guest)
{
	static struct holder_reply r;
	int fd;

	serve(t, socket, true, guest, &fd, &r);
}

static volatile sig_atomic_t ended;

static void on_signal(int number)
{
	ended = number;
}

static void hold(struct tracer *t, int listener)
{
	struct pollfd p[2] = {
		{ .fd = listener, .events = POLLIN }, { .fd = tracer_fd(t), .events = POLLIN },
	};
	struct sigaction action = { .sa_handler = on_signal };
	static struct holder_reply r;
	int fd;

	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGHUP, &action, NULL);
	signal(SIGINT, SIG_IGN);
	signal(SIGQUIT, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
	for (;;) {
		int n = poll(p, 2, -1);

		if (ended) {
			tracer_close(t);
			withdraw(listener);
			return;
		}
		if (n < 0)
			continue;
		/* A buffer filled or the file failed: off, so that what was traced stays. */
		if (p[1].revents)
			tracer_off(t);
		if (p[0].revents && serve(t, listener, false, (uid_t)-1, &fd, &r)) {
			tracer_close(t);
			withdraw(listener);
			send(fd, &r, sizeof(r), MSG_NOSIGNAL);
			close(fd);
			return;
		}
	}
}

static int bind_socket(const struct sockaddr_un *a)
{
	int fd = packet_socket(), err;
	mode_t mask;

	if (fd < 0)
		return -errno;
	/* Nobody answered there (holder_start asked): it is left over from a killed one. */
	unlink(a->sun_path);
	mask = umask(0177);
	err = bind(fd, (const struct sockaddr *)a, sizeof(*a)) || listen(fd, 8) ? -errno : 0;
	umask(mask);
	if (err) {
		close(fd);
		return err;
	}
	return fd;
}

int tracer_socket(uid_t guest, char *path, size_t room)
{
	struct sockaddr_un a;
	int fd;

	own_address(&a, path, room);
	fd = bind_socket(&a);
	if (fd >= 0 && guest != (uid_t)-1 && lchown(path, guest, (gid_t)-1)) {
		int err = -errno;

		close(fd);
		unlink(path);
		fd = err;
	}
	return fd < 0 ? rc_errno(fd, "%s", path) : fd;
}

static void report(int pipe_fd, int rc)
{
	struct holder_reply r = { .size = sizeof(r), .version = HOLDER_VERSION, .rc = rc };

	snprintf(r.why, sizeof(r.why), "%s", rc ? TraceLastError() : "");
	if (write(pipe_fd, &r, sizeof(r)) < 0)
		_exit(1);
}

static _Noreturn void holder_main(const struct tracer_options *wanted, int pipe_fd)
{
	struct tracer_options options = *wanted;
	char hooks[PATH_MAX];
	struct sockaddr_un a;
	struct tracer *t;
	int rc, listener = -1, null;

	setsid();
	holder_hooks(hooks, sizeof(hooks));
	options.hooks = hooks;
	t = tracer_open(&options, &rc);
	if (t) {
		address(&a);
		listener = bind_socket(&a);
		if (listener < 0)
			rc = rc_errno(listener, "the session's socket");
	}
	report(pipe_fd, rc);
	close(pipe_fd);
	if (rc)
		_exit(1);
	/* Whoever waits for the end of init's output must not wait for us. */
	null = open("/dev/null", O_RDWR | O_CLOEXEC);
	for (int fd = 0; null >= 0 && fd < 3; fd++)
		dup2(null, fd);
	hold(t, listener);
	_exit(0);
}

int holder_start(const struct tracer_options *options)
{
	struct holder_reply r = { 0 };
	pid_t pid;
	ssize_t n;
	int ends[2], fd = reach();

	if (fd >= 0 || fd == -EPERM || fd == -EACCES) {
		if (fd >= 0)
			close(fd);
		return rc_fail(PI_BUSY, "busy: a trace session exists already (swtrace info shows it, swtrace free ends it)");
	}
	if (pipe2(ends, O_CLOEXEC))
		return rc_errno(errno, "a pipe");
	/* Twice, so that it is nobody's child that must be waited for. */
	pid = fork();
	if (pid < 0)
		return rc_errno(errno, "starting the holder");
	if (!pid) {
		close(ends[0]);
		if (fork())
			_exit(0);
		holder_main(options, ends[1]);
	}
	close(ends[1]);
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	do
		n = read(ends[0], &r, sizeof(r));
	while (n < 0 && errno == EINTR);
	close(ends[0]);
	if (n != (ssize_t)sizeof(r))
		return rc_fail(PI_HOLDER_GONE, "the session's holder died before it began");
	return r.rc ? rc_fail(r.rc, "%s", r.why) : PI_OK;
}
