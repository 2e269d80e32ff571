/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mpevt run: counts events of a command and its descendants, or of CPUs while it runs. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "command.h"
#include "complain.h"
#include "mpevt.h"
#include "output.h"

struct mpevt_run {
	const struct mpevt *m;
	struct command command;
	struct counters *counters;
	struct timespec begun;
};

static int open_counters(struct mpevt_run *r)
{
	/* Suggestions: events that every machine counts, and those an ordinary user may count. */
	static const char *const otherwise[] = {
		"task-clock,context-switches,cpu-migrations,page-faults",
		"task-clock,page-faults",
	};
	struct pitrace_event_args events[PITRACE_EVENTS];
	struct counters_options o = {
		.scope = COUNTERS_COMMAND,
		.pid = r->command.pid,
		.events = events,
	};
	unsigned int *cpus = NULL;
	int rc = PI_OK;

	if (r->m->on_cpus) {
		o.scope = COUNTERS_CPUS;
		o.ncpus = cpus_of_options(r->m, &cpus);
		o.cpus = cpus;
	}
	for (int i = 0; i < 2; i++) {
		o.nevents = events_of(r->m->events ? r->m->events : otherwise[i], NULL, events);
		if (!o.nevents)
			break;
		r->counters = counters_open(&o, &rc);
		if (r->counters || r->m->events || rc != PI_NO_PERMISSION)
			break;
	}
	free(cpus);
	if (!o.nevents)
		return EXIT_MPEVT;
	clock_gettime(CLOCK_MONOTONIC, &r->begun);
	if (!rc && r->m->on_cpus)
		rc = counters_on(r->counters);
	return rc ? mpevt_failed(rc) : 0;
}

static int results(struct mpevt_run *r)
{
	int n = counters_read(r->counters, NULL, 0);
	struct counter_value *list = n > 0 ? calloc((size_t)n, sizeof(*list)) : NULL;
	struct mpevt_result result = { .list = list };
	struct output out = { .file = stderr };
	struct timespec now;
	int err = 0;

	clock_gettime(CLOCK_MONOTONIC, &now);
	if (!list || counters_read(r->counters, list, (unsigned int)n) != n) {
		free(list);
		if (n < 0)
			return mpevt_failed(n);
		complain("the counters cannot be read");
		return EXIT_MPEVT;
	}
	result.held = (struct counters_held){
		.scope = r->m->on_cpus ? COUNTERS_CPUS : COUNTERS_COMMAND,
		.pid = r->command.pid,
		.values = (uint32_t)n,
		.elapsed = (uint64_t)(now.tv_sec - r->begun.tv_sec) * 1000000000 +
			   (uint64_t)(now.tv_nsec - r->begun.tv_nsec),
	};
	if (r->m->file)
		err = output_open(&out, r->m->file, 0666);
	if (!err)
		show(out.file, r->m->form, &result);
	if (!err && r->m->file)
		err = output_close(&out);
	free(list);
	if (!err)
		return 0;
	complain("%s: %s", r->m->file, output_error(err));
	return EXIT_MPEVT;
}

int cmd_run(const struct mpevt *m)
{
	struct mpevt_run r = { .m = m };
	int code, status = 0, err = command_start(&r.command, m->words);

	if (err) {
		complain("the command cannot be started: %s", strerror(-err));
		return EXIT_MPEVT;
	}
	signal(SIGPIPE, SIG_IGN);
	code = open_counters(&r);
	if (code)
		command_drop(&r.command);
	else
		code = command_finish(&r.command, &status);
	if (!code && m->on_cpus)
		counters_off(r.counters);
	if (!code)
		code = results(&r);
	counters_close(r.counters);
	return code ? code : command_exit_code(status);
}
