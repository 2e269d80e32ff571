/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lists the names of collectors for -B. */
#include "tool_collectors.h"
#include <perfutil.h>
#include <stdio.h>

static const char *names(int use, char *out, size_t room)
{
	const char *name;
	size_t used = 0;

	*out = '\0';
	for (int i = 0; (name = TraceCollectorName(i)); i++)
		if (TraceCollectorUse(name) & use && used < room)
			used += (size_t)snprintf(out + used, room - used, "%s%s", used ? " " : "",
						 name);
	return out;
}

const char *collectors_all(void)
{
	static char out[128];

	return names(TRACE_FOR_ALL, out, sizeof(out));
}

const char *collectors_of_samples(void)
{
	static char out[128];

	return names(TRACE_FOR_SAMPLES, out, sizeof(out));
}

const char *collectors_of_instructions(void)
{
	static char out[128];

	return names(TRACE_FOR_ITRACE, out, sizeof(out));
}

const char *collectors_of_sessions(void)
{
	static char out[128];

	return names(TRACE_FOR_SESSIONS, out, sizeof(out));
}
