// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * A program in step with a clock of its own: in ping() for the first half of each cycle, in pong()
 * for the second. The cycle is of its CPU time, so that what else the machine does shifts nothing.
 *	lockstep CYCLE_NS MS [naps]	naps: it waits a little between some of the cycles
 * It says how long it was in either, by the same clock, us.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include "work.h"

#define NAP_NS 20000000 /* of CPU time between two naps */

static int64_t cycle, begin;

/* Until its half is over: when that was. */
#define HALF(name, last)                                                 \
	static __attribute__((noinline)) int64_t name(void)              \
	{                                                                \
		int64_t now;                                             \
                                                                         \
		do {                                                     \
			turns(6000);                                     \
			now = clock_ns(CLOCK_THREAD_CPUTIME_ID) - begin; \
		} while ((now % cycle >= cycle / 2) == (last));          \
		return now;                                              \
	}
HALF(ping, 0)
HALF(pong, 1)

/* Sockets whose waits have a limit of their own are not begun again after a signal. */
static int pair[2], listener;

static int sockets(void)
{
	const struct timeval limit = { 0, 3000 };
	const struct sockaddr_un nowhere = { .sun_family = AF_UNIX };

	if (socketpair(AF_UNIX, SOCK_DGRAM, 0, pair))
		return -1;
	listener = socket(AF_UNIX, SOCK_STREAM, 0);
	/* The kernel finds a name. */
	return setsockopt(pair[0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit)) ||
	       setsockopt(listener, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit)) ||
	       bind(listener, (const struct sockaddr *)&nowhere, sizeof(sa_family_t)) ||
	       listen(listener, 1);
}

/* One of three ways after the other: has it ended early? */
static int naps(void)
{
	static unsigned int turn;
	char c;

	switch (turn++ % 3) {
	case 0:
		return poll(NULL, 0, 3) != 0;
	case 1:
		return recvfrom(pair[0], &c, 1, 0, NULL, NULL) != -1 || errno != EAGAIN;
	}
	return accept(listener, NULL, NULL) != -1 || errno != EAGAIN;
}

int main(int argc, char **argv)
{
	int64_t now = 0, before, in_ping = 0, in_pong = 0, nap = NAP_NS, end;
	int early = 0;

	cycle = argc > 2 ? atoll(argv[1]) : 0;
	end = argc > 2 ? atoll(argv[2]) * 1000000 : 0;
	if (cycle < 20000 || end <= 0 || sockets())
		return 2;
	begin = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	while (now < end) {
		before = now;
		now = ping();
		in_ping += now - before;
		before = now;
		now = pong();
		in_pong += now - before;
		if (argc > 3 && now > nap) {
			early += naps();
			nap += NAP_NS;
		}
	}
	printf("ping %lld pong %lld early %d\n", (long long)in_ping / 1000,
	       (long long)in_pong / 1000, early);
	return 0;
}
