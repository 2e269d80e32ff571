/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * run.tprof: traces and reports. The run is that of swtrace run; the separate program post makes
 * the report. On a terminal it asks when to start and to stop.
 */
#include <string.h>
#include "tool_collectors.h"
#include "complain.h"
#include "report_run.h"
#include "run_post.h"
#include "units.h"

#define HOW_OFTEN (PART + 1) /* group of options that exclude one another */

static bool store_sampling(const struct option_given *given, void *to)
{
	struct report_run *p = to;

	p->by_time = !strcmp(given->text, "time");
	p->by_event = !strcmp(given->text, "event");
	if (p->by_time || p->by_event)
		return true;
	complain("-m: invalid mode '%s': expected time or event", given->text);
	return false;
}

static bool store_delay(const struct option_given *given, void *to)
{
	struct report_run *p = to;

	p->delayed = true;
	return option_duration(given, &p->run.delay);
}

static const struct option_row rows[] = {
	{ { "-m" },
	  "MODE",
	  "time (default): samples by a timer; event: when events were counted",
	  .store = store_sampling,
	  .complete = "time event" },
	{ { "-e" },
	  "EVENT",
	  "sample by these (cycles), several with commas between them; implies -m "
	  "event",
	  option_text,
	  OPTION_TO(struct report_run, events),
	  .complete = "@events" },
	{ { "-F" },
	  "RATE",
	  "ticks per second, 1 to 20000 (997)",
	  option_number,
	  OPTION_TO(struct report_run, run.t.rate),
	  .least = 1,
	  .most = TRACE_MAX_RATE,
	  .group = HOW_OFTEN },
	{ { "-c" },
	  "N",
	  "ticks per second, 1 to 20000 (997); with -m event a sample every N events "
	  "(default: as many as give 997 samples a second)",
	  option_text,
	  OPTION_TO(struct report_run, count),
	  .group = HOW_OFTEN },
	{ { "-s" },
	  "SECONDS",
	  "begin to trace after so long (5, 500ms, 2m); the command is started at "
	  "once",
	  .store = store_delay },
	{ { "-B" },
	  "COLLECTOR",
	  "use this one: %s (default: the first that works)",
	  option_text,
	  OPTION_TO(struct report_run, run.t.collector),
	  .completions = collectors_of_samples },
	{ { "--html" },
	  NULL,
	  "record call stacks, and make a page for a browser, too: post.html",
	  option_set,
	  OPTION_TO(struct report_run, html) },
	OPTION_ROWS_END
};
static const struct option_part parts[] = { { report_run_rows, 0 },
					    { rows, 0 },
					    { option_help_rows, 0 },
					    { NULL, 0 } };
static const struct option_table table = {
	.program = "run.tprof",
	.parts = parts,
	.strict = 1 << PART | 1 << HOW_OFTEN,
	.operands = "@command",
	.ends = true,
	.usage =
		"usage: run.tprof [-a|-t|-p] [OPTION]... [-- COMMAND [ARG]...]\n"
		"Trace where time goes, and report it: swtrace.nrm2, then tprof.out and a screenful.\n"
		"Without a command the whole system, from Enter to Enter (see -s, -r).\n",
	.notes =
		"Exit code: the command's own; without one post's: 0, or 1 if records were lost or damaged;\n"
		"125 tracing or the report failed, 126 the command cannot be executed, 127 it was not found.",
};

/* -m, -e, -c: choose what samples, and how often. */
static bool choose_sampler(struct report_run *p)
{
	uint64_t n = 0;

	if (p->by_time && p->events) {
		complain("-e needs -m event");
		return false;
	}
	if (!p->by_event && !p->events) {
		if (p->count && !number_of("-c", p->count, 1, TRACE_MAX_RATE, &n))
			return false;
		p->run.t.rate = n ? (uint32_t)n : p->run.t.rate;
		return true;
	}
	if (p->count && !number_of("-c", p->count, 1, UINT64_MAX, &n))
		return false;
	return run_events(&p->run, p->events ? p->events : "cycles", n);
}

static bool check(struct report_run *p)
{
	struct trace_run *r = &p->run;

	if (!choose_sampler(p))
		return false;
	/* Python functions appear only in call stacks: the sampled code is the interpreter's. */
	if (r->jit)
		run_wants_stacks(r);
	r->all = !r->command;
	if (r->command || r->duration)
		return true;
	r->ask = !p->delayed;
	return report_run_until_enter(p);
}

int main(int argc, char **argv)
{
	static const struct report_program program = {
		.name = "run.tprof",
		.options = &table,
		.check = check,
	};

	return report_run_main(&program, argc, argv);
}
