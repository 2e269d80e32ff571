/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A run that traces instructions: the options and the progress. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "complain.h"
#include "monotonic.h"
#include "place.h"
#include "run.h"
#include "units.h"

#define COUNT 10000000 /* instructions per thread, if -n is not given */

void run_itrace(struct trace_run *r)
{
	r->t.itrace = &r->itrace;
}

bool option_instructions(const struct option_given *given, void *to)
{
	uint64_t *count = to;

	if (given->row->value == NO_LIMIT && !strcmp(given->text, "all")) {
		*count = UINT64_MAX;
		return true;
	}
	if (unit_count(given->text, count) && *count)
		return true;
	complain("%s: invalid number of instructions '%s': expected a whole number like 5000, 10k or 2M%s",
		 given->name, given->text, given->row->value == NO_LIMIT ? ", or all" : "");
	return false;
}

bool run_itrace_agrees(const struct trace_run *r)
{
	const struct tracer_itrace *i = &r->itrace;

	if (r->t.itrace || !(i->limit || i->skip || i->flags || r->from || r->until || r->kernel ||
			     r->kernel_only || r->accesses || r->no_follow || r->no_threads))
		return true;
	complain(
		"-n, --from, --until, --skip, --kernel, --kernel-only, --ls, --lossy, --no-threads, --no-children and --steps need --itrace");
	return false;
}

bool run_itrace_majors(struct trace_run *r)
{
	if (!r->kernel_only)
		r->t.majors[0] |= 1ull << PITRACE_BRANCH_USER;
	/* Compression leaves a tenth of the bytes and costs a twentieth of the time. */
	r->t.compression = 1;
	if (r->kernel || r->kernel_only)
		r->t.majors[0] |= 1ull << PITRACE_BRANCH_KERNEL;
	if (r->accesses)
		r->t.majors[0] |= 1ull << PITRACE_LOAD_STORE;
	if (!r->itrace.limit)
		r->itrace.limit = COUNT;
	if (!r->no_follow)
		r->itrace.flags |= PITRACE_ITRACE_FOLLOW;
	if (r->no_threads)
		r->itrace.flags |= PITRACE_ITRACE_NO_THREADS;
	r->itrace.scope = PITRACE_ITRACE_ALL;
	if (r->all) {
		complain(
			"--itrace traces a command, or -p PID: a whole system of traced threads would stand still (swtrace it_install traces more than one process)");
		return false;
	}
	return true;
}

bool run_itrace_places(struct trace_run *r, const char *program)
{
	struct tracer_itrace *i = &r->itrace;

	if (r->from) {
		i->flags |= PITRACE_ITRACE_FROM;
		if (!place_find("--from", r->from, program, i->start_file, sizeof(i->start_file),
				&i->start))
			return false;
	}
	if (r->until) {
		i->flags |= PITRACE_ITRACE_UNTIL;
		if (!place_find("--until", r->until, program, i->stop_file, sizeof(i->stop_file),
				&i->stop))
			return false;
	}
	return true;
}

void run_itrace_show(const struct trace_run *r, bool end)
{
	static uint64_t begun;
	static bool shown;
	uint64_t now = now_ns(), left;
	struct trace_info i;
	int use;
	double seconds, rate;

	if (!r->t.itrace || r->quiet)
		return;
	if (end) {
		if (shown)
			fputs("\r\033[K", stderr);
		return;
	}
	if (!begun) {
		begun = now;
		tracer_info(r->tracer, &i);
		use = TraceCollectorUse(i.collector);
		if (use > 0 && use & TRACE_BY_STEPS)
			complain("the collector is %s, which is slow: each instruction stops the thread (the driver does not need that: swtrace check)",
				 i.collector);
	}
	seconds = (double)(now - begun) / 1e9;
	if (!isatty(STDERR_FILENO) || seconds < 1)
		return;
	tracer_info(r->tracer, &i);
	rate = (double)i.instructions / seconds;
	left = r->itrace.limit > i.instructions ? r->itrace.limit - i.instructions : 0;
	fprintf(stderr, "\r\033[K%.1f M instructions, %.3f M a second",
		(double)i.instructions / 1e6, rate / 1e6);
	if (r->itrace.limit != UINT64_MAX && rate > 0)
		fprintf(stderr, ", at most %.0f s to the limit (-n)", (double)left / rate);
	shown = true;
}
