/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shows a user at a terminal which command to type after a run. */
#include <stdio.h>
#include <unistd.h>

#include "called_as.h"
#include "fit.h"
#include "run.h"

void run_next_step(const struct trace_run *r)
{
	const char *more = r->t.itrace ? "-arc, -flow, -tree" :
			   r->t.stacks ? "-calltree, -callers, -html" :
					 NULL;

	if (r->quiet || !isatty(STDERR_FILENO))
		return;
	fit_printf(stderr, "next: %s %s%s%s\n", called_by_front() ? "pitrace report -i" : "post -r",
		   r->t.file, more ? ", and with it " : "", more ? more : "");
}
