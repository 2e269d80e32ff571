/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mpevt start, read, stop: counters that a background process holds in between. */
#include <stdlib.h>
#include "complain.h"
#include "mpevt.h"

int cmd_start(const struct mpevt *m)
{
	struct pitrace_event_args events[PITRACE_EVENTS];
	struct counters_options o = { .scope = COUNTERS_CPUS, .events = events };
	unsigned int *cpus = NULL;
	int rc;

	o.nevents = events_of(m->events, m->words, events);
	if (!o.nevents)
		return EXIT_MPEVT;
	if (m->pid || m->tid) {
		o.scope = m->pid ? COUNTERS_PROCESS : COUNTERS_THREAD;
		o.pid = (int)(m->pid ? m->pid : m->tid);
	} else {
		o.ncpus = cpus_of_options(m, &cpus);
		o.cpus = cpus;
	}
	rc = counters_hold(&o);
	free(cpus);
	return rc ? mpevt_failed(rc) : 0;
}

int cmd_ask(const struct mpevt *m, bool stop)
{
	int n = counters_ask(0, NULL, NULL, 0), again;
	struct counter_value *list = n > 0 ? calloc((size_t)n, sizeof(*list)) : NULL;
	struct mpevt_result result = { .list = list };
	bool whole;

	if (n < 0)
		return mpevt_failed(n);
	if (!list) {
		complain("not enough memory");
		return EXIT_MPEVT;
	}
	again = counters_ask(stop, &result.held, list, (unsigned int)n);
	if (again != n) {
		free(list);
		if (again < 0)
			return mpevt_failed(again);
		complain("the counters were started anew by another process: try again");
		return EXIT_MPEVT;
	}
	whole = show(stdout, m->form, &result);
	free(list);
	return whole ? 0 : EXIT_MISSING;
}
