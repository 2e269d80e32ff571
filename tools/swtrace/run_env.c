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

bool run_append(const char *name, char separator, const char *word)
{
	const char *old = getenv(name);
	char *text;
	bool done;

	if (old && strstr(old, word))
		return true;
	if (asprintf(&text, "%s%.*s%s", old ? old : "", old && *old, &separator, word) < 0)
		return false;
	done = !setenv(name, text, 1);
	free(text);
	return done;
}
