/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A person at a terminal is shown what to type after a run. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "fit.h"
#include "run.h"

/* Whoever typed pitrace goes on with it. */
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
