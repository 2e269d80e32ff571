/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The output formats of the programs, and the options that choose one. */
#ifndef COMMON_FORM_H
#define COMMON_FORM_H

#include "option_store.h"

enum form { FORM_WORDS, FORM_JSON, FORM_CSV };

/* `type` has a member `form`; `of_group` and `of_commands` as in option_row. */
#define OPTION_JSON_ROW(type, of_group, of_commands)                                  \
	{                                                                             \
		{ "--json" }, NULL, "print JSON, for programs", option_assign,        \
			OPTION_TO(type, form), .value = FORM_JSON, .group = of_group, \
					       .commands = of_commands                \
	}
#define OPTION_CSV_ROW(type, of_group, of_commands)                                  \
	{                                                                            \
		{ "--csv" }, NULL, "print CSV, for spreadsheets", option_assign,     \
			OPTION_TO(type, form), .value = FORM_CSV, .group = of_group, \
					       .commands = of_commands               \
	}

#endif
