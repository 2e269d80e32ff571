/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sets of CPUs as people and the kernel write them: 0,2-5. */
#ifndef COMMON_CPUS_H
#define COMMON_CPUS_H

#include <stdbool.h>
#include <stdint.h>

#define CPUS_MAX 8192 /* the most that Linux can be built for */

struct cpus {
	uint64_t bits[CPUS_MAX / 64];
};

/* Parses the whole text. Returns 0; -EINVAL if it is malformed, empty, or has a number beyond
 * CPUS_MAX; -ERANGE if a range ends before it begins. */
int cpus_of(const char *text, struct cpus *c);
/* Reads the CPUs that are online. `root` is a tree like "/"; "" is this machine's own. */
bool cpus_online(const char *root, struct cpus *c);
bool cpus_has(const struct cpus *c, unsigned int cpu);
unsigned int cpus_number(const struct cpus *c);

#endif
