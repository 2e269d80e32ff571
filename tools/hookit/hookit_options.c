/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The table of options. */
#include "hookit_options.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "hook_values.h"

static const char *set_tells(void *o, const char *text, size_t n)
{
	(void)text, (void)n;
	((struct hookit_options *)o)->tells = true;
	return NULL;
}

static const char *set_waits(void *o, const char *text, size_t n)
{
	(void)text, (void)n;
	((struct hookit_options *)o)->waits = true;
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
	{ "CALLFLOW", "", "the calls of functions and what they took (log-rt, as always)",
	  call_set_flow, 0 },
	{ "CALLTREE", "", "the calls alone", call_set_tree, 0 },
	{ "CALLTRACE", "", "each entry and exit as well (log-gen)", call_set_trace, 0 },
	{ "TRACEHOOK", "", "each as a record of the trace that is taken of the program (0xB0)",
	  set_tells, 0 },
	{ "METHODTYPES", "", "a letter before each name: F, a function", call_set_types, 0 },
	{ "LINES", "",
	  "behind each name the source file and line; in log-rt what is inlined in functions",
	  set_lines, 0 },
	{ "FUNCTIONS=", "PATTERN[+…]", "which functions, * is any text; -PATTERN: which not",
	  set_functions, 0 },
	{ "ARGUMENTS=", "NAME@argN[/i|u|x|c|s|f][+…]",
	  "calls of these functions apart by an argument, or by what they return: NAME@retval",
	  set_arguments, 0 },
	{ "DEPTH=", "N", "so many levels of calls; what is deeper is counted with the last one",
	  set_depth, 0 },
	{ "MINTIME=", "N", "calls that took less in all, of the first metric (or ns), are left out",
	  set_least, 0 },
#ifdef HOOKIT_PATCHES
	{ "PATCH", "",
	  "patch the sites of a program that has some (-fpatchable-function-entry, XRay)",
	  set_patches, 0 },
#endif
	{ "METRICS=", "NAME[+…]",
	  "what is measured: wall (as always), tsc, instructions, … as ptt has them",
	  call_set_metrics, 0 },
	{ "CALIBRATION=", "FILE", "where minima are kept (in the user's cache), or none",
	  call_set_minima, 0 },
	{ "START", "", "begin at once (as always)", call_set_nothing, 0 },
	{ "NOSTART", "", "begin when the program calls HookitOn()", set_waits, 0 },
	{ "LOGPATH=", "FOLDER", "where the logs go (the working folder)", call_set_path, 0 },
	{ "LOGPREFIX=", "NAME", "the log's name before .N_PID (log-rt)", call_set_prefix, 0 },
	{ "HELP", "", "print this text", NULL, 0 },
	{ 0 },
};

static void usage(void)
{
	puts("hookit: the calls of functions of compiled code (log-rt)\n"
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
	return call_options_take(&list, &o->calls, from, text) > 0;
}

static void take(void)
{
	if (asked)
		are_wanted = take_text(&options, "", asked);
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
