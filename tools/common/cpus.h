/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sets of CPUs as people and the kernel write them: 0,2-5. */
#ifndef COMMON_CPUS_H
#define COMMON_CPUS_H

#include <stdbool.h>
#include <stdint.h>

#define CPUS_MAX 8192			/* as many as Linux can be built for */

struct cpus {
	uint64_t bits[CPUS_MAX / 64];
};

/* The whole text or nothing: false when it is no such list, empty, or beyond CPUS_MAX. */
bool cpus_of(const char *text, struct cpus *c);
/* Those that run; root: of a tree like "/", "" for this machine's own. */
bool cpus_online(const char *root, struct cpus *c);
bool cpus_has(const struct cpus *c, unsigned int cpu);
unsigned int cpus_number(const struct cpus *c);

#endif
