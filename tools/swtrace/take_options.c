/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parses the options of a sub-command, and chooses its exit code when they are wrong. */
#include "swtrace.h"

bool take_options(const struct option_table *t, void *base, int argc, char **argv,
		  struct option_rest *rest, int *code)
{
	switch (options_parse(t, 0, base, argc, argv, rest)) {
	case OPTIONS_TAKEN:
		return true;
	case OPTIONS_DONE:
		*code = 0;
		break;
	case OPTIONS_REFUSED:
		*code = EXIT_SWTRACE;
		break;
	case OPTIONS_UNKNOWN:
		*code = USAGE;
		break;
	}
	return false;
}
