/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Non-blocking sockets with deadlines. Times are CLOCK_MONOTONIC in ns. */
#ifndef RTDRIVER_TALK_H
#define RTDRIVER_TALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "target.h"

bool talk_send(int fd, const char *text, size_t n, uint64_t until);
/*
 * Receives until a newline, if `line`, or until the other end hangs up. Returns the number of
 * bytes; -1 if that takes too long or the process exits. t NULL: the process is not known.
 */
ssize_t talk_receive(int fd, char *to, size_t room, bool line, uint64_t until,
		     const struct target *t);

/* Connects to the agent's TCP port on this machine. Returns -1 after a message. */
int talk_tcp(const char *address, uint16_t port, uint64_t until);

#endif
