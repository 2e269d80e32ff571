/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The records that each collector can make. Readers of traces use this, too, without the
 * collectors. */
#include <stddef.h>
#include <string.h>
#include "collect/backend.h"
#include "base/rc.h"

#define BIT(major) (1ull << (major) % 64)
#define ALWAYS     (BIT(PITRACE_TPROF) | BIT(PITRACE_MTE) | BIT(PITRACE_SYSINFO))

/* user code only */
#define ITRACE                                                                            \
	(BIT(PITRACE_BRANCH_USER) | BIT(PITRACE_BREAK_USER) | BIT(PITRACE_ITRACE_START) | \
	 BIT(PITRACE_ITRACE_STOP) | BIT(PITRACE_MTE) | BIT(PITRACE_SYSINFO))

/* All collectors have programs' own records: through the driver or through hook files. */
#define USERS BIT(PITRACE_HOOKIT), ~0ull << PITRACE_USER_FIRST % 64

static const struct {
	const char *name;
	uint64_t majors[PITRACE_MAJORS / 64];
} table[] = {
	{ "driver", { ~0ull, ~0ull, ~0ull, ~0ull } },
	{ "perf", { ALWAYS | BIT(PITRACE_DISPATCH), 0, USERS } },
	{ "timer", { ALWAYS, 0, USERS } },
	{ "ptrace", { ITRACE, 0, USERS } },
};

const uint64_t *collector_majors(const char *name)
{
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		if (!strcmp(table[i].name, name))
			return table[i].majors;
	return NULL;
}

int TraceCollectorHas(const char *name, int major)
{
	const uint64_t *majors = collector_majors(name);

	if (!majors)
		return rc_fail(PI_INVALID_ARGUMENT, "unknown collector '%s'", name);
	if (major < 0 || major >= PITRACE_MAJORS)
		return rc_fail(PI_INVALID_ARGUMENT, "invalid major: majors are 0 to %d",
			       PITRACE_MAJORS - 1);
	return majors[major / 64] >> (major & 63) & 1;
}
