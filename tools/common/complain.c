/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A sentence on stderr, with the program's name before it. */
#include "complain.h"

#include <errno.h>
#include <stdio.h>

void complain_args(const char *format, va_list args)
{
	fprintf(stderr, "%s: ", program_invocation_short_name);
	vfprintf(stderr, format, args);
	fputc('\n', stderr);
}

void complain(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	complain_args(format, args);
	va_end(args);
}
