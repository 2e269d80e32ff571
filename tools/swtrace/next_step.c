/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shows a user at a terminal which command to type after a run. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "fit.h"
#include "run.h"

/* Suggests pitrace to a user who typed pitrace. */
static const char *report_command(void)
{
	return strncmp(program_invocation_short_name, "pitrace ", 8) ? "post -r" :
								       "pitrace report -i";
}

void run_next_step(const struct trace_run *r)
{
	const char *more = r->t.itrace ? "-arc, -flow, -tree" :
			   r->t.stacks ? "-calltree, -callers, -html" :
					 NULL;

	if (r->quiet || !isatty(STDERR_FILENO))
		return;
	fit_printf(stderr, "next: %s %s%s%s\n", report_command(), r->t.file,
		   more ? ", and with it " : "", more ? more : "");
}
