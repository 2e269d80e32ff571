/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * run.tprof: trace and report in one go. The run is that of swtrace run; post, a program of its
 * own, makes the report. On a terminal it asks when to start and to stop.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "next_option.h"
#include "run.h"
#include "run_post.h"
#include "units.h"

static const char usage[] =
	"usage: run.tprof [-a|-t|-p] [OPTION]... [-- COMMAND [ARG]...]\n"
	"Trace where time goes, and report it: swtrace.nrm2, then tprof.out and a screenful.\n"
	"Without a command the whole system, from Enter to Enter (see -s, -r).\n"
	"\n"
	"  -a           trace and report (default)\n"
	"  -t           trace only\n"
	"  -p           report only, what was traced before\n"
	"  -b MB        trace buffer of each CPU (4)\n"
	"  -m MODE      time (default): samples by a timer; event: when events were counted\n"
	"  -e EVENT     which one (cycles), several with commas between them; says -m event\n"
	"  -c N         ticks a second, 1 to 20000 (997); with -m event a sample each N events\n"
	"               (default: as many as give 997 samples a second)\n"
	"  -s SECONDS   begin after so long (5, 500ms, 2m); the command is started at once\n"
	"  -r SECONDS   trace for so long; the command goes on untraced\n"
	"  -B COLLECTOR take this one: driver, perf or timer (default: the first that works)\n"
	"  --jit        Java, node and Python tell of the code that they make while they run\n"
	"  -h, --help   this text\n"
	"  --version    the version\n"
	"\n"
	"Exit code: the command's own; without one post's: 0, or 1 if records were lost or damaged;\n"
	"125 tracing or the report failed, 126 the command cannot be executed, 127 it was not found.\n";

struct wish {
	struct run run;
	enum run_what what;
	bool tracing;			/* an option that says how to trace was given */
	bool by_time, by_event;		/* -m */
	bool delayed;			/* -s, maybe of 0 */
	const char *events;
	const char *count;
};

static bool time_of(const char *option, const char *text, uint64_t least, uint64_t *ns)
{
	if (unit_time(text, ns) && *ns >= least && *ns < INT64_MAX / 4)
		return true;
	return fail("%s: '%s' is no time", option, text), false;
}

/* -m, -e, -c: what samples, and how often. */
static bool sampling(struct wish *w)
{
	uint64_t count = 0;
	long rate;

	if (w->by_time && w->events)
		return fail("-e goes with -m event"), false;
	if (!w->by_event && !w->events) {
		if (!w->count)
			return true;
		if (!number("-c", w->count, 1, TRACE_MAX_RATE, &rate))
			return false;
		w->run.t.rate = (uint32_t)rate;
		return true;
	}
	if (w->count && (!unit_count(w->count, &count) || !count))
		return fail("-c: '%s' is no number of events", w->count), false;
	return run_events(&w->run, w->events ? w->events : "cycles", count);
}

/* Who says when to start and to stop. */
static bool limits(struct wish *w)
{
	struct run *r = &w->run;

	r->all = !r->command;
	if (r->command || r->duration)
		return true;
	if (!isatty(STDIN_FILENO))
		return fail("standard input is no terminal, on which to ask when to stop: give -r SECONDS or a command"),
		       false;
	r->terminal = STDIN_FILENO;
	r->ask = !w->delayed;
	return true;
}

/* -1: go on; else the exit code. */
static int options(struct wish *w, int argc, char **argv)
{
	static const struct option longs[] = {
		{ "a", no_argument, NULL, 'a' }, { "t", no_argument, NULL, 't' },
		{ "p", no_argument, NULL, 'p' }, { "b", required_argument, NULL, 'b' },
		{ "m", required_argument, NULL, 'm' }, { "e", required_argument, NULL, 'e' },
		{ "c", required_argument, NULL, 'c' }, { "s", required_argument, NULL, 's' },
		{ "r", required_argument, NULL, 'r' }, { "B", required_argument, NULL, 'B' },
		{ "jit", no_argument, NULL, 'J' },
		{ "help", no_argument, NULL, 'h' }, { "h", no_argument, NULL, 'h' },
		{ "version", no_argument, NULL, 'V' }, { NULL, 0, NULL, 0 }
	};
	struct run *r = &w->run;
	int c, whats = 0;

	/* "+": what follows the command's name are its own options. */
	while ((c = next_option(argc, argv, "+", longs)) != -1) {
		bool ok = true;

		w->tracing |= !!strchr("bmecsrBJ", c);
		switch (c) {
		case 'a':
		case 't':
		case 'p':
			w->what = c == 'a' ? TRACE_AND_POST : c == 't' ? TRACE_ONLY : POST_ONLY;
			ok = ++whats == 1;
			if (!ok)
				fail("one of -a, -t and -p");
			break;
		case 'b':
			ok = size_of("-b", optarg, 1 << 20, &r->t.trace_bytes);
			break;
		case 'm':
			w->by_time = !strcmp(optarg, "time");
			w->by_event = !strcmp(optarg, "event");
			ok = w->by_time || w->by_event;
			if (!ok)
				fail("-m: '%s' is neither time nor event", optarg);
			break;
		case 'e':
			w->events = optarg;
			break;
		case 'c':
			w->count = optarg;
			break;
		case 's':
			ok = time_of("-s", optarg, 0, &r->delay);
			w->delayed = true;
			break;
		case 'r':
			ok = time_of("-r", optarg, 1, &r->duration);
			break;
		case 'B':
			r->t.collector = optarg;
			break;
		case 'J':
			r->jit = true;
			break;
		case 'h':
			fputs(usage, stdout);
			return 0;
		case 'V':
			printf("run.tprof (pitrace) %s\n", PITRACE_VERSION);
			return 0;
		default:
			fputs("Try: run.tprof --help\n", stderr);
			return EXIT_SWTRACE;
		}
		if (!ok)
			return EXIT_SWTRACE;
	}
	if (optind < argc)
		r->command = argv + optind;
	if (w->what == POST_ONLY) {
		if (w->tracing || r->command)
			return fail("-p traces nothing: it goes with no other option and no command");
		return -1;
	}
	return sampling(w) && limits(w) ? -1 : EXIT_SWTRACE;
}

int main(int argc, char **argv)
{
	struct wish w = { .what = TRACE_AND_POST };
	int code;

	run_defaults(&w.run);
	code = options(&w, argc, argv);
	return code >= 0 ? code : run_and_report(&w.run, w.what, "run.tprof", NULL);
}
