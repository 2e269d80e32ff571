/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The options that set up a session. */
#include <stdio.h>
#include <string.h>
#include "complain.h"
#include "session_options.h"
#include "units.h"

#define SECOND 1000000000u /* ns */

static bool store_mode(const struct option_given *given, void *to)
{
	static const struct {
		const char *name;
		int mode;
	} modes[] = {
		{ "norm", TRACE_NORMAL },     { "normal", TRACE_NORMAL },
		{ "cont", TRACE_CONTINUOUS }, { "continuous", TRACE_CONTINUOUS },
		{ "wrap", TRACE_WRAP },
	};

	for (size_t i = 0; i < sizeof(modes) / sizeof(*modes); i++)
		if (!strcmp(given->text, modes[i].name)) {
			*(int *)to = modes[i].mode;
			return true;
		}
	complain("-t: invalid mode '%s': expected norm, cont or wrap", given->text);
	return false;
}

static bool store_stacks(const struct option_given *given, void *to)
{
	struct tracer_options *o = to;
	const char *p = given->text ? given->text : "";
	bool kernel = true;
	uint32_t what = 0;

	o->copy = 0;
	for (; *p; p += *p == ',') {
		size_t n = strcspn(p, ",");
		uint64_t bytes;
		char word[32];

		snprintf(word, sizeof(word), "%.*s", (int)(n < sizeof(word) ? n : sizeof(word) - 1),
			 p);
		p += n;
		if (!strcmp(word, "fp")) {
			what |= PITRACE_WANT_USER;
		} else if (!strcmp(word, "dwarf")) {
			what |= PITRACE_WANT_COPY;
			o->copy = PITRACE_STACK_COPY_MAX;
		} else if (!strcmp(word, "kernel")) {
			what |= PITRACE_WANT_KERNEL;
		} else if (!strcmp(word, "user")) {
			kernel = false;
		} else if (!strcmp(word, "switches")) {
			what |= PITRACE_WANT_DISPATCH;
		} else if (what & PITRACE_WANT_COPY && unit_size(word, &bytes) && bytes &&
			   bytes <= PITRACE_STACK_COPY_MAX) {
			o->copy = (uint32_t)(bytes + 7) & ~7u;
		} else {
			complain("-g: invalid list of stacks '%s': expected fp, dwarf (and how many bytes, up to %d), kernel, user or switches",
				 given->text, PITRACE_STACK_COPY_MAX);
			return false;
		}
	}
	/* The kernel's part costs little: record it unless only user code is requested. */
	if (!(what & (PITRACE_WANT_USER | PITRACE_WANT_COPY | PITRACE_WANT_KERNEL)))
		what |= PITRACE_WANT_USER;
	/* Without a word, record both and let reports choose: see stacks_settle(). */
	if (!given->text)
		what |= PITRACE_WANT_COPY;
	o->stacks = kernel ? what | PITRACE_WANT_KERNEL : what & ~(uint32_t)PITRACE_WANT_KERNEL;
	if (!(o->stacks & ~(uint32_t)PITRACE_WANT_DISPATCH)) {
		complain("-g: invalid list of stacks '%s': nothing would be recorded", given->text);
		return false;
	}
	return true;
}

const struct option_row session_rows[] = {
	{ { "-s" },
	  "MB",
	  "trace buffer of each CPU (4)",
	  option_size,
	  OPTION_TO(struct tracer_options, trace_bytes),
	  .value = 1 << 20 },
	{ { "-sm" },
	  "MB",
	  "MTE buffer of each CPU (2)",
	  option_size,
	  OPTION_TO(struct tracer_options, mte_bytes),
	  .value = 1 << 20 },
	{ { "-ss" },
	  "KB",
	  "section (64)",
	  option_size,
	  OPTION_TO(struct tracer_options, section_bytes),
	  .value = 1 << 10 },
	{ { "-t" },
	  "MODE",
	  "norm: stop when a buffer fills (default of init); cont: write while tracing "
	  "(default of run); wrap: keep the newest records",
	  store_mode,
	  OPTION_TO(struct tracer_options, mode),
	  .complete = "norm cont wrap" },
	{ { "--rotate-size" },
	  "MB",
	  "cont: begin a new file at this size; older ones are FILE.1, FILE.2 "
	  "...",
	  option_size,
	  OPTION_TO(struct tracer_options, rotate_bytes),
	  .value = 1 << 20 },
	{ { "--rotate-time" },
	  "TIME",
	  "cont: begin a new file after so long (5s, 2m)",
	  option_duration,
	  OPTION_TO(struct tracer_options, rotate_ns),
	  .least = SECOND,
	  .most = 3600000000ull * SECOND },
	{ { "--rotate-keep" },
	  "N",
	  "cont: keep so many older files (default: all)",
	  option_number,
	  OPTION_TO(struct tracer_options, rotate_keep),
	  .least = 1,
	  .most = 1000000 },
	{ { "-g" },
	  "[=HOW]",
	  "record call stacks too: fp, dwarf[,BYTES], kernel, user, switches (default: fp and "
	  "dwarf; of the system, with --jit, without -t cont: fp)",
	  .store = store_stacks,
	  .complete = "fp,dwarf,kernel,user,switches" },
	{ { "--stack-depth" },
	  "N",
	  "record at most so many addresses of the kernel, and of user code (127)",
	  option_number,
	  OPTION_TO(struct tracer_options, depth),
	  .least = 1,
	  .most = PITRACE_STACK_MAX },
	{ { "-p" },
	  "PID",
	  "trace this process and its children",
	  option_number,
	  OPTION_TO(struct tracer_options, pid),
	  .least = 1,
	  .most = 1 << 30,
	  .complete = "@process" },
	OPTION_ROWS_END
};

bool session_rotation_fits(const struct tracer_options *o)
{
	if ((o->rotate_bytes || o->rotate_ns) && o->mode != TRACE_CONTINUOUS) {
		complain("files rotate in continuous mode only (-t cont)");
		return false;
	}
	if (o->rotate_keep && !o->rotate_bytes && !o->rotate_ns) {
		complain("--rotate-keep needs --rotate-size or --rotate-time");
		return false;
	}
	return true;
}
