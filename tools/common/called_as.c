/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "called_as.h"

#include <errno.h>
#include <string.h>

bool called_by_front(void)
{
	return !strncmp(program_invocation_short_name, "pitrace ", 8);
}

const char *called_as(const char *own)
{
	return called_by_front() ? program_invocation_short_name : own;
}
