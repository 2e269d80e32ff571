/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The holder process, and how it is reached and asked; what it answers is in holder_serve.c. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
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

/* ---- asking ---------------------------------------------------------------------------------- */

/* Not patiently: for two seconds at most, and not in a queue: anybody may have made one in /tmp. */
static int reach(bool patiently)
{
	struct timeval soon = { .tv_sec = 2 };
	struct sockaddr_un a;
	int fd = packet_socket(), err;

	if (fd < 0)
		return -errno;
	if (!patiently) {
		fcntl(fd, F_SETFL, O_NONBLOCK);
		setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &soon, sizeof(soon));
		setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &soon, sizeof(soon));
	}
	address(&a);
	if (connect(fd, (struct sockaddr *)&a, sizeof(a))) {
		err = -errno;
		close(fd);
		return err;
	}
	if (!holder_trusts(fd, (uid_t)-1)) {
		close(fd);
		return -EPERM;
	}
	if (!patiently)
		fcntl(fd, F_SETFL, 0);
	return fd;
}

int holder_ask(const struct holder_request *request, struct holder_reply *reply)
{
	struct holder_reply own;
	ssize_t n;
	int fd = reach(true);

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

int holder_hook(void)
{
	static const struct holder_request q = {
		.size = sizeof(q), .version = HOLDER_VERSION, .op = HOLDER_HOOK,
	};
	static struct holder_reply r;
	_Alignas(struct cmsghdr) char room[CMSG_SPACE(sizeof(int))];
	struct iovec data = { .iov_base = &r, .iov_len = sizeof(r) };
	struct msghdr m = {
		.msg_iov = &data, .msg_iovlen = 1,
		.msg_control = room, .msg_controllen = sizeof(room),
	};
	struct cmsghdr *c = NULL;
	int fd = getauxval(AT_SECURE) ? -1 : reach(false), hook = -1;
	ssize_t n = -1;

	if (fd < 0)
		return -1;
	if (send(fd, &q, sizeof(q), MSG_NOSIGNAL) == (ssize_t)sizeof(q))
		n = recvmsg(fd, &m, MSG_CMSG_CLOEXEC);
	close(fd);
	if (n >= 0)
		c = CMSG_FIRSTHDR(&m);
	if (c && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS &&
	    c->cmsg_len == CMSG_LEN(sizeof(hook)))
		memcpy(&hook, CMSG_DATA(c), sizeof(hook));
	if (hook >= 0 && (n != (ssize_t)sizeof(r) || r.version != HOLDER_VERSION || r.rc)) {
		close(hook);
		hook = -1;
	}
	return hook;
}

/* ---- holding --------------------------------------------------------------------------------- */

/* From here on there is no session: nobody may reach us any more. */
static void withdraw(int listener)
{
	struct sockaddr_un a;

	address(&a);
	unlink(a.sun_path);
	close(listener);
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
		if (p[0].revents && holder_serve(t, listener, false, (uid_t)-1, &fd, &r)) {
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
	int ends[2], fd = reach(true);

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
