/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mpevt run: what a command and all that it creates count, or what CPUs do while it runs. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "caller.h"
#include "complain.h"
#include "mpevt.h"
#include "output.h"

struct run {
	const struct mpevt *m;
	struct counters *counters;
	int gate, report;		/* a byte lets the child go; its errno when it cannot */
	struct timespec begun;
};

static volatile pid_t child;

static void pass_on(int number)
{
	if (child > 0)
		kill(child, number);
}

/* Fork the command up to its exec, which waits at the gate. */
static int spawn(struct run *r)
{
	int gate[2], ends[2], err = 0;
	struct caller caller;
	char byte;

	caller_get(&caller);
	if (pipe2(gate, O_CLOEXEC) || pipe2(ends, O_CLOEXEC))
		return -errno;
	child = fork();
	if (child < 0)
		return -errno;
	if (child) {
		close(gate[0]);
		close(ends[1]);
		r->gate = gate[1];
		r->report = ends[0];
		return 0;
	}
	close(gate[1]);
	if (read(gate[0], &byte, 1) != 1)
		_exit(EXIT_MPEVT);
	err = -caller_become(&caller);
	if (!err) {
		execvp(r->m->words[0], r->m->words);
		err = errno;
	}
	if (write(ends[1], &err, sizeof(err)) < 0)
		_exit(EXIT_MPEVT);
	_exit(EXIT_CANNOT);
}

static int open_counters(struct run *r)
{
	/* What every machine counts, and what of it an ordinary user may. */
	static const char *const otherwise[] = {
		"task-clock,context-switches,cpu-migrations,page-faults", "task-clock,page-faults",
	};
	struct pitrace_event_args events[PITRACE_EVENTS];
	struct counters_options o = { .scope = COUNTERS_COMMAND, .pid = child, .events = events };
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

static int results(struct run *r)
{
	int n = counters_read(r->counters, NULL, 0);
	struct counter_value *list = n > 0 ? calloc((size_t)n, sizeof(*list)) : NULL;
	struct result result = { .list = list };
	struct output out = { .file = stderr };
	struct timespec now;
	int err = 0;

	clock_gettime(CLOCK_MONOTONIC, &now);
	if (!list || counters_read(r->counters, list, (unsigned int)n) != n) {
		free(list);
		return n < 0 ? mpevt_failed(n) : (complain("the counters cannot be read"), EXIT_MPEVT);
	}
	result.held = (struct counters_held){
		.scope = r->m->on_cpus ? COUNTERS_CPUS : COUNTERS_COMMAND, .pid = child,
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
	complain("%s: %s", r->m->file, strerror(-err));
	return EXIT_MPEVT;
}

static int let_go(struct run *r, int *status)
{
	int err = 0;

	/* The terminal sends Ctrl-C to the command too. */
	signal(SIGINT, SIG_IGN);
	signal(SIGQUIT, SIG_IGN);
	signal(SIGTERM, pass_on);
	signal(SIGHUP, pass_on);
	if (write(r->gate, "", 1) != 1)
		complain("the command did not wait: %s", strerror(errno));
	close(r->gate);
	r->gate = -1;
	if (read(r->report, &err, sizeof(err)) != (ssize_t)sizeof(err))
		err = 0;
	while (waitpid(child, status, 0) < 0 && errno == EINTR)
		;
	child = -1;
	if (!err)
		return 0;
	complain("%s: %s", r->m->words[0], err == ENOENT ? "command not found" : strerror(err));
	return err == ENOENT ? EXIT_NOT_FOUND : EXIT_CANNOT;
}

int cmd_run(const struct mpevt *m)
{
	struct run r = { .m = m, .gate = -1, .report = -1 };
	int code, status = 0, err = spawn(&r);
	pid_t pid = child;

	if (err) {
		complain("starting the command: %s", strerror(-err));
		return EXIT_MPEVT;
	}
	signal(SIGPIPE, SIG_IGN);
	code = open_counters(&r);
	if (!code)
		code = let_go(&r, &status);
	if (r.gate >= 0) {
		/* It never began. */
		close(r.gate);
		waitpid(pid, NULL, 0);
	}
	child = pid;
	if (!code && m->on_cpus)
		counters_off(r.counters);
	if (!code)
		code = results(&r);
	counters_close(r.counters);
	if (code)
		return code;
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
