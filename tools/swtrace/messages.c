/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Messages that several programs and sub-commands share. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "complain.h"
#include "escape.h"
#include "swtrace.h"

int fail(const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	complain_args(format, ap);
	va_end(ap);
	return EXIT_SWTRACE;
}

int fail_rc(int rc)
{
	const char *why = TraceLastError();

	return fail("%s", *why ? why : RcToString(rc));
}

uint64_t print_lost(FILE *out, const struct trace_info *info)
{
	uint64_t all = 0;

	for (int k = 0; k < PITRACE_LOST_KINDS; k++) {
		if (info->lost[k])
			fprintf(out, "%s%s %llu", all ? ", " : "", TraceLostName(k),
				(unsigned long long)info->lost[k]);
		all += info->lost[k];
	}
	if (info->unwritten)
		fprintf(out, "%snot written %llu", all ? ", " : "",
			(unsigned long long)info->unwritten);
	return all + info->unwritten;
}

void print_refused(FILE *out, const char *before, const struct trace_info *info)
{
	unsigned long long n = info->refused;

	if (!n)
		return;
	escape_printf(out,
		      "%s%llu process%s of other users could not record: %s%s (begin them as this "
		      "session's user: rights that they drop later do not matter)\n",
		      before, n, n == 1 ? "" : "es", info->refused_names, n > 3 ? " and more" : "");
}

const char *mode_name(int mode)
{
	return mode == TRACE_NORMAL ? "normal" : mode == TRACE_CONTINUOUS ? "continuous" : "wrap";
}

void stop_reason(const struct trace_info *i, char *out, size_t room)
{
	const char *name = sigabbrev_np((int)i->stop_signal);

	if (i->stop_ring == PITRACE_STOP_CRASH)
		snprintf(out, room, "process %d crashed (SIG%s)", i->stop_pid, name ? name : "?");
	else
		snprintf(out, room, "the %s buffer of CPU %u filled",
			 i->stop_ring == PITRACE_RING_MTE ? "MTE" : "trace", i->stop_cpu);
}

bool is_timer(const char *event)
{
	return !strcmp(event, "timer");
}
