/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "talk.h"

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "complain.h"
#include "monotonic.h"

#define LOOK 200 /* ms between two checks that the process lives */

/* Returns true if the socket is ready, false if time is up or the process has exited. */
static bool ready(int fd, short events, uint64_t until, const struct target *t)
{
	struct pollfd p = { .fd = fd, .events = events };
	uint64_t now;
	int left;

	while ((now = now_ns()) < until) {
		left = until - now > LOOK * 1000000ull ? LOOK : (int)((until - now) / 1000000) + 1;
		if (poll(&p, 1, left) > 0)
			return true;
		if (t && !target_is_alive(t))
			return false;
	}
	return false;
}

bool talk_send(int fd, const char *text, size_t n, uint64_t until)
{
	while (n) {
		ssize_t sent = send(fd, text, n, MSG_NOSIGNAL);

		if (sent > 0) {
			text += sent;
			n -= (size_t)sent;
		} else if ((errno != EAGAIN && errno != EINTR) ||
			   !ready(fd, POLLOUT, until, NULL)) {
			return false;
		}
	}
	return true;
}

ssize_t talk_receive(int fd, char *to, size_t room, bool line, uint64_t until,
		     const struct target *t)
{
	size_t n = 0;

	while (n < room) {
		ssize_t got = recv(fd, to + n, room - n, 0);

		if (!got || (got < 0 && errno == ECONNRESET))
			break;
		if (got > 0) {
			n += (size_t)got;
			if (line && memchr(to, '\n', n))
				break;
		} else if ((errno != EAGAIN && errno != EINTR) || !ready(fd, POLLIN, until, t)) {
			return -1;
		}
	}
	return (ssize_t)n;
}

int talk_tcp(const char *address, uint16_t port, uint64_t until)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons(port) };
	int fd, err = 0;
	socklen_t n = sizeof(err);

	if (!strcmp(address, "localhost"))
		address = "127.0.0.1";
	if (inet_pton(AF_INET, address, &a.sin_addr) != 1 ||
	    ntohl(a.sin_addr.s_addr) >> 24 != IN_LOOPBACKNET) {
		complain("%s: the agent listens on this machine alone (127.0.0.1)", address);
		return -1;
	}
	fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd >= 0 && (!connect(fd, (struct sockaddr *)&a, sizeof(a)) ||
			(errno == EINPROGRESS && ready(fd, POLLOUT, until, NULL) &&
			 !getsockopt(fd, SOL_SOCKET, SO_ERROR, &err, &n) && !err)))
		return fd;
	complain("%s port %d: %s", address, (int)port, strerror(err ? err : errno));
	if (fd >= 0)
		close(fd);
	return -1;
}
