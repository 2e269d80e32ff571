/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * run.jprof: logs the calls of Java methods and samples where time is spent. The run is that of
 * swtrace run --calls --jit; the agent writes the calls, the separate program post reports the
 * samples.
 */
#include "tool_collectors.h"
#include "complain.h"
#include "report_run.h"

static const struct option_row rows[] = { { { "-F", "-c" },
					    "RATE",
					    "ticks per second, 1 to 20000 (997)",
					    option_number,
					    OPTION_TO(struct report_run, run.t.rate),
					    .least = 1,
					    .most = TRACE_MAX_RATE },
					  { { "-B" },
					    "COLLECTOR",
					    "use this one: %s (default: the first that works)",
					    option_text,
					    OPTION_TO(struct report_run, run.t.collector),
					    .completions = collectors_of_samples },
					  OPTION_ROWS_END };
static const struct option_part parts[] = { { report_run_rows, 0 },
					    { rows, 0 },
					    { option_help_rows, 0 },
					    { NULL, 0 } };
static const struct option_table table = {
	.program = "run.jprof",
	.parts = parts,
	.strict = 1 << PART,
	.operands = "@command",
	.ends = true,
	.usage =
		"usage: run.jprof [-a|-t|-p] [OPTION]... [--] COMMAND [ARG]...\n"
		"Trace each call of Java methods: log-rt.1_PID; and where time goes: swtrace.nrm2, then tprof.out.\n"
		"JPROFOPTS in the environment has options of the agent: java -agentpath:.../libjprof.so=HELP.\n",
	.notes =
		"Exit code: the command's own; 125 tracing or the report failed, 126 the command cannot be\n"
		"executed, 127 it was not found.",
};

static void begin(struct report_run *p)
{
	p->run.calls = p->run.jit = true;
}

static bool check(struct report_run *p)
{
	if (p->run.command)
		return true;
	complain("give a command: a Java VM that runs takes the agent by jcmd, see libjprof(1)");
	return false;
}

int main(int argc, char **argv)
{
	static const struct report_program program = {
		.name = "run.jprof",
		.options = &table,
		.begin = begin,
		.check = check,
	};

	return report_run_main(&program, argc, argv);
}
