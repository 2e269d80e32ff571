/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sockets that do not block, with an end to all patience. Times are CLOCK_MONOTONIC in ns. */
#ifndef RTDRIVER_TALK_H
#define RTDRIVER_TALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "target.h"

bool talk_send(int fd, const char *text, size_t n, uint64_t until);
/*
 * Until a newline has come, where `line`, or the other end hangs up: how many bytes there are; -1:
 * not in time, or the process is gone. t NULL: a process that is not known.
 */
ssize_t talk_receive(int fd, char *to, size_t room, bool line, uint64_t until,
		     const struct target *t);

/* To the agent's TCP port on this machine. -1, after a message. */
int talk_tcp(const char *address, uint16_t port, uint64_t until);

#endif
