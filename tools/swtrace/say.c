/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the sub-commands say alike, and the words they understand alike. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "swtrace.h"
#include "units.h"

int fail(const char *format, ...)
{
	va_list ap;

	fputs("swtrace: ", stderr);
	va_start(ap, format);
	vfprintf(stderr, format, ap);
	va_end(ap);
	fputc('\n', stderr);
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
	fail("-t: '%s' is no mode; there are norm and cont", text);
	return false;
}

const char *mode_name(int mode)
{
	return mode == TRACE_NORMAL ? "normal" : mode == TRACE_CONTINUOUS ? "continuous" : "wrap";
}

const char *ring_name(int ring)
{
	return ring == PITRACE_RING_MTE ? "MTE" : "trace";
}
