/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Daemons that keep a resource for other programs: starting them and connecting to them. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/service.h"
#include "base/rc.h"

static bool is_own(const char *folder)
{
	struct stat st;

	return !lstat(folder, &st) && S_ISDIR(st.st_mode) && st.st_uid == geteuid();
}

static bool is_private(const char *folder)
{
	struct stat st;

	return is_own(folder) && !lstat(folder, &st) && !(st.st_mode & 077);
}

/* The usual name may be taken by another user. Then the folder gets an unpredictable name and is
 * found again by its owner. */
static bool find_other(char *folder, size_t room, const char *first)
{
	const char *name = strrchr(first, '/') + 1;
	size_t n = strlen(name);
	DIR *d = opendir("/tmp");
	struct dirent *e;
	bool found = false;

	while (d && !found && (e = readdir(d))) {
		if (strncmp(e->d_name, name, n) || e->d_name[n] != '.' ||
		    strlen(e->d_name) != n + 7)
			continue;
		snprintf(folder, room, "/tmp/%.40s", e->d_name);
		found = is_private(folder);
	}
	if (d)
		closedir(d);
	return found;
}

void service_folder(char *folder, size_t room, bool make)
{
	const char *given = getenv("XDG_RUNTIME_DIR");
	char first[64];

	snprintf(folder, room, "/run");
	if (geteuid() == 0)
		return;
	if (given && *given && is_own(given)) {
		snprintf(folder, room, "%.79s", given);
		return;
	}
	snprintf(folder, room, "/run/user/%u", geteuid());
	if (is_private(folder))
		return;
	snprintf(first, sizeof(first), "/tmp/pitrace-%u", geteuid());
	snprintf(folder, room, "%s", first);
	if (is_private(folder) || (make && !mkdir(folder, 0700)) || find_other(folder, room, first))
		return;
	snprintf(folder, room, "%s.XXXXXX", first);
	/* An address inside a folder of another user is never used. */
	if (!make || !mkdtemp(folder))
		snprintf(folder, room, "/proc/none");
}

void service_address(struct sockaddr_un *a, const char *named, const char *leaf, bool make)
{
	const char *path = getenv(named);
	char folder[80];

	memset(a, 0, sizeof(*a));
	a->sun_family = AF_UNIX;
	if (path && *path) {
		snprintf(a->sun_path, sizeof(a->sun_path), "%s", path);
		return;
	}
	service_folder(folder, sizeof(folder), make);
	snprintf(a->sun_path, sizeof(a->sun_path), "%s/%.20s.sock", folder, leaf);
}

static int packet_socket(void)
{
	return socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
}

bool service_peer_allowed(int fd, uid_t also)
{
	struct ucred peer;
	socklen_t n = sizeof(peer);

	return !getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &n) &&
	       (peer.uid == geteuid() || peer.uid == 0 || peer.uid == also);
}

/* Without `wait`: for at most two seconds, and not in a full backlog. Anybody may create a socket
 * in /tmp. */
int service_connect(const struct sockaddr_un *a, bool wait)
{
	struct timeval soon = { .tv_sec = 2 };
	int fd = packet_socket(), err;

	if (fd < 0)
		return -errno;
	if (!wait) {
		fcntl(fd, F_SETFL, O_NONBLOCK);
		setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &soon, sizeof(soon));
		setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &soon, sizeof(soon));
	}
	if (connect(fd, (const struct sockaddr *)a, sizeof(*a))) {
		err = -errno;
		close(fd);
		return err;
	}
	if (!service_peer_allowed(fd, (uid_t)-1)) {
		close(fd);
		return -EPERM;
	}
	if (!wait)
		fcntl(fd, F_SETFL, 0);
	return fd;
}

void service_unlink(const char *path, uid_t also)
{
	struct stat st;

	if (!lstat(path, &st) && S_ISSOCK(st.st_mode) &&
	    (st.st_uid == geteuid() || st.st_uid == also))
		unlink(path);
}

/* A socket of this user that nobody answers on is left over from a killed daemon. It is removed,
 * nothing else is. */
static int make_way(const struct sockaddr_un *a)
{
	struct stat st;
	int fd, err;

	if (lstat(a->sun_path, &st))
		return errno == ENOENT ? 0 : -errno;
	if (!S_ISSOCK(st.st_mode))
		return -EEXIST;
	if (st.st_uid != geteuid())
		return -EPERM;
	fd = packet_socket();
	if (fd < 0)
		return -errno;
	fcntl(fd, F_SETFL, O_NONBLOCK);
	err = connect(fd, (const struct sockaddr *)a, sizeof(*a)) ? errno : 0;
	close(fd);
	if (err != ECONNREFUSED)
		return -EADDRINUSE;
	return unlink(a->sun_path) ? -errno : 0;
}

int service_bind(const struct sockaddr_un *a)
{
	int err = make_way(a), fd = err ? err : packet_socket();
	mode_t mask;

	if (fd < 0)
		return err ? err : -errno;
	mask = umask(0177);
	err = bind(fd, (const struct sockaddr *)a, sizeof(*a)) || listen(fd, 8) ? -errno : 0;
	umask(mask);
	if (err) {
		close(fd);
		return err;
	}
	return fd;
}

ssize_t service_start(void (*service_main)(void *arg, int pipe_fd), void *arg, void *report,
		      size_t size)
{
	int ends[2];
	pid_t pid;
	ssize_t n;

	if (pipe2(ends, O_CLOEXEC))
		return -errno;
	/* Fork twice: init adopts the daemon, so that the caller has no child to wait for. */
	pid = fork();
	if (pid < 0) {
		n = -errno;
		close(ends[0]);
		close(ends[1]);
		return n;
	}
	if (!pid) {
		close(ends[0]);
		if (fork())
			_exit(0);
		setsid();
		service_main(arg, ends[1]);
		_exit(0);
	}
	close(ends[1]);
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	do
		n = read(ends[0], report, size);
	while (n < 0 && errno == EINTR);
	close(ends[0]);
	return n < 0 ? 0 : n;
}

bool service_report(int pipe_fd, const void *report, size_t size)
{
	bool written = write(pipe_fd, report, size) == (ssize_t)size;

	close(pipe_fd);
	return written;
}

/* A reader of the caller's output waits for end-of-file: the daemon must not keep it open. */
void service_detach(void)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	for (int fd = 0; null >= 0 && fd < 3; fd++)
		dup2(null, fd);
}

static volatile sig_atomic_t ended;

static void on_signal(int number)
{
	ended = number;
}

void service_block_signals(void)
{
	struct sigaction action = { .sa_handler = on_signal };
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, NULL);
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGHUP, &action, NULL);
	signal(SIGINT, SIG_IGN);
	signal(SIGQUIT, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
}

int service_wait(struct pollfd *p, unsigned int n)
{
	sigset_t open;
	int got;

	sigprocmask(SIG_SETMASK, NULL, &open);
	sigdelset(&open, SIGTERM);
	sigdelset(&open, SIGHUP);
	got = ppoll(p, n, NULL, &open);
	return ended ? -1 : got < 0 ? 0 : got;
}

/* ---- packets --------------------------------------------------------------------------------- */

bool service_send(int fd, const void *packet, size_t size, int pass)
{
	_Alignas(struct cmsghdr) char room[CMSG_SPACE(sizeof(pass))] = { 0 };
	struct iovec data = { .iov_base = (void *)packet, .iov_len = size };
	struct msghdr m = { .msg_iov = &data, .msg_iovlen = 1 };
	struct cmsghdr *c;

	if (pass >= 0) {
		m.msg_control = room;
		m.msg_controllen = sizeof(room);
		c = CMSG_FIRSTHDR(&m);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(sizeof(pass));
		memcpy(CMSG_DATA(c), &pass, sizeof(pass));
	}
	return sendmsg(fd, &m, MSG_NOSIGNAL) == (ssize_t)size;
}

ssize_t service_receive(int fd, void *packet, size_t size, int *passed)
{
	/* The buffer has space for one descriptor; the kernel closes any more. */
	_Alignas(struct cmsghdr) char room[CMSG_LEN(sizeof(*passed))];
	struct iovec data = { .iov_base = packet, .iov_len = size };
	struct msghdr m;
	struct cmsghdr *c;
	ssize_t n;

	if (passed)
		*passed = -1;
	do {
		m = (struct msghdr){ .msg_iov = &data, .msg_iovlen = 1 };
		if (passed) {
			m.msg_control = room;
			m.msg_controllen = sizeof(room);
		}
		n = recvmsg(fd, &m, MSG_CMSG_CLOEXEC);
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	c = CMSG_FIRSTHDR(&m);
	if (c && passed && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS &&
	    c->cmsg_len == CMSG_LEN(sizeof(*passed)))
		memcpy(passed, CMSG_DATA(c), sizeof(*passed));
	return n;
}

/* ---- requests -----------------------------------------------------------------------------------
 * */

struct question {
	uint32_t size, version, op, reserved;
};

/* The result of the start. */
struct beginning {
	int32_t rc;
	char why[1024];
};

struct service_start_args {
	const struct service *service;
	void *arg;
};

void service_withdraw(const struct service *h)
{
	struct sockaddr_un a;

	service_address(&a, h->named, h->leaf, false);
	service_unlink(a.sun_path, (uid_t)-1);
}

int service_lost(const struct service *h)
{
	return rc_fail(PI_HOLDER_GONE, "%s died, or is of another release", h->holder);
}

/* Answers one request, one per connection. Returns true if it was the last. */
static bool serve(const struct service_start_args *g, int listener)
{
	struct timeval timeout = { .tv_sec = 2 };
	int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
	struct question q;
	bool last = false;

	if (fd < 0)
		return false;
	/* A client that neither sends nor reads must not block the others. */
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout));
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof(timeout));
	if (service_peer_allowed(fd, (uid_t)-1) &&
	    recv(fd, &q, sizeof(q), MSG_TRUNC) == (ssize_t)sizeof(q) && q.size == sizeof(q) &&
	    q.version == g->service->version && !q.reserved)
		last = g->service->answer(g->arg, fd, q.op);
	close(fd);
	return last;
}

static void serve_requests(const struct service_start_args *g, int listener)
{
	struct pollfd p = { .fd = listener, .events = POLLIN };
	int n;

	service_block_signals();
	while ((n = service_wait(&p, 1)) >= 0)
		if (n > 0 && serve(g, listener))
			return;
	service_withdraw(g->service);
}

static int begin(const struct service_start_args *g, int *listener)
{
	struct sockaddr_un a;
	int rc;

	service_address(&a, g->service->named, g->service->leaf, true);
	*listener = service_bind(&a);
	if (*listener < 0)
		return rc_errno(*listener, "%s", a.sun_path);
	rc = g->service->begin(g->arg);
	if (rc)
		service_unlink(a.sun_path, (uid_t)-1);
	return rc;
}

static void service_main(void *arg, int pipe_fd)
{
	const struct service_start_args *g = arg;
	struct beginning b = { 0 };
	int listener;

	b.rc = begin(g, &listener);
	snprintf(b.why, sizeof(b.why), "%s", b.rc ? TraceLastError() : "");
	if (!service_report(pipe_fd, &b, sizeof(b))) {
		if (!b.rc)
			service_withdraw(g->service);
		_exit(1);
	}
	if (b.rc)
		_exit(1);
	service_detach();
	serve_requests(g, listener);
}

int service_begin(const struct service *h, void *arg)
{
	struct service_start_args g = { .service = h, .arg = arg };
	struct beginning b;
	struct sockaddr_un a;
	ssize_t n;
	int fd;

	service_address(&a, h->named, h->leaf, false);
	fd = service_connect(&a, true);
	if (fd >= 0)
		close(fd);
	if (fd >= 0 || fd == -EPERM || fd == -EACCES)
		return rc_fail(PI_BUSY, "%s", h->busy);
	n = service_start(service_main, &g, &b, sizeof(b));
	if (n < 0)
		return rc_errno((int)n, "starting %s", h->holder);
	if (n != (ssize_t)sizeof(b))
		return rc_fail(PI_HOLDER_GONE, "%s died before it began", h->holder);
	return b.rc ? rc_fail(b.rc, "%s", b.why) : PI_OK;
}

int service_request(const struct service *h, uint32_t op)
{
	struct question q = { .size = sizeof(q), .version = h->version, .op = op };
	struct sockaddr_un a;
	int fd;

	service_address(&a, h->named, h->leaf, false);
	fd = service_connect(&a, true);
	switch (fd) {
	case -ENOENT:
		return rc_fail(PI_NOT_INITIALIZED, "%s", h->none);
	case -ECONNREFUSED:
		return rc_fail(PI_HOLDER_GONE, "%s was killed: what it counted is lost (%s)",
			       h->holder, h->restart_hint);
	case -EPERM:
	case -EACCES:
		return rc_fail(PI_NOT_OWNER, "%s", h->not_owner);
	}
	if (fd < 0)
		return rc_errno(fd, "reaching %s", h->holder);
	if (service_send(fd, &q, sizeof(q), -1))
		return fd;
	close(fd);
	return service_lost(h);
}
