/* SPDX-License-Identifier: GPL-3.0-or-later */
/* swtrace run: the options and the exit code. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tool_collectors.h"
#include "caller.h"
#include "complain.h"
#include "run.h"
#include "run_post.h"
#include "session_options.h"

static bool store_majors(const struct option_given *given, void *to)
{
	return majors_of(given->text, to);
}

static bool store_clock(const struct option_given *given, void *to)
{
	static const char *const names[] = { "auto", "tsc", "monotonic" };

	for (uint32_t i = 0; i < 3; i++)
		if (!strcmp(given->text, names[i])) {
			*(uint32_t *)to = i;
			return true;
		}
	complain("--clock: invalid clock '%s': expected auto, tsc or monotonic", given->text);
	return false;
}

static bool store_seed(const struct option_given *given, void *to)
{
	struct trace_run *r = to;
	const char *text = given->text;
	char *end;

	r->timer_only = true;
	errno = 0;
	r->t.seed = strtoull(text, &end, 0);
	if (*text >= '0' && *text <= '9' && !*end && !errno && r->t.seed)
		return true;
	complain("--seed: invalid number '%s': expected a whole number from 1 to 2^64 - 1", text);
	return false;
}

static bool store_no_dither(const struct option_given *given, void *to)
{
	struct trace_run *r = to;

	(void)given;
	r->t.dither = 0;
	r->timer_only = true;
	return true;
}

static bool store_itrace(const struct option_given *given, void *to)
{
	(void)given;
	run_itrace(to);
	return true;
}

/* A name is what --calls is asked for. */
static bool store_rate(const struct option_given *given, void *to)
{
	struct trace_run *r = to;
	uint64_t rate;

	if (*given->text && !strchr("+-.0123456789", *given->text)) {
		r->functions = given->text;
		return true;
	}
	if (!number_of(given->name, given->text, 1, TRACE_MAX_RATE, &rate))
		return false;
	r->t.rate = (uint32_t)rate;
	return true;
}

#define IN(member) OPTION_TO(struct trace_run, member)

static const struct option_row rows[] = {
	{ { "-M" },
	  "MAJOR[,MAJOR]...",
	  "what to record: names or numbers, see swtrace maj (tprof)",
	  store_majors,
	  IN(t.majors),
	  .completions = majors_names },
	{ { "--events" },
	  "NAME[,NAME]...",
	  "record these named events (TraceEvent) too; * and ? stand for any text, any character",
	  option_text,
	  IN(named) },
	{ { "-F" },
	  "RATE",
	  "ticks per second, 1 to 20000 (997); a name: --functions",
	  .store = store_rate },
	{ { "-o" },
	  "FILE",
	  "trace file (swtrace.nrm2); an older one becomes FILE.old",
	  option_file,
	  IN(t.file),
	  .complete = "@file" },
	{ { "-a" }, NULL, "trace the whole system, while the command runs", option_set, IN(all) },
	{ { "-d" },
	  "SECONDS",
	  "stop after so long (5, 500ms, 2m)",
	  option_duration,
	  IN(duration),
	  .least = 1 },
	{ { "--no-crash" },
	  NULL,
	  "wrap: a crash of one of the command's processes does not end tracing",
	  option_set,
	  IN(no_crash) },
	{ { "-e" },
	  "EVENT[,EVENT]",
	  "sample by these events (swtrace event list lists them), or by the "
	  "timer; default: cycles where they are counted, else the timer",
	  option_text,
	  IN(event_names),
	  .complete = "@events" },
	{ { "-c" },
	  "COUNT",
	  "take a sample every so many events (default: -F samples a second)",
	  option_number,
	  IN(event_count),
	  .least = 1 },
	{ { "--jit" },
	  NULL,
	  "have Java, node and Python report the code that they generate",
	  option_set,
	  IN(jit) },
	{ { "--calls" },
	  NULL,
	  "count and measure each call in Java VMs and instrumented programs: "
	  "log-rt.1_PID beside the trace",
	  option_set,
	  IN(calls) },
	{ { "--functions" },
	  "PATTERN[+PATTERN]...",
	  "--calls: only these functions and methods; * matches any text, ? any character",
	  option_text,
	  IN(functions) },
	{ { "-N", "--no-functions" },
	  "PATTERN[+PATTERN]...",
	  "--calls: not these",
	  option_text,
	  IN(not_functions) },
	{ { "-A", "--arguments" },
	  "NAME@argN[/FORMAT][+...]",
	  "--calls: separate these functions' calls by an argument or the result (@retval)",
	  option_text,
	  IN(arguments) },
	{ { "-D" },
	  "LEVELS",
	  "--calls: at most so many levels of calls in compiled code",
	  option_number,
	  IN(levels),
	  .least = 1,
	  .most = 100000 },
	{ { "--min-time" },
	  "TIME",
	  "--calls: omit lines of compiled code whose calls took less in total (5us)",
	  option_duration,
	  IN(least),
	  .least = 1 },
	{ { "--itrace" },
	  NULL,
	  "record every taken branch: what was executed, instruction by instruction",
	  .store = store_itrace },
	{ { "-n" },
	  "COUNT",
	  "--itrace: trace no more instructions of each thread (10M; all: no limit)",
	  option_instructions,
	  IN(itrace.limit),
	  .value = NO_LIMIT },
	{ { "--from" },
	  "PLACE",
	  "--itrace: begin where this place is reached: a symbol or address of the "
	  "program, or FILE:PLACE of another file",
	  option_text,
	  IN(from) },
	{ { "--until" }, "PLACE", "--itrace: stop where this is reached", option_text, IN(until) },
	{ { "--skip" },
	  "COUNT",
	  "--itrace: do not record these first instructions of each thread",
	  option_instructions,
	  IN(itrace.skip) },
	{ { "--kernel" },
	  NULL,
	  "--itrace: also record the kernel's side of system calls",
	  option_set,
	  IN(kernel) },
	{ { "--kernel-only" },
	  NULL,
	  "--itrace: record only the kernel's side of system calls",
	  option_set,
	  IN(kernel_only) },
	{ { "--ls" },
	  NULL,
	  "--itrace: record the addresses that are read and written, where possible "
	  "(ppc64le)",
	  option_set,
	  IN(accesses) },
	{ { "--lossy" },
	  NULL,
	  "--itrace: drop and count records if the file cannot keep up; never wait",
	  option_flags,
	  IN(itrace.flags),
	  .value = PITRACE_ITRACE_LOSSY },
	{ { "--no-threads" },
	  NULL,
	  "--itrace: do not trace the threads that traced ones create",
	  option_set,
	  IN(no_threads) },
	{ { "--no-children", "--no-follow" },
	  NULL,
	  "--itrace: do not trace the processes that traced ones create",
	  option_set,
	  IN(no_follow) },
	{ { "--steps" },
	  NULL,
	  "--itrace: record each instruction",
	  option_flags,
	  IN(itrace.flags),
	  .value = PITRACE_ITRACE_STEPS },
	{ { "-B" },
	  "COLLECTOR",
	  "use this one: %s (default: the first that works)",
	  option_text,
	  IN(t.collector),
	  .completions = collectors_all },
	{ { "-z" }, NULL, "compress the trace", option_assign, IN(t.compression), .value = 1 },
	{ { "--clock" }, "CLOCK", "%s", store_clock, IN(t.clock), .complete = "auto tsc monotonic" },
	{ { "--no-dither" },
	  NULL,
	  "ticks at equal distances: shows what aliasing does",
	  .store = store_no_dither },
	{ { "--seed" }, "N", "seed of the dither, to repeat a run", .store = store_seed },
	CALLER_ROOT_ROW(0),
	{ { "-q" }, NULL, "print no closing line", option_set, IN(quiet) },
	{ { "--open" },
	  NULL,
	  "record call stacks; at the end make a page of the trace, post.html, and open it in the "
	  "browser",
	  option_set,
	  IN(open) },
	OPTION_ROWS_END
};
static const struct option_part parts[] = { { rows, 0 },
					    { session_rows, offsetof(struct trace_run, t) },
					    { NULL, 0 } };
const struct option_table cmd_run_table = {
	.parts = parts,
	.operands = "@command",
	.ends = true,
	.notes =
		"In wrap mode the newest records are written at TraceOff, SIGUSR2, a crash, the end.\n\n"
		"Exit code: the command's own; 125 swtrace failed, 126 the command cannot be executed,\n"
		"127 it was not found, 128 + n it died by signal n.",
};

/* tprof is recorded by default. */
static bool samples(const uint64_t majors[PITRACE_MAJORS / 64])
{
	uint64_t any = 0;

	for (unsigned int i = 0; i < PITRACE_MAJORS / 64; i++)
		any |= majors[i];
	return !any || majors[PITRACE_TPROF / 64] >> (PITRACE_TPROF % 64) & 1;
}

/* Adds a major to those that are recorded, or to the defaults. */
static void add_major(struct trace_run *r, unsigned int major)
{
	uint64_t *majors = r->t.majors;

	if (!r->t.itrace && samples(majors))
		majors[PITRACE_TPROF / 64] |= 1ull << PITRACE_TPROF % 64;
	majors[major / 64] |= 1ull << major % 64;
}

/* Chooses what samples: events, the timer, or cycles if the machine counts them. */
static bool choose_sampler(struct trace_run *r)
{
	if (r->event_names && is_timer(r->event_names)) {
		r->event_names = NULL;
		r->timer_only = true;
	}
	if (r->event_count && !r->event_names) {
		complain("-c needs -e: it is the number of events from a sample to the next");
		return false;
	}
	if (r->event_names && !run_events(r, r->event_names, r->event_count))
		return false;
	if (r->t.itrace && !run_itrace_majors(r))
		return false;
	r->t.prefer_cycles = !r->event_names && !r->timer_only && samples(r->t.majors);
	return true;
}

/* Refuses options that only have an effect with --calls. */
static bool calls_wanted(const struct trace_run *r)
{
	const char *option = r->functions     ? "--functions" :
			     r->not_functions ? "-N" :
			     r->arguments     ? "-A" :
			     r->levels        ? "-D" :
			     r->least         ? "--min-time" :
						NULL;

	if (!option || r->calls)
		return true;
	fail("%s needs --calls", option);
	return false;
}

/* Checks that the options fit together. Returns 0, an exit code after a message, or USAGE. */
static int check(struct trace_run *r)
{
	if (r->named)
		add_major(r, PITRACE_NAMED);
	if (r->t.stacks & PITRACE_WANT_DISPATCH)
		add_major(r, PITRACE_DISPATCH);
	if (!choose_sampler(r) || !run_itrace_agrees(r) || !session_rotation_fits(&r->t))
		return EXIT_SWTRACE;
	if (!calls_wanted(r))
		return EXIT_SWTRACE;
	r->t.stop_on_crash = r->t.mode == TRACE_WRAP && !r->no_crash;
	if (r->all && r->t.pid)
		return fail("-a and -p exclude each other");
	if (r->t.depth && !(r->t.stacks & (PITRACE_WANT_KERNEL | PITRACE_WANT_USER)))
		return fail("--stack-depth needs -g");
	if (r->t.pid && r->command)
		return fail("-p traces a process that runs already; no command can be given");
	if (r->command || r->all || r->t.pid)
		return 0;
	fail("nothing to trace: give a command, -p PID or -a");
	return USAGE;
}

/* Makes the HTML page of the run and opens it. Returns 0, or EXIT_SWTRACE after a message. */
static int show_page(const char *post, const struct trace_run *r)
{
	if (run_post_page(post, r) == EXIT_SWTRACE)
		return EXIT_SWTRACE;
	run_post_open(r);
	return 0;
}

int cmd_run(int argc, char **argv)
{
	struct option_rest rest;
	struct trace_run r;
	char post[PATH_MAX];
	int code;

	run_defaults(&r);
	if (!take_options(&cmd_run_table, &r, argc, argv, &rest, &code))
		return code;
	if (rest.count)
		r.command = rest.words;
	if (r.open)
		run_wants_stacks(&r);
	if (r.open && !run_post_find(post, sizeof(post)))
		return fail("--open needs post, which is neither beside swtrace nor in PATH");
	code = check(&r);
	if (!code)
		code = run_go(&r);
	if (!code && r.open)
		code = show_page(post, &r);
	else if (!code)
		run_next_step(&r);
	return code ? code : run_code(&r);
}
