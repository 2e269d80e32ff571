/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sets a command's environment: libraries of this project to load, and their options. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "beside.h"
#include "run.h"

bool run_find(const char *name, char path[PATH_MAX])
{
	char installed[PATH_MAX];

	snprintf(installed, sizeof(installed), "%s/%s", PITRACE_LIBDIR, name);
	return library_beside(name, path) || realpath(installed, path);
}

static bool ends_word(char c, char separator)
{
	return !c || c == separator || c == ' ';
}

/* A word is not part of a longer one, as --perf-prof is of --perf-prof-unwinding-info. */
static bool has_word(const char *list, char separator, const char *word)
{
	size_t n = strlen(word);

	for (const char *p = list; (p = strstr(p, word)); p++)
		if ((p == list || ends_word(p[-1], separator)) && ends_word(p[n], separator))
			return true;
	return false;
}

bool run_append(const char *name, char separator, const char *word)
{
	const char *old = getenv(name);
	char *text;
	bool done;

	if (old && has_word(old, separator, word))
		return true;
	if (asprintf(&text, "%s%.*s%s", old ? old : "", old && *old, &separator, word) < 0)
		return false;
	done = !setenv(name, text, 1);
	free(text);
	return done;
}
