/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the programs and sub-commands say alike, and the words they understand alike. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "complain.h"
#include "swtrace.h"
#include "units.h"

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

bool number(const char *option, const char *text, long least, long most, long *value)
{
	uint64_t n;

	if (unit_count(text, &n) && n >= (uint64_t)least && n <= (uint64_t)most) {
		*value = (long)n;
		return true;
	}
	fail("%s: '%s' is not a number from %ld to %ld", option, text, least, most);
	return false;
}

bool size_of(const char *option, const char *text, unsigned long long unit, uint64_t *bytes)
{
	uint64_t n;

	if (unit_count(text, &n) && n && n <= UINT32_MAX && text[strspn(text, "0123456789")] == 0) {
		*bytes = n * unit;
		return true;
	}
	if (unit_size(text, bytes) && *bytes)
		return true;
	fail("%s: '%s' is not a size", option, text);
	return false;
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

bool mode_of(const char *text, int *mode)
{
	static const struct {
		const char *name;
		int mode;
	} modes[] = {
		{ "norm", TRACE_NORMAL }, { "normal", TRACE_NORMAL }, { "cont", TRACE_CONTINUOUS },
		{ "continuous", TRACE_CONTINUOUS }, { "wrap", TRACE_WRAP },
	};

	for (size_t i = 0; i < sizeof(modes) / sizeof(*modes); i++)
		if (!strcmp(text, modes[i].name)) {
			*mode = modes[i].mode;
			return true;
		}
	fail("-t: '%s' is no mode; there are norm, cont and wrap", text);
	return false;
}

bool stacks_of(const char *text, uint32_t *stacks, uint32_t *copy)
{
	const char *p = text ? text : "fp";
	bool kernel = true;
	uint32_t what = 0;

	*copy = 0;
	for (; *p; p += *p == ',') {
		size_t n = strcspn(p, ",");
		uint64_t bytes;
		char word[32];

		snprintf(word, sizeof(word), "%.*s", (int)(n < sizeof(word) ? n : sizeof(word) - 1), p);
		p += n;
		if (!strcmp(word, "fp")) {
			what |= PITRACE_WANT_USER;
		} else if (!strcmp(word, "dwarf")) {
			what |= PITRACE_WANT_COPY;
			*copy = PITRACE_STACK_COPY_MAX;
		} else if (!strcmp(word, "kernel")) {
			what |= PITRACE_WANT_KERNEL;
		} else if (!strcmp(word, "user")) {
			kernel = false;
		} else if (!strcmp(word, "switches")) {
			what |= PITRACE_WANT_DISPATCH;
		} else if (what & PITRACE_WANT_COPY && unit_size(word, &bytes) && bytes &&
			   bytes <= PITRACE_STACK_COPY_MAX) {
			*copy = (uint32_t)(bytes + 7) & ~7u;
		} else {
			fail("-g: '%s' is not a list of fp, dwarf (and how many bytes, up to %d), kernel, user, switches",
			     text, PITRACE_STACK_COPY_MAX);
			return false;
		}
	}
	/* The kernel's part costs little and comes along, unless user code alone is wanted. */
	if (!(what & (PITRACE_WANT_USER | PITRACE_WANT_COPY | PITRACE_WANT_KERNEL)))
		what |= PITRACE_WANT_USER;
	*stacks = kernel ? what | PITRACE_WANT_KERNEL : what & ~(uint32_t)PITRACE_WANT_KERNEL;
	if (!(*stacks & ~(uint32_t)PITRACE_WANT_DISPATCH)) {
		fail("-g: '%s' leaves nothing", text);
		return false;
	}
	return true;
}

const char *mode_name(int mode)
{
	return mode == TRACE_NORMAL ? "normal" : mode == TRACE_CONTINUOUS ? "continuous" : "wrap";
}

void stop_words(const struct trace_info *i, char *out, size_t room)
{
	const char *name = sigabbrev_np((int)i->stop_signal);

	if (i->stop_ring == PITRACE_STOP_CRASH)
		snprintf(out, room, "process %d crashed (SIG%s)", i->stop_pid, name ? name : "?");
	else
		snprintf(out, room, "the %s buffer of CPU %u filled",
			 i->stop_ring == PITRACE_RING_MTE ? "MTE" : "trace", i->stop_cpu);
}

bool rotate_time(const char *text, uint64_t *ns)
{
	if (unit_time(text, ns) && *ns >= 1000000000 && *ns / 1000000000 <= UINT32_MAX)
		return true;
	fail("--rotate-time: '%s' is no time of a second or more", text);
	return false;
}

bool rotation_of(const struct tracer_options *o)
{
	if ((o->rotate_bytes || o->rotate_ns) && o->mode != TRACE_CONTINUOUS)
		return fail("files rotate in continuous mode only (-t cont)"), false;
	if (o->rotate_keep && !o->rotate_bytes && !o->rotate_ns)
		return fail("--rotate-keep needs --rotate-size or --rotate-time"), false;
	return true;
}
