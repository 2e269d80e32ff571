/* SPDX-License-Identifier: GPL-3.0-or-later */
/* swtrace: control of tracing. The first word names a sub-command. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "swtrace.h"

struct command {
	const char *name;
	int (*run)(int argc, char **argv);	/* argv[0] is the name; the exit code or USAGE */
	const char *usage, *what;
	const char *options;
};

static int cmd_help(int argc, char **argv);

static const struct command commands[] = {
	{ "init", cmd_init, "[OPTION]...", "begin a session: buffers, mode, file, stacks, collector",
	  cmd_init_options },
	{ "enable", cmd_enable, "[MAJOR|tprof]...", "enable majors (none: tprof)", NULL },
	{ "disable", cmd_disable, "[MAJOR|tprof]...", "disable majors (none: all)", NULL },
	{ "maj", cmd_maj, "", "list majors", NULL },
	{ "setrate", cmd_setrate, "N", "ticks a second, 1 to 20000", NULL },
	{ "on", cmd_on, "", "start tracing", NULL },
	{ "off", cmd_off, "", "stop tracing; disables all majors", NULL },
	{ "suspend", cmd_suspend, "", "pause; names are still recorded", NULL },
	{ "resume", cmd_resume, "", "go on after suspend", NULL },
	{ "discard", cmd_discard, "", "forget what the trace buffers hold", NULL },
	{ "get", cmd_get, "[FILE]", "write what was traced so far to a file, on or off", NULL },
	{ "free", cmd_free, "", "end the session; off if it is on", NULL },
	{ "info", cmd_info, "", "state, sizes, rate, losses, what the driver can do", NULL },
	{ "check", cmd_check, "[-p PID] [--json]", "which collectors can serve, and what mends the others",
	  NULL },
	{ "mark", cmd_mark, "[-M MAJOR] [-m MINOR] [-i N]... [TEXT]...",
	  "write a record into the trace: for scripts", NULL },
	{ "event", cmd_event, "list [WORD] | [-c COUNT] NAME[,NAME]",
	  "what can be sampled; what a name means; sample by it", cmd_event_options },
	{ "ai", cmd_ai, "[INTERVAL [SAMPLES | -r TIME]] [OPTION]...",
	  "AboveIdle: how idle and busy the CPUs are", cmd_ai_options },
	{ "ptt_int", cmd_ptt_int, "on|off",
	  "interrupts are charged to threads, or stand apart (of ptt init)", NULL },
	{ "it_install", cmd_it_install, "[OPTION]...",
	  "trace instructions when tracing is on (of init)", cmd_it_install_options },
	{ "it_remove", cmd_it_remove, "", "trace no more instructions", NULL },
	{ "run", cmd_run, "[OPTION]... [--] COMMAND [ARG]...", "trace a command and its children",
	  cmd_run_options },
	{ "help", cmd_help, "[SUBCOMMAND]", "this text", NULL },
	{ NULL, NULL, NULL, NULL, NULL }
};

static const struct command *find(const char *name)
{
	for (const struct command *c = commands; c->name; c++)
		if (!strcmp(c->name, name))
			return c;
	return NULL;
}

static int cmd_help(int argc, char **argv)
{
	const struct command *c;

	if (argc > 1) {
		c = find(argv[1]);
		if (!c)
			return fail("no sub-command '%s'; see swtrace help", argv[1]);
		printf("usage: swtrace %s %s\n\n%s\n", c->name, c->usage, c->what);
		if (c->options)
			printf("\n%s\n", c->options);
		return 0;
	}
	puts("usage: swtrace SUBCOMMAND [OPTION]...\n");
	for (c = commands; c->name; c++)
		printf("  %-10s %-44s %s\n", c->name, c->usage, c->what);
	puts("\nUsual order: init, enable, on, off, get, free; then post. Or all at once: run, then post.\n"
	     "swtrace help run lists the options of run, help init those of init; swtrace(1) tells the rest.");
	return 0;
}

int main(int argc, char **argv)
{
	const struct command *c;
	int code;

	if (argc < 2) {
		cmd_help(1, argv);
		return EXIT_SWTRACE;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))
		return cmd_help(1, argv);
	if (!strcmp(argv[1], "--version")) {
		printf("swtrace (pitrace) %s\n", PITRACE_VERSION);
		return 0;
	}
	c = find(argv[1]);
	if (!c)
		return fail("no sub-command '%s'; see swtrace help", argv[1]);
	if (argc == 3 && !strcmp(argv[2], "--help"))
		return cmd_help(2, (char *[]){ argv[0], argv[1], NULL });
	code = c->run(argc - 1, argv + 1);
	if (code != USAGE)
		return code;
	fprintf(stderr, "usage: swtrace %s %s\n", c->name, c->usage);
	return EXIT_SWTRACE;
}
