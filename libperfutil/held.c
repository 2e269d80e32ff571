/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A process that holds something for others: how it is started, and reached. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
#include "held.h"

void held_address(struct sockaddr_un *a, const char *named, const char *leaf)
{
	const char *path = getenv(named), *folder = getenv("XDG_RUNTIME_DIR");

	memset(a, 0, sizeof(*a));
	a->sun_family = AF_UNIX;
	if (path && *path)
		snprintf(a->sun_path, sizeof(a->sun_path), "%s", path);
	else if (geteuid() == 0)
		snprintf(a->sun_path, sizeof(a->sun_path), "/run/%.20s.sock", leaf);
	else if (folder && *folder)
		snprintf(a->sun_path, sizeof(a->sun_path), "%.80s/%.20s.sock", folder, leaf);
	else
		snprintf(a->sun_path, sizeof(a->sun_path), "/tmp/%.20s-%u.sock", leaf, geteuid());
}

static int packet_socket(void)
{
	return socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
}

bool held_trusts(int fd, uid_t also)
{
	struct ucred peer;
	socklen_t n = sizeof(peer);

	return !getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &n) &&
	       (peer.uid == geteuid() || peer.uid == 0 || peer.uid == also);
}

/* Not patiently: for two seconds at most, and not in a queue: anybody may have made one in /tmp. */
int held_reach(const struct sockaddr_un *a, bool patiently)
{
	struct timeval soon = { .tv_sec = 2 };
	int fd = packet_socket(), err;

	if (fd < 0)
		return -errno;
	if (!patiently) {
		fcntl(fd, F_SETFL, O_NONBLOCK);
		setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &soon, sizeof(soon));
		setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &soon, sizeof(soon));
	}
	if (connect(fd, (const struct sockaddr *)a, sizeof(*a))) {
		err = -errno;
		close(fd);
		return err;
	}
	if (!held_trusts(fd, (uid_t)-1)) {
		close(fd);
		return -EPERM;
	}
	if (!patiently)
		fcntl(fd, F_SETFL, 0);
	return fd;
}

int held_bind(const struct sockaddr_un *a)
{
	int fd = packet_socket(), err;
	mode_t mask;

	if (fd < 0)
		return -errno;
	/* Nobody answered there: it is left over from a killed one. */
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

ssize_t held_start(void (*hold)(void *arg, int pipe_fd), void *arg, void *report, size_t size)
{
	int ends[2];
	pid_t pid;
	ssize_t n;

	if (pipe2(ends, O_CLOEXEC))
		return -errno;
	/* Twice, so that it is nobody's child that must be waited for. */
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
		hold(arg, ends[1]);
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

bool held_report(int pipe_fd, const void *report, size_t size)
{
	bool written = write(pipe_fd, report, size) == (ssize_t)size;

	close(pipe_fd);
	return written;
}

/* Whoever waits for the end of our starter's output must not wait for us. */
void held_detach(void)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	for (int fd = 0; null >= 0 && fd < 3; fd++)
		dup2(null, fd);
}
