/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints a message to stderr, prefixed with the program's name. */
#include "complain.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "fit.h"

void complain_args(const char *format, va_list args)
{
	char *sentence;

	if (vasprintf(&sentence, format, args) < 0)
		sentence = NULL;
	fit_printf(stderr, "%s: %s\n", program_invocation_short_name,
		   sentence ? sentence : "(no memory)");
	free(sentence);
}

void complain(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	complain_args(format, args);
	va_end(args);
}
