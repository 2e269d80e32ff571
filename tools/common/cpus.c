/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parses sets of CPUs as people and the kernel write them. */
#include "cpus.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

/* Accepts digits only, no sign. */
static bool take(const char **p, unsigned int *cpu)
{
	const char *begin = *p;

	for (*cpu = 0; **p >= '0' && **p <= '9' && *cpu < CPUS_MAX; (*p)++)
		*cpu = *cpu * 10 + (unsigned int)(**p - '0');
	return *p != begin && *cpu < CPUS_MAX;
}

int cpus_of(const char *text, struct cpus *c)
{
	memset(c, 0, sizeof(*c));
	for (;;) {
		unsigned int low, high;

		if (!take(&text, &low))
			return -EINVAL;
		high = low;
		if (*text == '-' && (text++, !take(&text, &high)))
			return -EINVAL;
		if (high < low)
			return -ERANGE;
		for (; low <= high; low++)
			c->bits[low / 64] |= 1ull << low % 64;
		if (!*text)
			return 0;
		if (*text++ != ',')
			return -EINVAL;
	}
}

bool cpus_online(const char *root, struct cpus *c)
{
	char path[PATH_MAX], line[4096];
	bool ok;
	FILE *f;

	snprintf(path, sizeof(path), "%s/sys/devices/system/cpu/online", root);
	f = fopen(path, "re");
	ok = f && fgets(line, sizeof(line), f);
	if (f)
		fclose(f);
	if (!ok)
		return false;
	line[strcspn(line, "\n")] = 0;
	return !cpus_of(line, c);
}

bool cpus_has(const struct cpus *c, unsigned int cpu)
{
	return cpu < CPUS_MAX && c->bits[cpu / 64] >> cpu % 64 & 1;
}

unsigned int cpus_number(const struct cpus *c)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < CPUS_MAX / 64; i++)
		n += (unsigned int)__builtin_popcountll(c->bits[i]);
	return n;
}
