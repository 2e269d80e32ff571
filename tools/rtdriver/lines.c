/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parses what users type: a command, its argument, and how long to wait after it. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "complain.h"
#include "rtdriver.h"
#include "units.h"

#define BLANKS " \t\r\n"
#define DUMP   ".hprof" /* the VM dumps to no other names */

const struct rt_command rt_commands[] = {
	{ "start", NULL, "start counting calls", "start", true },
	{ "stop", NULL, "stop counting calls; write the log", "stop", true },
	{ "end", NULL, "the same as stop", "stop", true },
	{ "flush", NULL, "write the log of what was counted; continue counting", "flush", true },
	{ "reset", NULL, "discard what was counted", "reset", false },
	{ "jlmstart", "JLML", "watch all monitors (JLM); JLML: only those that threads block at",
	  "jlmstart", true },
	{ "jlmdump", NULL, "write the log of monitors; continue watching", "jlmdump", true },
	{ "jlmstop", NULL, "stop watching monitors; write the log", "jlmstop", true },
	{ "heapdump", "FILE", "dump the VM's heap for hdump (default: heapdump.N_PID.hprof)",
	  "heapdump", true },
	{ "shutdown", NULL, "the agent stops listening (rtdriver can make it listen again)",
	  "shutdown", false },
	{ "help", NULL, "print these commands", NULL, false },
	{ "quit", NULL, "end rtdriver", NULL, false },
	{ NULL, NULL, NULL, NULL, false },
};

void rt_help(void)
{
	char name[64];

	for (const struct rt_command *c = rt_commands; c->name; c++) {
		snprintf(name, sizeof(name), "%s%s%s%s", c->name, c->argument ? " [" : "",
			 c->argument ? c->argument : "", c->argument ? "]" : "");
		printf("  %-16s  %s\n", name, c->help);
	}
	puts("A number after a command: wait so many seconds (or 500ms, 2m) after it.");
}

static const struct rt_command *find(const char *name)
{
	const struct rt_command *c = rt_commands;

	while (c->name && strcmp(c->name, name) != 0)
		c++;
	return c->name ? c : NULL;
}

static void wait_for(uint64_t ns)
{
	struct timespec t = { .tv_sec = (time_t)(ns / 1000000000),
			      .tv_nsec = (long)(ns % 1000000000) };

	while (nanosleep(&t, &t) && errno == EINTR)
		;
}

static int misused(const char *why, const char *what)
{
	complain("%s: '%s' (help lists the commands)", why, what);
	return EXIT_RTDRIVER;
}

/* A parsed line; without a command there is nothing to do. */
struct line_order {
	char *text;
	const struct rt_command *command;
	const char *argument;
	uint64_t pause;
};

/* Cuts the last word off. Returns it, or NULL if there is none. */
static char *last_word(char *text)
{
	size_t n = strlen(text), begin;

	while (n && strchr(BLANKS, text[n - 1]))
		n--;
	text[n] = 0;
	for (begin = n; begin && !strchr(BLANKS, text[begin - 1]);)
		begin--;
	return begin < n ? text + begin : NULL;
}

static bool is_dump(const char *name)
{
	const size_t n = strlen(name), end = strlen(DUMP);

	return n > end && !strcmp(name + n - end, DUMP);
}

/* The rest of a line: an argument, a time to wait, both or none. Names of files may have blanks. */
static int understand_rest(struct line_order *o, char *rest)
{
	char *last = last_word(rest);
	const bool is_file = o->command->argument && !strcmp(o->command->argument, "FILE");

	if (last && unit_time(last, &o->pause)) {
		*last = 0;
		last = last_word(rest);
	}
	if (!last)
		return 0;
	if (!o->command->argument || (!is_file && last != rest))
		return misused("not a time to wait", last);
	if (is_file && !is_dump(rest))
		return misused("no name that ends in " DUMP ", before a time to wait", rest);
	o->argument = rest;
	if (!rt_fits(o->command, o->argument))
		return misused("the argument is too long, or no name of a file", o->argument);
	return 0;
}

/* Returns 0, or an exit code after a message. The caller frees o->text in either case. */
static int understand(struct line_order *o, const char *line)
{
	char *name, *rest;

	*o = (struct line_order){ .text = strdup(line), .argument = "" };
	if (!o->text) {
		complain("%s", strerror(ENOMEM));
		return EXIT_RTDRIVER;
	}
	name = o->text + strspn(o->text, BLANKS);
	if (!*name)
		return 0;
	rest = name + strcspn(name, BLANKS);
	if (*rest)
		*rest++ = 0;
	o->command = find(name);
	return o->command ? understand_rest(o, rest + strspn(rest, BLANKS)) :
			    misused("no such command", name);
}

static int obey(struct rtdriver *r, const struct line_order *o, bool *quit)
{
	int rc = 0;

	if (o->command->send)
		rc = rt_ask(r, o->command, o->argument);
	else if (!strcmp(o->command->name, "help"))
		rt_help();
	else
		*quit = true;
	fflush(stdout);
	if (!rc && o->pause)
		wait_for(o->pause);
	return rc;
}

int rt_check(const char *line)
{
	struct line_order o;
	int rc = understand(&o, line);

	free(o.text);
	return rc;
}

int rt_line(struct rtdriver *r, const char *line, bool *quit)
{
	struct line_order o;
	int rc = understand(&o, line);

	if (!rc && o.command)
		rc = obey(r, &o, quit);
	free(o.text);
	return rc;
}
