/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rtdriver: parses options and reads commands from them or from stdin. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/read_all.h"
#include "base/regular.h"
#include "complain.h"
#include "option_store.h"
#include "option_table.h"
#include "rtdriver.h"

#define SECOND    1000000000ull
#define LINE_MOST 8192

enum { FORM = 1 };

static option_store option_command;

static const struct option_row rows[] = {
	{ { "-c" },
	  "COMMAND",
	  "do this: \"COMMAND [ARGUMENT] [SECONDS]\"; several are done in their order",
	  option_command,
	  .offset = 0,
	  .repeats = true,
	  .complete =
		  "start stop end flush reset jlmstart jlmdump jlmstop heapdump shutdown help" },
	{ { "-l" },
	  "FILE",
	  "the agent's library, if the VM has none yet: a path in the VM's root",
	  option_text,
	  OPTION_TO(struct rtdriver, library),
	  .complete = "@file" },
	{ { "-o" },
	  "OPTIONS",
	  "options of an agent that rtdriver loads (libjprof(1))",
	  option_text,
	  OPTION_TO(struct rtdriver, options) },
	{ { "-t" },
	  "TIME",
	  "how long to wait for an answer (default: 10s)",
	  option_duration,
	  OPTION_TO(struct rtdriver, limit),
	  .least = SECOND / 10,
	  .most = 86400 * SECOND },
	{ { "-p" },
	  "PORT",
	  "by TCP, to an agent that has CONTROL=tcp; instead of PID",
	  option_number,
	  OPTION_TO(struct rtdriver, port),
	  .least = 1,
	  .most = UINT16_MAX },
	{ { "-a" },
	  "ADDRESS",
	  "of that port (default: 127.0.0.1; no other machine's)",
	  option_text,
	  OPTION_TO(struct rtdriver, address) },
	{ { "-k" },
	  "FILE",
	  "with the token for it, which the agent wrote (rt-token.1_PID)",
	  option_text,
	  OPTION_TO(struct rtdriver, token_file),
	  .complete = "@file" },
	OPTION_JSON_ROW(struct rtdriver, FORM, 0),
	OPTION_HELP_ROWS,
	OPTION_ROWS_END
};
static const struct option_part parts[] = { { rows, 0 }, { NULL, 0 } };
static const struct option_table table = {
	.program = "rtdriver",
	.parts = parts,
	.operands = "@process",
	.usage =
		"usage: rtdriver [-c COMMAND]... [-l FILE] [-o OPTIONS] [-t TIME] [--json] PID\n"
		"       rtdriver [-c COMMAND]... [-a ADDRESS] -p PORT -k FILE [-t TIME] [--json]\n",
	.notes =
		"PID is a Java VM. Its agent counts and measures calls when it is told to; one that has none\n"
		"gets one. Without -c commands are read from standard input, a line each: help lists them.\n\n"
		"Exit code: 0; 1: the agent refused a command; 2: rtdriver failed. Nothing is done after that.",
};

static bool option_command(const struct option_given *given, void *to)
{
	struct rtdriver *r = to;

	if (array_next(r->commands, r->count, r->room)) {
		complain("%s", strerror(ENOMEM));
		return false;
	}
	r->commands[r->count++] = given->text;
	return true;
}

static bool read_token(struct rtdriver *r)
{
	int fd = open(r->token_file, REGULAR_HOLD), rc;
	char *text = NULL;
	size_t size = 0;

	fd = regular_reopen(fd, NULL);
	rc = fd < 0 ? -errno : read_all(fd, 64, &text, &size);
	if (fd >= 0)
		close(fd);
	if (!rc && (size != 33 || text[32] != '\n'))
		rc = -EINVAL;
	if (!rc)
		snprintf(r->token, sizeof(r->token), "%.32s", text);
	else
		complain("%s: %s", r->token_file,
			 rc == -EINVAL || rc == -EFBIG ? "is not a token of an agent" :
							 strerror(-rc));
	free(text);
	return !rc;
}

/* Returns why the command line names neither a VM nor a port; NULL if it names one. */
static const char *why_none(const struct rtdriver *r, const struct option_rest *rest)
{
	if (r->port && rest->count)
		return "-p PORT replaces PID";
	if (r->port)
		return r->token_file ? NULL : "-p needs -k, the file of the agent's token";
	if (r->address || r->token_file)
		return "-a and -k need -p, the agent's port";
	if (!rest->count)
		return "give the PID of a Java VM";
	return rest->count == 1 ? NULL : "one PID only: commands are given by -c";
}

/* Finds the VM or the port that the command line names. */
static bool find_agent(struct rtdriver *r, const struct option_rest *rest)
{
	const char *why = why_none(r, rest);
	uint64_t pid;

	if (why) {
		complain("%s", why);
		options_help(stderr, &table);
		return false;
	}
	if (r->port)
		return read_token(r);
	return number_of("PID", rest->words[0], 1, INT32_MAX, &pid) &&
	       target_open(&r->target, (pid_t)pid);
}

static int from_input(struct rtdriver *r)
{
	bool quit = false, asks = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
	char *line = NULL;
	size_t room = 0;
	int code = 0, rc;
	ssize_t n = 0;

	while (!quit) {
		if (asks) {
			fputs("rtdriver> ", stdout);
			fflush(stdout);
		}
		n = getline(&line, &room, stdin);
		if (n < 0)
			break;
		rc = n > LINE_MOST ? EXIT_RTDRIVER : rt_line(r, line, &quit);
		if (n > LINE_MOST)
			complain("a line of more than %d characters is not a command", LINE_MOST);
		if (rc && !asks)
			quit = true;
		code = asks ? 0 : rc;
	}
	free(line);
	return code;
}

static int run(struct rtdriver *r)
{
	bool quit = false;
	int code = 0;

	if (!r->count)
		return from_input(r);
	for (size_t i = 0; i < r->count && !code && !quit; i++)
		code = rt_line(r, r->commands[i], &quit);
	return code;
}

int main(int argc, char **argv)
{
	struct rtdriver r = { .limit = 10 * SECOND,
			      .target = { .process = -1, .root = -1, .folder = -1 } };
	struct option_rest rest;
	int code = 0;

	signal(SIGPIPE, SIG_IGN);
	switch (options_parse(&table, 0, &r, argc, argv, &rest)) {
	case OPTIONS_TAKEN:
		break;
	case OPTIONS_DONE:
		return fflush(stdout) || ferror(stdout) ? EXIT_RTDRIVER : 0;
	default:
		return EXIT_RTDRIVER;
	}
	/* Check all commands first: none is sent if a later one is invalid. */
	for (size_t i = 0; i < r.count && !code; i++)
		code = rt_check(r.commands[i]);
	if (!code)
		code = find_agent(&r, &rest) ? run(&r) : EXIT_RTDRIVER;
	if ((fflush(stdout) || ferror(stdout)) && !code) {
		complain("standard output: %s", strerror(errno ? errno : EIO));
		code = EXIT_RTDRIVER;
	}
	target_close(&r.target);
	free(r.commands);
	return code;
}
