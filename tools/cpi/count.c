/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Counts cycles and instructions of a command, or of all CPUs while it runs or for a time. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "complain.h"
#include "cpi.h"
#include "cpus.h"
#include "monotonic.h"

#define SECOND 1000000000u

enum { CYCLES, INSTRUCTIONS, EVENTS };

struct counting {
	const struct cpi *o;
	struct command command;
	struct counters *counters;
	unsigned int *cpus;
	uint32_t ncpus;
	struct span first;
	uint64_t begun;
	sigset_t ends;
};

static int failed(int rc)
{
	const char *why = TraceLastError();

	complain("%s", *why ? why : RcToString(rc));
	return EXIT_CPI;
}

/* ---- counters -------------------------------------------------------------------------------- */

static int refused(int rc)
{
	const char *why = TraceLastError();

	if (rc != PI_EVENT_UNSUPPORTED)
		return failed(rc);
	complain("%s. CPI needs the CPU's counters of cycles and instructions: run it on the machine itself, or give the virtual machine a PMU (QEMU with KVM: -cpu host,pmu=on)",
		 why);
	return EXIT_CPI;
}

static int open_counters(struct counting *c)
{
	struct pitrace_event_args events[PITRACE_EVENTS];
	struct counters_options options = { .scope = COUNTERS_COMMAND, .events = events };
	struct cpus online;
	int rc = TraceFindEvents("cycles,instructions", 0, 1, c->o->priv, events);

	if (rc != EVENTS)
		return failed(rc);
	options.nevents = EVENTS;
	if (c->o->command && !c->o->all) {
		options.pid = c->command.pid;
	} else {
		if (!cpus_online("", &online))
			cpus_of("0", &online);
		c->cpus = calloc(CPUS_MAX, sizeof(*c->cpus));
		if (!c->cpus) {
			complain("not enough memory");
			return EXIT_CPI;
		}
		for (unsigned int cpu = 0; cpu < CPUS_MAX; cpu++)
			if (cpus_has(&online, cpu))
				c->cpus[c->ncpus++] = cpu;
		options.scope = COUNTERS_CPUS;
		options.cpus = c->cpus;
		options.ncpus = c->ncpus;
	}
	c->counters = counters_open(&options, &rc);
	return c->counters ? 0 : refused(rc);
}

/* Idle and busy times are optional. */
static void begin_span(struct counting *c, struct cpi_result *r)
{
	if (AiInit() || AiGetInfo(&r->info) || span_read(&c->first))
		snprintf(r->no_span, sizeof(r->no_span), "%s", TraceLastError());
}

static int begin(struct counting *c, struct cpi_result *r)
{
	int rc = PI_OK;

	begin_span(c, r);
	c->begun = now_ns();
	if (c->cpus)
		rc = counters_on(c->counters);
	return rc ? refused(rc) : 0;
}

static void end_span(struct counting *c, struct cpi_result *r)
{
	struct span last = { 0 };

	if (!*r->no_span && (span_read(&last) || span_between(&r->span, &c->first, &last)))
		strcpy(r->no_span, "not enough memory");
	span_free(&last);
	span_free(&c->first);
	AiTerminate();
}

/* ---- values ---------------------------------------------------------------------------------- */

static void pair_up(struct pair *p, const struct counter_value *cycles,
		    const struct counter_value *instructions)
{
	*p = (struct pair){
		.cpu = cycles->cpu,
		.cycles = cycles->value,
		.instructions = instructions->value,
		.state = cycles->state == COUNTER_COUNTED ? instructions->state : cycles->state,
		.user_only = cycles->user_only || instructions->user_only,
	};
}

static void add(struct pair *sum, const struct pair *p)
{
	sum->cycles += p->cycles;
	sum->instructions += p->instructions;
	sum->user_only |= p->user_only;
	if (p->state != COUNTER_COUNTED)
		sum->state = p->state;
}

static int take(struct counting *c, struct cpi_result *r)
{
	int pairs = c->cpus ? (int)c->ncpus : 1, n = EVENTS * pairs;
	struct counter_value *list = calloc((size_t)n, sizeof(*list));
	int rc;

	r->pair = calloc((size_t)pairs, sizeof(*r->pair));
	if (!list || !r->pair) {
		free(list);
		complain("not enough memory");
		return EXIT_CPI;
	}
	rc = counters_read(c->counters, list, (unsigned int)n);
	r->elapsed = now_ns() - c->begun;
	r->of_cpus = c->cpus;
	r->all.cpu = -1;
	for (int i = 0; rc == n && i < pairs; i++) {
		pair_up(&r->pair[i], &list[CYCLES * pairs + i], &list[INSTRUCTIONS * pairs + i]);
		add(&r->all, &r->pair[i]);
		r->pairs++;
	}
	free(list);
	if (rc != n)
		return failed(rc);
	/* Counters of some virtual machines never change. */
	if (r->all.state == COUNTER_COUNTED && (!r->all.cycles || !r->all.instructions)) {
		complain("the counters of cycles and instructions do not change (%llu and %llu): this machine has counters that do not count",
			 (unsigned long long)r->all.cycles,
			 (unsigned long long)r->all.instructions);
		return EXIT_CPI;
	}
	return 0;
}

/* ---- a command, an interval ------------------------------------------------------------------ */

static int of_command(struct counting *c, struct cpi_result *r, int *status)
{
	int code, err = command_start(&c->command, c->o->words);

	if (err) {
		complain("the command cannot be started: %s", strerror(-err));
		return EXIT_CPI;
	}
	code = open_counters(c);
	if (!code)
		code = begin(c, r);
	if (code)
		command_drop(&c->command);
	else
		code = command_finish(&c->command, status);
	return code;
}

/* Waits for `ns`, 0: without limit. Returns true if a signal ended the wait. */
static bool wait_for(uint64_t ns, const sigset_t *ends)
{
	uint64_t end = now_ns() + ns, left = ns;

	while (left || !ns) {
		struct timespec t = {
			.tv_sec = ns ? (time_t)(left / SECOND) : 1000000,
			.tv_nsec = (long)(left % SECOND),
		};

		if (sigtimedwait(ends, NULL, &t) > 0)
			return true;
		left = end > now_ns() ? end - now_ns() : 0;
	}
	return false;
}

static int of_interval(struct counting *c, struct cpi_result *r)
{
	int code = open_counters(c);

	if (code)
		return code;
	sigemptyset(&c->ends);
	sigaddset(&c->ends, SIGINT);
	sigaddset(&c->ends, SIGTERM);
	sigaddset(&c->ends, SIGHUP);
	sigprocmask(SIG_BLOCK, &c->ends, NULL);
	if (c->o->delay && wait_for(c->o->delay, &c->ends)) {
		complain("interrupted before counting began");
		return EXIT_CPI;
	}
	code = begin(c, r);
	if (code)
		return code;
	if (!c->o->run && isatty(STDERR_FILENO))
		fputs("cpi: counting until Ctrl-C\n", stderr);
	wait_for(c->o->run, &c->ends);
	return 0;
}

int count(const struct cpi *o, struct cpi_result *r, int *status)
{
	struct counting c = { .o = o };
	int code, rc = PI_OK;

	memset(r, 0, sizeof(*r));
	code = o->command ? of_command(&c, r, status) : of_interval(&c, r);
	if (!code && c.cpus)
		rc = counters_off(c.counters);
	if (rc)
		code = failed(rc);
	if (!code) {
		end_span(&c, r);
		code = take(&c, r);
	}
	span_free(&c.first);
	counters_close(c.counters);
	free(c.cpus);
	return code;
}

void result_free(struct cpi_result *r)
{
	free(r->pair);
	span_free(&r->span);
}
