/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "commands.h"

#include <string.h>

#define NAME_MAX_BYTES 16

const struct front_command front_commands[] = {
	{ "run",
	  "record",
	  GROUP_RECORD,
	  "swtrace",
	  { "run" },
	  1,
	  .usage = "[OPTION]... [--] COMMAND",
	  .what = "sample where time is spent: a command, a process (-p), the system (-a)" },
	{ "stat",
	  NULL,
	  GROUP_RECORD,
	  "mpevt",
	  { "run" },
	  1,
	  .usage = "[-e EVENT,...] [--] COMMAND",
	  .what = "count events in a command" },
	{ "trace", "itrace", GROUP_RECORD, "run.itrace", .usage = "[OPTION]... [--] COMMAND",
	  .what = "every taken branch, and so every instruction, of a command" },
	{ "calls",
	  NULL,
	  GROUP_RECORD,
	  "swtrace",
	  { "run", "--calls" },
	  1,
	  .usage = "[OPTION]... [--] COMMAND",
	  .what = "count and measure each function call; of a running process: -p PID" },
	{ "java", NULL, GROUP_RECORD, "run.jprof", .usage = "[OPTION]... [--] java ...",
	  .what = "count and measure each call of Java methods", .need = NEEDS_JAVA },
	{ "top",
	  NULL,
	  GROUP_RECORD,
	  "swtrace",
	  { "top" },
	  1,
	  .usage = "[-p PID] [OPTION]...",
	  .what = "a live view of what runs now: functions, threads, processes, cgroups" },

	{ "report", NULL, GROUP_REPORT, "post", .usage = "[OPTION]... [-i FILE]",
	  .what = "time by process, module and symbol; with -calltree: by callers and callees" },
	{ "html",
	  NULL,
	  GROUP_REPORT,
	  "post",
	  { "-html" },
	  .usage = "[-i FILE]",
	  .what = "one page for a browser: flame graph, callers, tables, time" },
	{ "annotate",
	  NULL,
	  GROUP_REPORT,
	  "post",
	  { "-annotate" },
	  .usage = "SYMBOL [-i FILE]",
	  .what = "a function's instructions and source lines with their ticks" },
	{ "sched",
	  NULL,
	  GROUP_REPORT,
	  "post",
	  { "-sched" },
	  .usage = "[-i FILE]",
	  .what = "time of threads and CPUs, latencies, wake-ups" },
	{ "offcpu",
	  NULL,
	  GROUP_REPORT,
	  "post",
	  { "-offcpu" },
	  .usage = "[-i FILE]",
	  .what = "why threads were off their CPUs" },
	{ "critical",
	  NULL,
	  GROUP_REPORT,
	  "post",
	  { "-critical" },
	  .usage = "[-i FILE]",
	  .what = "the critical path: what threads waited for" },
	{ "syscalls",
	  NULL,
	  GROUP_REPORT,
	  "post",
	  { "-syscalls" },
	  .usage = "[-i FILE]",
	  .what = "system calls: number, errors, time" },
	{ "locks",
	  NULL,
	  GROUP_REPORT,
	  "post",
	  { "-locks" },
	  .usage = "[-i FILE]",
	  .what = "waits for locks: which locks, how long, their owners" },
	{ "faults",
	  NULL,
	  GROUP_REPORT,
	  "post",
	  { "-faults" },
	  .usage = "[-i FILE]",
	  .what = "page faults by thread and symbol" },
	{ "marks",
	  NULL,
	  GROUP_REPORT,
	  "post",
	  { "-marks" },
	  .usage = "[-i FILE]",
	  .what = "programs' own records, and the durations of spans" },
	{ "diff",
	  NULL,
	  GROUP_REPORT,
	  "post",
	  { "-diff" },
	  .usage = "FILE FILE",
	  .what = "compare the second trace with the first, with a test for each line" },
	{ "show",
	  "script",
	  GROUP_REPORT,
	  "post",
	  { "-show" },
	  .output = "-",
	  .usage = "[-i FILE]",
	  .what = "every record in words",
	  .paged = true },
	{ "convert",
	  NULL,
	  GROUP_REPORT,
	  "post",
	  { "-format" },
	  .without = "list",
	  .usage = "FORMAT [-i FILE] [-o FILE]",
	  .what = "the trace in another format; without an argument: the list of formats" },
	{ "compare", NULL, GROUP_REPORT, "arcf", .usage = "[OPTION]... FILE...",
	  .what = "call trees: add, subtract, compare, check budgets" },
	{ "heap", NULL, GROUP_REPORT, "hdump", .usage = "[OPTION]... DUMP...",
	  .what = "the contents of a Java heap dump, and what keeps objects alive" },

	{ "check",
	  NULL,
	  GROUP_LOOK,
	  "swtrace",
	  { "check" },
	  1,
	  .usage = "[-p PID]",
	  .what = "which collectors work here, and how to enable the others",
	  .paged = true },
	{ "list",
	  NULL,
	  GROUP_LOOK,
	  "swtrace",
	  { "event", "list" },
	  1,
	  .usage = "[WORD]",
	  .what = "events that can be sampled",
	  .paged = true },
	{ 0 }
};

/* `calls -p PID`. */
static const struct front_command calls_of_a_process = {
	"calls",   NULL, GROUP_RECORD, "swtrace", { "calls" }, .usage = "-p PID [OPTION]...",
	.what = ""
};

const struct front_command *front_command_find(const char *name)
{
	for (const struct front_command *c = front_commands; c->name; c++)
		if (!strcmp(c->name, name) || (c->alias && !strcmp(c->alias, name)))
			return c;
	return NULL;
}

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Returns the edit distance: letters to insert, delete or change. */
static size_t distance(const char *a, const char *b)
{
	size_t n = strlen(b), row[NAME_MAX_BYTES + 1];

	for (size_t j = 0; j <= n; j++)
		row[j] = j;
	for (size_t i = 1; a[i - 1]; i++) {
		size_t above = row[0];

		row[0] = i;
		for (size_t j = 1; j <= n; j++) {
			size_t change = above + (a[i - 1] != b[j - 1]);

			above = row[j];
			row[j] = least(change, least(row[j], row[j - 1]) + 1);
		}
	}
	return row[n];
}

const struct front_command *front_command_near(const char *typed)
{
	const struct front_command *nearest = NULL;
	size_t best = 3;

	if (strlen(typed) > NAME_MAX_BYTES)
		return NULL;
	for (const struct front_command *c = front_commands; c->name; c++) {
		size_t d = distance(typed, c->name);

		if (c->alias)
			d = least(d, distance(typed, c->alias));
		if (d < best && d < strlen(typed)) {
			best = d;
			nearest = c;
		}
	}
	return nearest;
}

const struct front_command *front_command_for(const struct front_command *c, char **args)
{
	if (strcmp(c->name, "calls"))
		return c;
	/* The user's command may have a -p of its own. */
	for (; *args && **args == '-' && strcmp(*args, "--"); args++)
		if (!strncmp(*args, "-p", 2))
			return &calls_of_a_process;
	return c;
}
