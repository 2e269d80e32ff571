/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * run.itrace: trace instructions and report them in one go. The run is that of swtrace run; post, a
 * program of its own, makes the report. Without a command it asks for the lowest pid to trace.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "next_option.h"
#include "run.h"
#include "run_post.h"
#include "units.h"

static const char usage[] =
	"usage: run.itrace [-a|-t|-p] [OPTION]... [-- COMMAND [ARG]...]\n"
	"Trace what is executed, branch by branch, and report it: swtrace.nrm2, then arc.out.\n"
	"Without a command processes that run, from the lowest pid on (see -l), until Enter (see -r).\n"
	"\n"
	"  -a           trace and report (default)\n"
	"  -t           trace only\n"
	"  -p           report only, what was traced before\n"
	"  -l PID       without a command: processes from this pid on; asked for unless told\n"
	"  -b MB        trace buffer of each CPU (4)\n"
	"  -n COUNT     no more instructions of each thread (10M; all: no limit)\n"
	"  -c COUNT     instructions of each thread that are skipped at first\n"
	"  -k           the kernel's side of system calls too\n"
	"  --from PLACE, --until PLACE   begin, stop where this is reached: a symbol or address of\n"
	"               the command, or FILE:PLACE of another file\n"
	"  --no-threads, --no-children   not the threads, not the processes that traced ones begin\n"
	"  -r SECONDS   trace for so long; the command goes on untraced\n"
	"  -B COLLECTOR take this one: driver or ptrace (default: the first that works)\n"
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
	long lowest;			/* pid, 0: not said */
};

/* Whom, if no command is given: those of a pid and later ones. */
static bool ask_lowest(struct wish *w)
{
	char text[64];

	if (w->lowest)
		return true;
	if (!isatty(STDIN_FILENO))
		return fail("give a command, or -l PID: standard input is no terminal, on which to ask for it"),
		       false;
	fputs("run.itrace: lowest pid to trace: ", stderr);
	if (!fgets(text, sizeof(text), stdin))
		return false;
	text[strcspn(text, "\n")] = 0;
	return number("the lowest pid", text, 1, 1 << 30, &w->lowest);
}

static bool whom(struct wish *w)
{
	struct run *r = &w->run;

	if (r->command)
		return w->lowest ? fail("-l goes without a command"), false : true;
	if (!ask_lowest(w))
		return false;
	r->all = true;
	r->itrace.scope = PITRACE_ITRACE_RANGE;
	r->itrace.first = (int32_t)w->lowest;
	if (r->duration)
		return true;
	if (!isatty(STDIN_FILENO))
		return fail("standard input is no terminal, on which to ask when to stop: give -r SECONDS or a command"),
		       false;
	r->terminal = STDIN_FILENO;
	return true;
}

/* -1: go on; else the exit code. */
static int options(struct wish *w, int argc, char **argv)
{
	static const struct option longs[] = {
		{ "a", no_argument, NULL, 'a' }, { "t", no_argument, NULL, 't' },
		{ "p", no_argument, NULL, 'p' }, { "l", required_argument, NULL, 'l' },
		{ "b", required_argument, NULL, 'b' }, { "n", required_argument, NULL, 'n' },
		{ "c", required_argument, NULL, 'c' }, { "k", no_argument, NULL, 'k' },
		{ "from", required_argument, NULL, 'F' }, { "until", required_argument, NULL, 'U' },
		{ "r", required_argument, NULL, 'r' }, { "B", required_argument, NULL, 'B' },
		{ "no-threads", no_argument, NULL, 'T' }, { "no-children", no_argument, NULL, 'C' },
		{ "jit", no_argument, NULL, 'J' },
		{ "help", no_argument, NULL, 'h' }, { "h", no_argument, NULL, 'h' },
		{ "version", no_argument, NULL, 'V' }, { NULL, 0, NULL, 0 }
	};
	struct run *r = &w->run;
	int c, whats = 0;

	run_itrace(r);
	/* "+": what follows the command's name are its own options. */
	while ((c = next_option(argc, argv, "+", longs)) != -1) {
		bool ok = true;

		w->tracing |= !!strchr("lbnckFUTCrBJ", c);
		switch (c) {
		case 'a':
		case 't':
		case 'p':
			w->what = c == 'a' ? TRACE_AND_POST : c == 't' ? TRACE_ONLY : POST_ONLY;
			ok = ++whats == 1;
			if (!ok)
				fail("one of -a, -t and -p");
			break;
		case 'l':
			ok = number("-l", optarg, 1, 1 << 30, &w->lowest);
			break;
		case 'b':
			ok = size_of("-b", optarg, 1 << 20, &r->t.trace_bytes);
			break;
		case 'n':
			ok = run_itrace_count("-n", optarg, &r->itrace.limit);
			break;
		case 'c':
			ok = run_itrace_count("-c", optarg, &r->itrace.skip);
			break;
		case 'k':
			r->kernel = true;
			break;
		case 'F':
			r->from = optarg;
			break;
		case 'U':
			r->until = optarg;
			break;
		case 'T':
			r->no_threads = true;
			break;
		case 'C':
			r->no_follow = true;
			break;
		case 'r':
			ok = unit_time(optarg, &r->duration) && r->duration;
			if (!ok)
				fail("-r: '%s' is no time", optarg);
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
			printf("run.itrace (pitrace) %s\n", PITRACE_VERSION);
			return 0;
		default:
			fputs("Try: run.itrace --help\n", stderr);
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
	return run_itrace_majors(r) && whom(w) ? -1 : EXIT_SWTRACE;
}

int main(int argc, char **argv)
{
	struct wish w = { .what = TRACE_AND_POST };
	int code;

	run_defaults(&w.run);
	code = options(&w, argc, argv);
	return code >= 0 ? code : run_and_report(&w.run, w.what, "run.itrace", "-arc");
}
