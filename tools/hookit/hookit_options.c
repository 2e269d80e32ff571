/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The table of options, and how they are read. An unknown one is an error. */
#include "hookit_options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "escape.h"
#include "metrics.h"

/* Each says why not, or NULL. */
typedef const char *option_set(struct hookit_options *o, const char *text, size_t n);

static const char *set_nothing(struct hookit_options *o, const char *text, size_t n)
{
	(void)o, (void)text, (void)n;
	return NULL;
}

static const char *set_tree(struct hookit_options *o, const char *text, size_t n)
{
	(void)text, (void)n;
	o->tree = true;
	return NULL;
}

static const char *set_flow(struct hookit_options *o, const char *text, size_t n)
{
	(void)text, (void)n;
	o->tree = false;
	return NULL;
}

static const char *set_trace(struct hookit_options *o, const char *text, size_t n)
{
	(void)text, (void)n;
	o->trace = true;
	return NULL;
}

static const char *set_tells(struct hookit_options *o, const char *text, size_t n)
{
	(void)text, (void)n;
	o->tells = true;
	return NULL;
}

static const char *set_types(struct hookit_options *o, const char *text, size_t n)
{
	(void)text, (void)n;
	o->types = true;
	return NULL;
}

static const char *set_waits(struct hookit_options *o, const char *text, size_t n)
{
	(void)text, (void)n;
	o->waits = true;
	return NULL;
}

static const char *set_functions(struct hookit_options *o, const char *text, size_t n)
{
	return filter_set(&o->functions, text, n) ? "patterns separated by + are needed" : NULL;
}

static const char *take_number(uint64_t *to, uint64_t most, const char *text, size_t n)
{
	struct bytes b = bytes_of(text, n);

	return text_number(&b, 10, to) && !bytes_left(&b) && *to && *to <= most ?
		       NULL :
		       "a number from 1 on is needed";
}

static const char *set_depth(struct hookit_options *o, const char *text, size_t n)
{
	uint64_t depth = 0;
	const char *why = take_number(&depth, 100000, text, n);

	o->depth = (uint32_t)depth;
	return why;
}

static const char *set_least(struct hookit_options *o, const char *text, size_t n)
{
	o->least_is_ns = n > 2 && !memcmp(text + n - 2, "ns", 2);
	return take_number(&o->least, INT64_MAX, text, n - (o->least_is_ns ? 2 : 0));
}

static const char *set_name(char *to, size_t size, const char *text, size_t n)
{
	if (!n || n >= size)
		return n ? "it is too long" : "a name is needed";
	memcpy(to, text, n);
	to[n] = 0;
	return NULL;
}

static const char *set_metrics(struct hookit_options *o, const char *text, size_t n)
{
	(void)o;
	return metrics_set(text, n);
}

static const char *set_minima(struct hookit_options *o, const char *text, size_t n)
{
	o->no_minima = n == 4 && !memcmp(text, "none", n);
	return o->no_minima ? NULL : set_name(o->minima, sizeof(o->minima), text, n);
}

static const char *set_path(struct hookit_options *o, const char *text, size_t n)
{
	return set_name(o->path, sizeof(o->path), text, n);
}

static const char *set_prefix(struct hookit_options *o, const char *text, size_t n)
{
	return memchr(text, '/', n) ? "it has a slash: LOGPATH is for folders" :
				      set_name(o->prefix, sizeof(o->prefix), text, n);
}

static const struct hookit_option {
	const char *name, *argument, *help;
	option_set *set; /* NULL: help */
} options[] = {
	{ "CALLFLOW", "", "the calls of functions and what they took (log-rt, as always)",
	  set_flow },
	{ "CALLTREE", "", "the calls alone", set_tree },
	{ "CALLTRACE", "", "each entry and exit as well (log-gen)", set_trace },
	{ "TRACEHOOK", "", "each as a record of the trace that is taken of the program (0xB0)",
	  set_tells },
	{ "METHODTYPES", "", "a letter before each name: F, a function", set_types },
	{ "FUNCTIONS=", "PATTERN[+…]", "which functions, * is any text; -PATTERN: which not",
	  set_functions },
	{ "DEPTH=", "N", "so many levels of calls; what is deeper is counted with the last one",
	  set_depth },
	{ "MINTIME=", "N", "calls that took less in all, of the first metric (or ns), are left out",
	  set_least },
#ifdef HOOKIT_PATCHES
	{ "PATCH", "",
	  "patch the sites of a program that has some (-fpatchable-function-entry, XRay)",
	  set_nothing },
#endif
	{ "METRICS=", "NAME[+…]",
	  "what is measured: wall (as always), tsc, instructions, … as ptt has them", set_metrics },
	{ "CALIBRATION=", "FILE", "where minima are kept (in the user's cache), or none",
	  set_minima },
	{ "START", "", "begin at once (as always)", set_nothing },
	{ "NOSTART", "", "begin when the program calls HookitOn()", set_waits },
	{ "LOGPATH=", "FOLDER", "where the logs go (the working folder)", set_path },
	{ "LOGPREFIX=", "NAME", "the log's name before .N_PID (log-rt)", set_prefix },
	{ "HELP", "", "print this text", NULL },
};
#define OPTIONS (sizeof(options) / sizeof(*options))

static void usage(void)
{
	puts("hookit: the calls of functions of compiled code (log-rt)\n"
	     "  HOOKITOPTS=OPTION[,OPTION]... in the environment");
	for (size_t i = 0; i < OPTIONS; i++)
		printf("  %s%-*s  %s\n", options[i].name, (int)(24 - strlen(options[i].name)),
		       options[i].argument, options[i].help);
	fflush(stdout);
}

static const struct hookit_option *find_option(const char *text, size_t n)
{
	for (size_t i = 0; i < OPTIONS; i++) {
		size_t length = strlen(options[i].name);

		if (n >= length && !strncmp(text, options[i].name, length) &&
		    (n == length || options[i].name[length - 1] == '='))
			return &options[i];
	}
	return NULL;
}

int hookit_options_take(struct hookit_options *o, const char *text)
{
	while (text && *text) {
		size_t n = strcspn(text, ","), length;
		const struct hookit_option *a = find_option(text, n);
		const char *why = a ? NULL : "unknown option";

		if (a && !a->set) {
			usage();
			return 0;
		}
		length = a ? strlen(a->name) : 0;
		if (a)
			why = a->set(o, text + length, n - length);
		if (n && why) {
			escape_printf(stderr,
				      "hookit: HOOKITOPTS: %.*s: %s (HELP lists the options): nothing is measured\n",
				      (int)n, text, why);
			return -1;
		}
		text += n + (text[n] == ',');
	}
	return 1;
}
