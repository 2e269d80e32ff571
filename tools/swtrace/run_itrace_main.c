/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * run.itrace: traces instructions and reports them. The run is that of swtrace run; the separate
 * program post makes the report. Without a command it asks for the lowest pid to trace.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "tool_collectors.h"
#include "complain.h"
#include "report_run.h"

#define IN(member) OPTION_TO(struct report_run, member)

static const struct option_row rows[] = {
	{ { "-l" },
	  "PID",
	  "without a command: trace processes from this pid on (default: ask)",
	  option_number,
	  IN(lowest),
	  .least = 1,
	  .most = 1 << 30,
	  .complete = "@process" },
	{ { "-n" },
	  "COUNT",
	  "trace no more instructions of each thread (10M; all: no limit)",
	  option_instructions,
	  IN(run.itrace.limit),
	  .value = NO_LIMIT },
	{ { "--skip", "-c" },
	  "COUNT",
	  "skip so many instructions of each thread at first",
	  option_instructions,
	  IN(run.itrace.skip) },
	{ { "-k" },
	  NULL,
	  "also trace the kernel's side of system calls",
	  option_set,
	  IN(run.kernel) },
	{ { "--from" },
	  "PLACE",
	  "begin where this is reached: a symbol or address of the command, or "
	  "FILE:PLACE of another file",
	  option_text,
	  IN(run.from) },
	{ { "--until" }, "PLACE", "stop where this is reached", option_text, IN(run.until) },
	{ { "--no-threads" },
	  NULL,
	  "do not trace the threads that traced ones begin",
	  option_set,
	  IN(run.no_threads) },
	{ { "--no-children" },
	  NULL,
	  "do not trace the processes that traced ones begin",
	  option_set,
	  IN(run.no_follow) },
	{ { "-B" },
	  "COLLECTOR",
	  "use this one: %s (default: the first that works)",
	  option_text,
	  IN(run.t.collector),
	  .completions = collectors_of_instructions },
	OPTION_ROWS_END
};
static const struct option_part parts[] = { { report_run_rows, 0 },
					    { rows, 0 },
					    { option_help_rows, 0 },
					    { NULL, 0 } };
static const struct option_table table = {
	.program = "run.itrace",
	.parts = parts,
	.strict = 1 << PART,
	.operands = "@command",
	.ends = true,
	.usage =
		"usage: run.itrace [-a|-t|-p] [OPTION]... [-- COMMAND [ARG]...]\n"
		"Trace what is executed, branch by branch, and report it: swtrace.nrm2, then arc.out.\n"
		"Without a command processes that run, from the lowest pid on (see -l), until Enter (see -r).\n",
	.notes =
		"Exit code: the command's own; without one post's: 0, or 1 if records were lost or damaged;\n"
		"125 tracing or the report failed, 126 the command cannot be executed, 127 it was not found.",
};

static void begin(struct report_run *p)
{
	run_itrace(&p->run);
}

/* Asks for the pid from which on processes are traced, if there is no command. */
static bool ask_lowest(struct report_run *p)
{
	uint64_t lowest;
	char text[64];

	if (p->lowest)
		return true;
	if (!isatty(STDIN_FILENO)) {
		complain(
			"give a command, or -l PID: standard input is not a terminal, on which to ask for it");
		return false;
	}
	fputs("run.itrace: lowest pid to trace: ", stderr);
	if (!fgets(text, sizeof(text), stdin))
		return false;
	text[strcspn(text, "\n")] = 0;
	if (!number_of("the lowest pid", text, 1, 1 << 30, &lowest))
		return false;
	p->lowest = (uint32_t)lowest;
	return true;
}

static bool check(struct report_run *p)
{
	struct trace_run *r = &p->run;

	if (!run_itrace_majors(r))
		return false;
	if (r->command) {
		if (p->lowest)
			complain("-l cannot be given with a command");
		return !p->lowest;
	}
	if (!ask_lowest(p))
		return false;
	r->all = true;
	r->itrace.scope = PITRACE_ITRACE_RANGE;
	r->itrace.first = (int32_t)p->lowest;
	return r->duration || report_run_until_enter(p);
}

int main(int argc, char **argv)
{
	static const struct report_program program = {
		.name = "run.itrace",
		.post_option = "-arc",
		.options = &table,
		.begin = begin,
		.check = check,
	};

	return report_run_main(&program, argc, argv);
}
