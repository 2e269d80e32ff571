/* SPDX-License-Identifier: GPL-3.0-or-later */
/* swtrace top: the options. */
#include <string.h>
#include "complain.h"
#include "option_store.h"
#include "swtrace.h"
#include "tool_collectors.h"
#include "top/top_run.h"

#define SECOND    1000000000u /* ns */
#define DELAY     (2ull * SECOND)
#define MOST_ROWS 20
/* Stacks are recorded only for the callers of functions: deeper ones cost more than they show. */
#define DEPTH 32

struct top_options {
	struct top_run run;
	bool all, no_stacks;
	const char *filter;
	uint32_t rows;
};

#define TOP(member) OPTION_TO(struct top_options, member)

static bool store_by(const struct option_given *given, void *to)
{
	for (unsigned int i = 0; i < TOP_BY_CALLER; i++)
		if (!strcmp(given->text, top_by_name(i))) {
			*(enum top_by *)to = i;
			return true;
		}
	complain("--by: invalid view '%s': expected function, thread, process or cgroup",
		 given->text);
	return false;
}

static const struct option_row rows[] = {
	{ { "-p" },
	  "PID",
	  "this process and its children (default: the system)",
	  option_number,
	  TOP(run.t.pid),
	  .least = 1,
	  .most = 1 << 30,
	  .complete = "@process" },
	{ { "-a" }, NULL, "the whole system", option_set, TOP(all) },
	{ { "-d", "--delay" },
	  "SECONDS",
	  "length of an interval (2; 500ms, 1m)",
	  option_duration,
	  TOP(run.delay),
	  .least = SECOND / 10,
	  .most = 3600ull * SECOND },
	{ { "-n" },
	  "COUNT",
	  "end after so many intervals",
	  option_number,
	  TOP(run.intervals),
	  .least = 1 },
	{ { "-F", "-s" },
	  "RATE",
	  "ticks per second, 1 to 20000 (997)",
	  option_number,
	  TOP(run.t.rate),
	  .least = 1,
	  .most = TRACE_MAX_RATE },
	{ { "-B" },
	  "COLLECTOR",
	  "use this one: %s (default: the first that works)",
	  option_text,
	  TOP(run.t.collector),
	  .completions = collectors_of_samples },
	{ { "--by" },
	  "VIEW",
	  "function, thread, process or cgroup",
	  store_by,
	  TOP(run.view.by),
	  .complete = "function thread process cgroup" },
	{ { "--filter" },
	  "PATTERN",
	  "names with this in them; * is any text, ? any character",
	  option_text,
	  TOP(filter) },
	{ { "--off-cpu" },
	  NULL,
	  "also record dispatches: the time that threads are off their CPUs",
	  option_set,
	  TOP(run.view.off) },
	{ { "--no-stacks" },
	  NULL,
	  "record no call stacks: costs less, and shows no callers",
	  option_set,
	  TOP(no_stacks) },
	{ { "-m" },
	  "METRIC[,METRIC]...",
	  "PTT's metrics of threads too (needs the module)",
	  option_text,
	  TOP(run.metrics),
	  .complete = "@metrics" },
	{ { "--rows" },
	  "N",
	  "if not on a terminal: rows per interval (20; 0: all)",
	  option_number,
	  TOP(rows),
	  .most = 1000000 },
	{ { "--json" },
	  NULL,
	  "print JSON, for programs: one object per line for each interval",
	  option_set,
	  TOP(run.json) },
	OPTION_ROWS_END
};
static const struct option_part parts[] = { { rows, 0 }, { NULL, 0 } };
const struct option_table cmd_top_table = {
	.parts = parts,
	.notes = "On a terminal ? lists the keys. On a pipe intervals are printed in words.",
};

static void want(struct tracer_options *t, unsigned int major)
{
	t->majors[major / 64] |= 1ull << major % 64;
}

static bool fits(struct top_options *o)
{
	struct top_view *v = &o->run.view;

	if (o->all && o->run.t.pid) {
		fail("-a and -p exclude each other");
		return false;
	}
	if (o->filter && strlen(o->filter) >= sizeof(v->filter)) {
		fail("--filter: a pattern of more than %zu bytes", sizeof(v->filter) - 1);
		return false;
	}
	if (o->filter)
		memcpy(v->filter, o->filter, strlen(o->filter) + 1);
	return true;
}

int cmd_top(int argc, char **argv)
{
	static struct top_options o;
	struct tracer_options *t = &o.run.t;
	struct option_rest rest;
	int code;

	tracer_defaults(t);
	o.run.delay = DELAY;
	o.rows = MOST_ROWS;
	if (!take_options(&cmd_top_table, &o, argc, argv, &rest, &code))
		return code;
	if (rest.count) {
		fail("top: unexpected argument '%s'", rest.words[0]);
		return USAGE;
	}
	if (!fits(&o))
		return EXIT_SWTRACE;
	t->scope = t->pid ? TRACE_PROCESS : TRACE_SYSTEM;
	t->prefer_cycles = true;
	want(t, PITRACE_TPROF);
	if (o.run.view.off)
		want(t, PITRACE_DISPATCH);
	if (!o.no_stacks) {
		t->stacks = PITRACE_WANT_KERNEL | PITRACE_WANT_USER;
		t->depth = DEPTH;
	}
	o.run.view.stacks = !o.no_stacks;
	o.run.rows = o.rows;
	o.run.view.span = TOP_INTERVAL;
	return top_run(&o.run);
}
