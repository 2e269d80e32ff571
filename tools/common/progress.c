/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The progress line: drawn over itself, wiped at the end. */
#include "progress.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define WAIT_NS	 2000000000ull
#define EVERY_NS 100000000ull

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000ull + (uint64_t)t.tv_nsec;
}

void progress_begin(struct progress *p, const char *what, bool quiet)
{
	*p = (struct progress){ .what = what, .begun = now(), .terminal = !quiet && isatty(2) };
}

void progress_update(struct progress *p, uint64_t done, uint64_t total)
{
	uint64_t t;

	if (!p->terminal)
		return;
	t = now();
	if (t - p->begun < WAIT_NS || t - p->shown < EVERY_NS)
		return;
	p->shown = t;
	p->visible = true;
	fprintf(stderr, "\r%s %3.0f %% ", p->what,
		total ? 100.0 * (double)(done < total ? done : total) / (double)total : 0.0);
}

void progress_end(struct progress *p)
{
	if (p->visible)
		fputs("\r\033[K", stderr);
	p->visible = false;
}
