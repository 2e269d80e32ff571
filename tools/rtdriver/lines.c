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

#define WORDS 3

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

/* Splits a line into at most WORDS words. Returns their number; WORDS + 1: too many. */
static int split(char *text, char *word[WORDS])
{
	char *save, *w;
	int n = 0;

	for (w = strtok_r(text, " \t\r\n", &save); w; w = strtok_r(NULL, " \t\r\n", &save)) {
		if (n == WORDS)
			return n + 1;
		word[n++] = w;
	}
	return n;
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

static int understand_words(struct line_order *o, char **word, int n)
{
	o->command = find(word[0]);
	if (!o->command)
		return misused("no such command", word[0]);
	if (n > 1 && unit_time(word[n - 1], &o->pause))
		n--;
	if (n > 2 || (n == 2 && !o->command->argument))
		return misused("not a time to wait", word[n - 1]);
	if (n == 2)
		o->argument = word[1];
	if (!rt_fits(o->command, o->argument))
		return misused("the argument is too long, or no name of a file", o->argument);
	return 0;
}

/* Returns 0, or an exit code after a message. The caller frees o->text in either case. */
static int understand(struct line_order *o, const char *line)
{
	char *word[WORDS];
	int n;

	*o = (struct line_order){ .text = strdup(line), .argument = "" };
	if (!o->text) {
		complain("%s", strerror(ENOMEM));
		return EXIT_RTDRIVER;
	}
	n = split(o->text, word);
	if (n > WORDS)
		return misused("too many words", line);
	return n ? understand_words(o, word, n) : 0;
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
