/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The progress line: overwrites itself and is erased at the end. */
#include "monotonic.h"
#include "progress.h"

#include <stdio.h>
#include <unistd.h>

#include "escape.h"

#define WAIT_NS  2000000000ull
#define EVERY_NS 100000000ull

void progress_begin(struct progress *p, const char *what, bool quiet)
{
	*p = (struct progress){ .what = what, .begun = now_ns(), .terminal = !quiet && isatty(2) };
}

void progress_update(struct progress *p, uint64_t done, uint64_t total)
{
	uint64_t t;

	if (!p->terminal)
		return;
	t = now_ns();
	if (t - p->begun < WAIT_NS || t - p->shown < EVERY_NS)
		return;
	p->shown = t;
	p->visible = true;
	putc('\r', stderr);
	escape_printf(stderr, "%s %3.0f %% ", p->what,
		      total ? 100.0 * (double)(done < total ? done : total) / (double)total : 0.0);
}

void progress_end(struct progress *p)
{
	if (p->visible)
		fputs("\r\033[K", stderr);
	p->visible = false;
}
