/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Recognizes samples of the idle loop by their address: perf's clock ticks on idle CPUs too. The
 * functions in which a CPU waits are known by name; where the kernel's symbols are hidden no sample
 * counts as idle.
 */
#ifndef PITRACE_PERF_IDLE_H
#define PITRACE_PERF_IDLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct perf_idle {
	struct {
		uint64_t start, end;
	} range[32];
	size_t n;
};

void perf_idle_read(struct perf_idle *idle);
bool perf_idle_at(const struct perf_idle *idle, uint64_t address);

#endif
