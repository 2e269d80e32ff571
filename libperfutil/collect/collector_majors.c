/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The list's facts about each collector. Readers of traces also use this, without the
 * collectors. */
#include <stddef.h>
#include <string.h>
#include "collect/collectors.h"
#include "base/rc.h"

static const struct listed {
	const char *name;
	int use; /* enum trace_use */
	uint64_t majors[PITRACE_MAJORS / 64];
} table[] = {
#define LISTED(name, use, majors) { #name, use, majors },
	COLLECTORS(LISTED)
#undef LISTED
};

static const struct listed *find(const char *name)
{
	for (size_t i = 0; name && i < sizeof(table) / sizeof(table[0]); i++)
		if (!strcmp(table[i].name, name))
			return &table[i];
	rc_fail(PI_INVALID_ARGUMENT, "unknown collector '%s'", name ? name : "");
	return NULL;
}

const uint64_t *collector_majors(const char *name)
{
	const struct listed *l = find(name);

	return l ? l->majors : NULL;
}

const char *TraceCollectorName(int place)
{
	return place >= 0 && (size_t)place < sizeof(table) / sizeof(table[0]) ? table[place].name :
										NULL;
}

int TraceCollectorUse(const char *name)
{
	const struct listed *l = find(name);

	return l ? l->use : PI_INVALID_ARGUMENT;
}

int TraceCollectorHas(const char *name, int major)
{
	const struct listed *l = find(name);

	if (!l)
		return PI_INVALID_ARGUMENT;
	if (major < 0 || major >= PITRACE_MAJORS)
		return rc_fail(PI_INVALID_ARGUMENT, "invalid major: majors are 0 to %d",
			       PITRACE_MAJORS - 1);
	return l->majors[major / 64] >> (major & 63) & 1;
}
