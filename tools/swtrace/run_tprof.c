/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * run.tprof: trace and report in one go. The run is that of swtrace run; post, a program of its
 * own, makes the report. On a terminal it asks when to start and to stop.
 */
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "run.h"
#include "units.h"

#define EXIT_POST	2	/* post's: from here on it has made no report */

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

enum what { TRACE_AND_POST, TRACE_ONLY, POST_ONLY };

struct wish {
	struct run run;
	enum what what;
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
	while ((c = getopt_long_only(argc, argv, "+", longs, NULL)) != -1) {
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

/* ---- the report ------------------------------------------------------------------------------ */

/* post lies beside this program, or where the shell would find it. */
static bool find_post(char *path, size_t room)
{
	ssize_t n = readlink("/proc/self/exe", path, room);
	char *slash;

	if (n > 0 && (size_t)n + sizeof("post") < room) {
		path[n] = 0;
		slash = strrchr(path, '/');
		strcpy(slash + 1, "post");
		if (!access(path, X_OK))
			return true;
	}
	return !run_look_up("post", path, room);
}

/* Its exit code, or EXIT_SWTRACE when it made no report. */
static int report(const char *post, const struct run *r)
{
	int status;
	pid_t child = fork();

	if (child < 0)
		return fail("starting %s: %s", post, strerror(errno));
	if (!child) {
		sigset_t none;

		/* A run has blocked some. */
		sigemptyset(&none);
		sigprocmask(SIG_SETMASK, &none, NULL);
		signal(SIGPIPE, SIG_DFL);
		/* tprof.out belongs to whom the trace belongs to. */
		errno = -caller_become(&r->caller);
		if (!errno)
			execl(post, "post", "-r", r->t.file, NULL);
		fail("starting %s: %s", post, strerror(errno));
		_exit(EXIT_SWTRACE);
	}
	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return fail("waiting for %s: %s", post, strerror(errno));
	if (WIFSIGNALED(status))
		return fail("%s died by signal %d", post, WTERMSIG(status));
	return WEXITSTATUS(status) < EXIT_POST ? WEXITSTATUS(status) : EXIT_SWTRACE;
}

int main(int argc, char **argv)
{
	struct wish w = { .what = TRACE_AND_POST };
	struct run *r = &w.run;
	char post[4096];
	int code;

	run_defaults(r);
	code = options(&w, argc, argv);
	if (code >= 0)
		return code;
	if (w.what != TRACE_ONLY && !find_post(post, sizeof(post)))
		return fail("no program 'post', neither beside run.tprof nor in PATH; -t only traces");
	if (w.what == POST_ONLY) {
		caller_get(&r->caller);
		return report(post, r);
	}
	code = run_go(r);
	if (code)
		return code;
	if (r->paused)
		fail("the command ended before -s was over: there are no samples");
	if (w.what == TRACE_AND_POST)
		code = report(post, r);
	return r->command && code != EXIT_SWTRACE ? run_code(r) : code;
}
