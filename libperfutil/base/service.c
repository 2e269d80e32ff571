/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Addresses of daemons, their sockets and packets, and requests to them. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>
#include "base/service.h"
#include "base/now.h"
#include "base/rc.h"

/* A client must send its request within this time after connecting, or the connection is closed. */
#define REQUEST_SECONDS 2

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

/* The usual name may be taken by another user. Then the folder gets an unpredictable name, by which
 * its owner finds it again. */
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
	const char *given = secure_getenv("XDG_RUNTIME_DIR");
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
	const char *path = secure_getenv(named);
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

/* Without `wait`: gives up after two seconds, and does not wait in a full backlog. Anybody may
 * create a socket in /tmp. */
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
	do
		err = connect(fd, (const struct sockaddr *)a, sizeof(*a)) ? -errno : 0;
	while (err == -EINTR);
	if (err) {
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

/* Removes a socket of this user on which nobody answers, left over from a killed daemon, and
 * nothing else. */
int service_make_way(const struct sockaddr_un *a)
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
	/* The daemon has just ended. */
	if (err == ENOENT)
		return 0;
	if (err != ECONNREFUSED)
		return -EADDRINUSE;
	return unlink(a->sun_path) && errno != ENOENT ? -errno : 0;
}

int service_bind(const struct sockaddr_un *a)
{
	int err = service_make_way(a), fd = err ? err : packet_socket();
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
	/* The buffer has space for one descriptor; the kernel closes any others. */
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

int service_lost(const struct service *h)
{
	return rc_fail(PI_HOLDER_GONE, "%s died, or is of another release", h->holder);
}

static int none(const struct service *h)
{
	return rc_fail(PI_NOT_INITIALIZED, "%s", h->none);
}

static int not_reached(const struct service *h, const struct sockaddr_un *a, int err)
{
	struct stat st;

	/* A daemon that ends normally removes its address first. */
	if (err == -ENOENT ||
	    (err == -ECONNREFUSED && (!h->restart_hint || lstat(a->sun_path, &st))))
		return none(h);
	if (err == -ECONNREFUSED)
		return rc_fail(PI_HOLDER_GONE, "%s was killed: what it counted is lost (%s)",
			       h->holder, h->restart_hint);
	if (err == -EPERM || err == -EACCES)
		return rc_fail(PI_NOT_OWNER, "%s", h->not_owner);
	return rc_errno(err, "reaching %s", h->holder);
}

/* The daemon took the request and did not answer. True: another client had ended it while this
 * request was waiting. */
static bool has_ended(const struct sockaddr_un *a, const struct stat *was)
{
	struct stat is;

	return lstat(a->sun_path, &is) ? errno == ENOENT :
					 is.st_dev != was->st_dev || is.st_ino != was->st_ino ||
						 is.st_ctim.tv_sec != was->st_ctim.tv_sec ||
						 is.st_ctim.tv_nsec != was->st_ctim.tv_nsec;
}

int service_request(const struct service *h, const void *request, void *reply, size_t size,
		    int *passed)
{
	struct stat at = { 0 };
	struct sockaddr_un a;
	uint64_t connected;
	bool sent, late;
	ssize_t n;
	int fd;

	service_address(&a, h->named, h->leaf, false);
	/* Retries with a daemon that has started since. A process that did not run between its two
	 * calls (stopped, or on a busy machine) finds the connection closed, and retries too. */
	do {
		(void)lstat(a.sun_path, &at);
		connected = now_ns();
		fd = service_connect(&a, true);
		if (fd < 0)
			return not_reached(h, &a, fd);
		sent = service_send(fd, request, h->request, -1);
		late = now_ns() - connected > REQUEST_SECONDS * 1000000000ull / 2;
		n = sent ? service_receive(fd, reply, size, passed) : -1;
		if (n == (ssize_t)size)
			return fd;
		if (passed && n >= 0 && *passed >= 0)
			close(*passed);
		close(fd);
	} while (n <= 0 && (late || has_ended(&a, &at)));
	return service_lost(h);
}

int service_ask(const struct service *h, uint32_t op, void *reply, size_t size, int *passed)
{
	struct service_question q = { .size = sizeof(q), .version = h->version, .op = op };

	return service_request(h, &q, reply, size, passed);
}

/* A client that neither sends nor reads must not block others. */
int service_accept(int listener, uid_t also, void *request, size_t size)
{
	struct timeval timeout = { .tv_sec = REQUEST_SECONDS };
	int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return -1;
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout));
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof(timeout));
	if (service_peer_allowed(fd, also)) {
		/* The timeout prevents the kernel from restarting the call after a stop. */
		do
			n = recv(fd, request, size, MSG_TRUNC);
		while (n < 0 && errno == EINTR);
		if (n == (ssize_t)size)
			return fd;
	}
	close(fd);
	return -1;
}
