/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * --calls for compiled code: loads libhookit into all programs that the command starts. It measures
 * those that were compiled for it and does not affect others.
 */
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "compiled.h"
#include "complain.h"
#include "run.h"

#define LIBRARY "libhookit.so"

/* Makes one list of both kinds of patterns, the excluding ones last. Separators of options and of
 * words in variables become '*', which matches them. */
char *run_patterns(const char *yes, const char *no)
{
	char *text, *to;

	if (!yes && !no)
		return NULL;
	text = malloc((yes ? strlen(yes) : 0) + (no ? 2 * strlen(no) : 0) + 3);
	if (!text)
		return NULL;
	to = stpcpy(text, yes ? yes : "");
	if (yes && no)
		*to++ = '+';
	for (bool begins = true; no && *no; no++) {
		if (begins)
			*to++ = '-';
		begins = *no == '+';
		*to++ = *no;
	}
	*to = 0;
	for (char *p = text; *p; p++)
		if (strchr(", \t\n\"'=", *p))
			*p = '*';
	return text;
}

/* The command may be a script or start others: the library finds out in each program whether it
 * has sites. */
#ifdef HOOKIT_PATCHES
#define SITES "PATCH,"
#else
#define SITES ""
#endif

/* Puts our options first, so that the user's own override them. */
static bool set_options(const struct trace_run *r, const char *folder)
{
	char *patterns = run_patterns(r->functions, r->not_functions),
	     *arguments = run_patterns(r->arguments, NULL), depth[40] = "", least[40] = "", *text;
	const char *old = getenv("HOOKITOPTS");
	bool good;

	if (r->levels)
		snprintf(depth, sizeof(depth), ",DEPTH=%" PRIu64, r->levels);
	if (r->least)
		snprintf(least, sizeof(least), ",MINTIME=%" PRIu64 "ns", r->least);
	good = asprintf(&text, "METHODTYPES," SITES "LOGPATH=%s%s%s%s%s%s%s%s%s", folder,
			patterns ? ",FUNCTIONS=" : "", patterns ? patterns : "",
			arguments ? ",ARGUMENTS=" : "", arguments ? arguments : "", depth, least,
			old && *old ? "," : "", old ? old : "") >= 0;
	free(patterns);
	free(arguments);
	if (!good)
		return false;
	good = !setenv("HOOKITOPTS", text, 1);
	free(text);
	return good;
}

/* Prints how the program was compiled. */
static void print_built(const struct trace_run *r, const struct compiled *c, const char *folder)
{
	const char *words = compiled_words(c);

	if (!words || r->quiet)
		return;
	complain("--calls: %s is built with %s (calls in %s/log-rt.1_PID)", r->t.program, words,
		 folder);
}

bool run_hookit(const struct trace_run *r, const char *folder)
{
	char library[PATH_MAX], why[256];
	const char *cannot;
	struct compiled c;

	if (!compiled_read(r->t.program, &c, why, sizeof(why)) && *why) {
		fail("--calls: %s: %s: it is damaged", r->t.program, why);
		return false;
	}
	cannot = c.linked ? NULL : compiled_cannot(&c);
	if (cannot && compiled_words(&c))
		complain("--calls: %s has no calls: %s", r->t.program, cannot);
	/* With the library preloaded, the program would not even start. */
	if (cannot && c.loader == LOADER_MUSL)
		return true;
	if (!set_options(r, folder))
		return false;
	if (!cannot)
		print_built(r, &c, folder);
	if (c.linked)
		return true;
	if (!run_find(LIBRARY, library)) {
		fail("--calls: " LIBRARY " is not installed: compiled code has no calls");
		return false;
	}
	/* The loader splits LD_PRELOAD at blanks and colons. */
	if (strpbrk(library, " :")) {
		fail("--calls: the path %s has a blank or a colon, which the loader's variable cannot hold",
		     library);
		return false;
	}
	return run_append("LD_PRELOAD", ':', library);
}
