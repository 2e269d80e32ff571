/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The table of options. */
#include "hookit_options.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#include "base/text.h"
#include "hook_values.h"

static const char *set_events(void *o, const char *text, size_t n)
{
	(void)text, (void)n;
	((struct hookit_options *)o)->events = true;
	return NULL;
}

static const char *set_waits(void *o, const char *text, size_t n)
{
	(void)text, (void)n;
	((struct hookit_options *)o)->waits = true;
	return NULL;
}

static const char *set_no_signals(void *o, const char *text, size_t n)
{
	(void)text, (void)n;
	((struct hookit_options *)o)->no_signals = true;
	return NULL;
}

#ifdef HOOKIT_PATCHES
static const char *set_patches(void *o, const char *text, size_t n)
{
	(void)text, (void)n;
	((struct hookit_options *)o)->patches = true;
	return NULL;
}
#endif

static const char *set_functions(void *o, const char *text, size_t n)
{
	return call_take_filter(&((struct hookit_options *)o)->functions, text, n);
}

static const char *set_lines(void *o, const char *text, size_t n)
{
	(void)text, (void)n;
	((struct hookit_options *)o)->lines = true;
	return NULL;
}

static const char *set_arguments(void *o, const char *text, size_t n)
{
	((struct hookit_options *)o)->arguments = true;
	return values_set(text, n);
}

static const char *take_number(uint64_t *to, uint64_t most, const char *text, size_t n)
{
	struct bytes b = bytes_of(text, n);

	return text_number(&b, 10, to) && !bytes_left(&b) && *to && *to <= most ?
		       NULL :
		       "a number from 1 on is needed";
}

static const char *set_depth(void *o, const char *text, size_t n)
{
	uint64_t depth = 0;
	const char *why = take_number(&depth, 100000, text, n);

	((struct hookit_options *)o)->depth = (uint32_t)depth;
	return why;
}

static const char *set_least(void *options, const char *text, size_t n)
{
	struct hookit_options *o = options;

	o->least_is_ns = n > 2 && !memcmp(text + n - 2, "ns", 2);
	return take_number(&o->least, INT64_MAX, text, n - (o->least_is_ns ? 2 : 0));
}

static const struct call_option rows[] = {
	{ "CALLFLOW", "", "calls of functions and what they took (log-rt; the default)",
	  call_set_flow, 0 },
	{ "CALLTREE", "", "only the calls", call_set_tree, 0 },
	{ "CALLTRACE", "", "also each entry and exit (log-gen)", call_set_trace, 0 },
	{ "TRACEHOOK", "", "each entry and exit as a record of the program's trace (0xB0)",
	  set_events, 0 },
	{ "METHODTYPES", "", "a letter before each name: F, a function", call_set_types, 0 },
	{ "LINES", "", "append source file and line to each name; list inlined functions in log-rt",
	  set_lines, 0 },
	{ "FUNCTIONS=", "PATTERN[+…]", "functions to measure, * is any text; -PATTERN excludes",
	  set_functions, 0 },
	{ "ARGUMENTS=", "NAME@argN[/i|u|x|c|s|f][+…]",
	  "separate these functions' calls by an argument, or by the return value: NAME@retval",
	  set_arguments, 0 },
	{ "DEPTH=", "N", "levels of calls to keep; deeper ones count with the last one", set_depth,
	  0 },
	{ "MINTIME=", "N", "leave out calls that took less in total, of the first metric (or ns)",
	  set_least, 0 },
#ifdef HOOKIT_PATCHES
	{ "PATCH", "",
	  "patch the sites of a program that has some (-fpatchable-function-entry, XRay)",
	  set_patches, 0 },
#endif
	{ "METRICS=", "NAME[+…]", "metrics: wall (the default), tsc, instructions, … as in ptt",
	  call_set_metrics, 0 },
	{ "CALIBRATION=", "FILE", "file of minima (default: in the user's cache), or none",
	  call_set_minima, 0 },
	{ "START", "", "start at once (the default)", call_set_nothing, 0 },
	{ "NOSTART", "", "start when the program calls HookitOn()", set_waits, 0 },
	{ "NOSIGNALS", "", "do not write logs when a signal ends the program", set_no_signals, 0 },
	{ "LOGPATH=", "FOLDER", "folder of the logs (the working folder)", call_set_path, 0 },
	{ "LOGPREFIX=", "NAME", "the log's name before .N_PID (log-rt)", call_set_prefix, 0 },
	{ "HELP", "", "print this text", NULL, 0 },
	{ 0 },
};

static void usage(void)
{
	puts("hookit: calls of functions of compiled code (log-rt)\n"
	     "  HOOKITOPTS=OPTION[,OPTION]... in the environment");
}

static const struct call_option_list list = {
	.rows = rows,
	.program = "hookit",
	.after = ": nothing is measured",
	.usage = usage,
};

static struct hookit_options options;
static const char *asked;
static bool are_wanted;

static bool take_text(struct hookit_options *o, const char *from, const char *text)
{
	if (call_options_take(&list, &o->calls, from, text) <= 0)
		return false;
	call_absolute_path(&o->calls);
	return true;
}

/* In a program with other rights than its user's, the user would choose what is written where. */
static void take(void)
{
	if (asked)
		are_wanted = take_text(&options, "", asked);
	else if (getauxval(AT_SECURE))
		fputs("hookit: the program has other rights than its user: nothing is measured\n",
		      stderr);
	else
		are_wanted = take_text(&options, "HOOKITOPTS: ", getenv("HOOKITOPTS"));
	asked = NULL;
}

const struct hookit_options *hookit_options(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, take);
	return are_wanted ? &options : NULL;
}

const struct hookit_options *hookit_options_asked(const char *text)
{
	static struct hookit_options later;

	asked = text;
	if (!hookit_options())
		return NULL;
	if (!asked)
		return &options;
	asked = NULL;
	later = (struct hookit_options){ 0 };
	if (!take_text(&later, "", text))
		return NULL;
	memcpy(options.calls.path, later.calls.path, sizeof(options.calls.path));
	/* Not freed: another thread may still use the old ones. */
	options.functions = later.functions;
	options.least = later.least;
	options.least_is_ns = later.least_is_ns;
	return &options;
}
