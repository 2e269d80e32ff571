/* SPDX-License-Identifier: GPL-3.0-or-later */
/* swtrace: control of tracing. The first word names a sub-command. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "swtrace.h"
#include "units.h"

const struct command commands[] = {
	{ "init", cmd_init, "[-s MB] [-sm MB] [-ss KB] [-t norm|cont] [-f FILE] [-p PID]",
	  "begin a session: trace buffer, MTE buffer, section size, mode, file" },
	{ "enable", cmd_enable, "[MAJOR|tprof]...", "enable majors (none: tprof)" },
	{ "disable", cmd_disable, "[MAJOR|tprof]...", "disable majors (none: all)" },
	{ "maj", cmd_maj, "", "list majors" },
	{ "setrate", cmd_setrate, "N", "ticks a second, 1 to 20000" },
	{ "on", cmd_on, "", "start tracing" },
	{ "off", cmd_off, "", "stop tracing; disables all majors" },
	{ "get", cmd_get, "[FILE]", "write the buffers to a file" },
	{ "free", cmd_free, "", "end the session; off if it is on" },
	{ "info", cmd_info, "", "state, sizes, rate, losses, what the driver can do" },
	{ "run", cmd_run, "[OPTION]... [--] COMMAND [ARG]...", "trace a command and its children" },
	{ "help", cmd_help, "[SUBCOMMAND]", "this text" },
	{ NULL, NULL, NULL, NULL }
};

int fail(const char *format, ...)
{
	va_list ap;

	fputs("swtrace: ", stderr);
	va_start(ap, format);
	vfprintf(stderr, format, ap);
	va_end(ap);
	fputc('\n', stderr);
	return EXIT_SWTRACE;
}

int fail_rc(int rc)
{
	const char *why = TraceLastError();

	return fail("%s", *why ? why : RcToString(rc));
}

static const struct command *find(const char *name)
{
	for (const struct command *c = commands; c->name; c++)
		if (!strcmp(c->name, name))
			return c;
	return NULL;
}

int usage_of(const char *name)
{
	const struct command *c = find(name);

	fprintf(stderr, "usage: swtrace %s %s\n", c->name, c->usage);
	return EXIT_SWTRACE;
}

bool no_arguments(int argc, char **argv)
{
	if (argc <= 1)
		return true;
	fail("%s takes no arguments", argv[0]);
	usage_of(argv[0]);
	return false;
}

bool number(const char *option, const char *text, long least, long most, long *value)
{
	uint64_t n;

	if (unit_count(text, &n) && n >= (uint64_t)least && n <= (uint64_t)most) {
		*value = (long)n;
		return true;
	}
	fail("%s: '%s' is not a number from %ld to %ld", option, text, least, most);
	return false;
}

bool size_of(const char *option, const char *text, unsigned long long unit, uint64_t *bytes)
{
	uint64_t n;

	if (unit_count(text, &n) && n && n <= UINT32_MAX && text[strspn(text, "0123456789")] == 0) {
		*bytes = n * unit;
		return true;
	}
	if (unit_size(text, bytes) && *bytes)
		return true;
	fail("%s: '%s' is not a size", option, text);
	return false;
}

bool mode_of(const char *text, int *mode)
{
	static const struct {
		const char *name;
		int mode;
	} modes[] = {
		{ "norm", TRACE_NORMAL }, { "normal", TRACE_NORMAL }, { "cont", TRACE_CONTINUOUS },
		{ "continuous", TRACE_CONTINUOUS }, { "wrap", TRACE_WRAP },
	};

	for (size_t i = 0; i < sizeof(modes) / sizeof(*modes); i++)
		if (!strcmp(text, modes[i].name)) {
			*mode = modes[i].mode;
			return true;
		}
	fail("-t: '%s' is no mode; there are norm and cont", text);
	return false;
}

const char *mode_name(int mode)
{
	return mode == TRACE_NORMAL ? "normal" : mode == TRACE_CONTINUOUS ? "continuous" : "wrap";
}

const char *ring_name(int ring)
{
	return ring == PITRACE_RING_MTE ? "MTE" : "trace";
}

int cmd_help(int argc, char **argv)
{
	const struct command *c;

	if (argc > 1) {
		c = find(argv[1]);
		if (!c)
			return fail("no sub-command '%s'; see swtrace help", argv[1]);
		printf("usage: swtrace %s %s\n\n%s\n", c->name, c->usage, c->what);
		if (c->run == cmd_run)
			return cmd_run(-1, argv);
		return 0;
	}
	puts("usage: swtrace SUBCOMMAND [OPTION]...\n");
	for (c = commands; c->name; c++)
		printf("  %-8s %-44s %s\n", c->name, c->usage, c->what);
	puts("\nUsual order: init, enable, on, off, get, free; then post. Or all at once: run, then post.\n"
	     "swtrace help run lists the options of run; swtrace(1) tells the rest.");
	return 0;
}

int main(int argc, char **argv)
{
	const struct command *c;

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
	return c->run(argc - 1, argv + 1);
}
