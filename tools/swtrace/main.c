/* SPDX-License-Identifier: GPL-3.0-or-later */
/* swtrace: controls tracing. The first word names a sub-command. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "called_as.h"
#include "fit.h"
#include "swtrace.h"

struct swtrace_command {
	const char *name;
	int (*run)(int argc, char **argv); /* argv[0] is the name; returns the exit code or USAGE */
	const char *usage, *what;
	const struct option_table *options; /* NULL: no options; then only the members below */
	const char *operands;               /* words that may follow it, for completions */
	const char *(*completions)(void);
};

static int cmd_help(int argc, char **argv);
static const char *command_names(void);

static const struct swtrace_command commands[] = {
	{ "init", cmd_init, "[OPTION]...",
	  "begin a session: buffers, mode, file, stacks, collector", .options = &cmd_init_table },
	{ "enable", cmd_enable, "[MAJOR|tprof]...", "enable majors (none: tprof)",
	  .completions = majors_names },
	{ "disable", cmd_disable, "[MAJOR|tprof]...", "disable majors (none: all)",
	  .completions = majors_names },
	{ "maj", cmd_maj, "", "list majors", .options = NULL },
	{ "setrate", cmd_setrate, "N", "ticks per second, 1 to 20000", .options = NULL },
	{ "on", cmd_on, "", "start tracing", .options = NULL },
	{ "off", cmd_off, "", "stop tracing; disables all majors", .options = NULL },
	{ "suspend", cmd_suspend, "", "pause; names are still recorded", .options = NULL },
	{ "resume", cmd_resume, "", "go on after suspend", .options = NULL },
	{ "discard", cmd_discard, "", "discard the content of the trace buffers", .options = NULL },
	{ "get", cmd_get, "[FILE]", "write what was traced so far to a file, on or off",
	  .operands = "@file" },
	{ "free", cmd_free, "", "end the session; off if it is on", .options = NULL },
	{ "info", cmd_info, "", "state, sizes, rate, losses, what the driver can do",
	  .options = NULL },
	{ "check", cmd_check, "[-p PID] [--json]",
	  "which collectors work, and how to enable the others", .options = &cmd_check_table },
	{ "mark", cmd_mark, "[-M MAJOR] [-m MINOR] [-b ID|-e ID] [-i N]... [TEXT]...",
	  "write a record into the trace: for scripts", .options = &cmd_mark_table },
	{ "event", cmd_event, "list [WORD] | [-c COUNT] NAME[,NAME]",
	  "what can be sampled; what a name means; sample by it", .options = &cmd_event_table },
	{ "ai", cmd_ai, "[INTERVAL [SAMPLES | -r TIME]] [OPTION]...",
	  "AboveIdle: how idle and busy the CPUs are", .options = &cmd_ai_table },
	{ "ptt_int", cmd_ptt_int, "on|off",
	  "charge interrupts to threads, or count them separately (of ptt init)",
	  .operands = "on off" },
	{ "it_install", cmd_it_install, "[OPTION]...",
	  "trace instructions when tracing is on (of init)", .options = &cmd_it_install_table },
	{ "it_remove", cmd_it_remove, "", "trace no more instructions", .options = NULL },
	{ "run", cmd_run, "[OPTION]... [--] COMMAND [ARG]...", "trace a command and its children",
	  .options = &cmd_run_table },
	{ "top", cmd_top, "[-p PID] [OPTION]...",
	  "a live view: functions, threads, processes, cgroups", .options = &cmd_top_table },
	{ "calls", cmd_calls, "-p PID [OPTION]...",
	  "measure the calls of a running program that has patch sites",
	  .options = &cmd_calls_table },
	{ "help", cmd_help, "[SUBCOMMAND]", "print this text", .completions = command_names },
	{ NULL, NULL, NULL, NULL, .options = NULL }
};

static const struct swtrace_command *find(const char *name)
{
	for (const struct swtrace_command *c = commands; c->name; c++)
		if (!strcmp(c->name, name))
			return c;
	return NULL;
}

static const char *command_names(void)
{
	static char out[512];
	size_t used = 0;

	for (const struct swtrace_command *c = commands; c->name && used < sizeof(out); c++)
		used += (size_t)snprintf(out + used, sizeof(out) - used, "%s%s", used ? " " : "",
					 c->name);
	return out;
}

static int cmd_help(int argc, char **argv)
{
	const struct swtrace_command *c;
	struct fit lines;
	FILE *out;

	if (argc > 1) {
		c = find(argv[1]);
		if (!c)
			return fail("no sub-command '%s'; see swtrace help", argv[1]);
		fit_printf(stdout, "usage: swtrace %s %s\n", c->name, c->usage);
		putchar('\n');
		fit_printf(stdout, "%s\n", c->what);
		if (c->options) {
			putchar('\n');
			options_help(stdout, c->options);
			putchar('\n');
		}
		return 0;
	}
	out = fit_begin(&lines, stdout);
	fputs("usage: swtrace SUBCOMMAND [OPTION]...\n\n", out);
	for (c = commands; c->name; c++)
		fprintf(out, "  %-10s %s\n", c->name, c->what);
	fputs("\nWhat to type, to find:\n"
	      "    where time goes       swtrace run -- COMMAND; post\n"
	      "    where it goes now     swtrace top\n"
	      "    who calls whom        swtrace run -g -- COMMAND; post -calltree\n"
	      "    why threads wait      swtrace run -g -M tprof,dispatch,wakeup -- COMMAND; post -offcpu\n"
	      "    system calls          swtrace run -M syscall -- COMMAND; post -syscalls\n"
	      "    page faults           swtrace run -M fault -- COMMAND; post -faults\n"
	      "    Java, node, Python    swtrace run --jit -- COMMAND; post\n"
	      "    each call             swtrace run --calls -- COMMAND; post -functions log-rt.*\n"
	      "    what works here       swtrace check\n"
	      "\nUsual order: init, enable, on, off, get, free; then post. Or all at once: run, then post.\n"
	      "swtrace help run lists the options of run, help init those of init; see also swtrace(1).\n",
	      out);
	fit_end(&lines);
	return 0;
}

/* Prints completions for shells (option_table.h), of one sub-command or of all. */
static int complete(const struct swtrace_command *c)
{
	static const struct option_part parts[] = { { NULL, 0 } };
	struct option_table plain = { .parts = parts };

	if (!c) {
		for (c = commands; c->name; c++)
			options_complete_command(stdout, c->name, c->what);
		options_complete_help(stdout);
		return 0;
	}
	plain.operands = c->operands;
	plain.completions = c->completions;
	options_complete(stdout, c->options ? c->options : &plain, 0);
	return 0;
}

int main(int argc, char **argv)
{
	const struct swtrace_command *c;
	int code;

	if (argc < 2) {
		cmd_help(1, argv);
		return EXIT_SWTRACE;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))
		return cmd_help(1, argv);
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V")) {
		printf("swtrace (pitrace) %s\n", PITRACE_VERSION);
		return 0;
	}
	if (!strcmp(argv[1], "--complete"))
		return complete(NULL);
	c = find(argv[1]);
	if (!c)
		return fail("no sub-command '%s'; see swtrace help", argv[1]);
	if (argc == 3 && !strcmp(argv[2], "--help"))
		return cmd_help(2, (char *[]){ argv[0], argv[1], NULL });
	if (argc == 3 && !strcmp(argv[2], "--complete"))
		return complete(c);
	code = c->run(argc - 1, argv + 1);
	if (code != USAGE)
		return code;
	if (called_by_front())
		fit_printf(stderr, "Try: %s --help\n", called_as(NULL));
	else
		fit_printf(stderr, "usage: swtrace %s %s\n", c->name, c->usage);
	return EXIT_SWTRACE;
}
