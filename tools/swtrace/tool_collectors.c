/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A row a collector. */
#include <stdio.h>
#include <string.h>
#include "tool_collectors.h"

static const struct tool_collector collectors[] = {
	{ "driver", COLLECTS_SAMPLES | COLLECTS_INSTRUCTIONS | COLLECTS_SESSION, true, NULL },
	{ "perf", COLLECTS_SAMPLES | COLLECTS_SESSION, false, NULL },
	{ "timer", COLLECTS_SAMPLES, false, NULL },
	{ "ptrace", COLLECTS_INSTRUCTIONS | COLLECTS_SESSION, false,
	  "the collector is ptrace, which is slow: each instruction stops the thread (the driver does not need that: swtrace check)" },
};
#define N (sizeof(collectors) / sizeof(*collectors))

const struct tool_collector *tool_collector(const char *name)
{
	for (size_t i = 0; i < N; i++)
		if (!strcmp(collectors[i].name, name))
			return &collectors[i];
	return NULL;
}

static const char *names(unsigned int use, char *out, size_t room)
{
	size_t used = 0;

	*out = '\0';
	for (size_t i = 0; i < N; i++)
		if (collectors[i].use & use && used < room)
			used += (size_t)snprintf(out + used, room - used, "%s%s", used ? " " : "",
						 collectors[i].name);
	return out;
}

const char *collectors_all(void)
{
	static char out[128];

	return names(~0u, out, sizeof(out));
}

const char *collectors_of_samples(void)
{
	static char out[128];

	return names(COLLECTS_SAMPLES, out, sizeof(out));
}

const char *collectors_of_instructions(void)
{
	static char out[128];

	return names(COLLECTS_INSTRUCTIONS, out, sizeof(out));
}

const char *collectors_of_sessions(void)
{
	static char out[128];

	return names(COLLECTS_SESSION, out, sizeof(out));
}
