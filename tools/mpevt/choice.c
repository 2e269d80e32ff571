/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Converts the events and CPUs of the options to the library's arguments. */
#include <stdio.h>
#include <stdlib.h>
#include "complain.h"
#include "mpevt.h"

int mpevt_failed(int rc)
{
	const char *why = TraceLastError();

	complain("%s", *why ? why : RcToString(rc));
	return EXIT_MPEVT;
}

unsigned int events_of(const char *some, char *const *words, struct pitrace_event_args *list)
{
	char names[4096];
	size_t n = (size_t)snprintf(names, sizeof(names), "%s", some ? some : "");
	int found;

	for (; words && *words && n < sizeof(names); words++)
		n += (size_t)snprintf(names + n, sizeof(names) - n, "%s%s", n ? "," : "", *words);
	if (n >= sizeof(names)) {
		complain("the list of events is too long");
		return 0;
	}
	found = TraceFindEvents(names, 1, 0, TRACE_PRIV_ANY, list);
	if (found > 0)
		return (unsigned int)found;
	mpevt_failed(found);
	return 0;
}

unsigned int cpus_of_options(const struct mpevt *m, unsigned int **list)
{
	struct cpus online;
	unsigned int n = 0;

	if (!cpus_online("", &online))
		cpus_of("0", &online);
	*list = calloc(CPUS_MAX, sizeof(**list));
	for (unsigned int cpu = 0; *list && cpu < CPUS_MAX; cpu++)
		if (cpus_has(m->on_cpus ? &m->cpus : &online, cpu))
			(*list)[n++] = cpu;
	return n;
}
