/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checks the arguments of --calls before the program starts, with the parsers that the libraries
 * use: an error is reported here, not by a program that then runs unmeasured. */
#include <stdlib.h>
#include <string.h>
#include "asked_value.h"
#include "complain.h"
#include "method_filter.h"
#include "run.h"

static bool patterns_right(const char *yes, const char *no)
{
	char *text = run_patterns(yes, no);
	struct method_filter f = { 0 };
	bool right = !text || !filter_set(&f, text, strlen(text));

	if (!right)
		fail("%s: patterns separated by + are needed", yes && no ? "--functions, -N" :
							       yes       ? "--functions" :
									   "-N");
	filter_free(&f);
	free(text);
	return right;
}

static bool values_right(const char *arguments)
{
	struct asked_value asked[ASKED_MOST];
	char *text = run_patterns(arguments, NULL);
	uint32_t count;
	const char *why = text ? asked_values(text, asked, &count) : NULL;

	if (why)
		fail("-A %s: %s", arguments, why);
	free(text);
	return !why;
}

bool run_calls_right(const char *functions, const char *not_functions, const char *arguments)
{
	return patterns_right(functions, not_functions) && values_right(arguments);
}
