/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A thread's records of user code and of the kernel's on its behalf. */
#ifndef ABI_KERNEL_FLOW_H
#define ABI_KERNEL_FLOW_H

#include "abi.h"

struct event {
	uint64_t stamp, from, to;
	uint32_t count, number, minor;
	uint16_t major;
};
struct flow {
	uint32_t tid;
	struct event *event;
	long n, room, gaps, calls, returns, branches[2], instructions[2], breaks[2][16], stops[16];
	uint64_t high;
};

bool is_kernel(const struct event *e);
bool is_branch(const struct event *e);
bool is_mark(const struct event *e);
/* Checks one CPU, if the thread stays on it, or all; reports a discontinuity as wrong. */
struct flow flow_of(const struct view *v, uint32_t tid, bool moves);

#endif
