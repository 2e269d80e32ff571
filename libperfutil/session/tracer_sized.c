/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The functions of tracers, for programs whose structs have another size: base/sized.h. */
#include <tracer.h>
#include "base/rc.h"
#include "base/sized.h"

#undef tracer_itrace
#undef tracer_defaults
#undef tracer_info
#undef tracer_open

void tracer_defaults_sized(struct tracer_options *o, size_t size)
{
	struct tracer_options own;

	whole_tracer_defaults(sized_place(o, size, &own, sizeof(own)));
	sized_give(o, size, &own, sizeof(own));
}

FIRST(void, tracer_defaults, struct tracer_options *o)
{
	tracer_defaults_sized(o, UP_TO(struct tracer_options, group));
}

void tracer_info_sized(struct tracer *t, struct trace_info *info, size_t size)
{
	struct trace_info own;

	whole_tracer_info(t, sized_place(info, size, &own, sizeof(own)));
	sized_give(info, size, &own, sizeof(own));
}

FIRST(void, tracer_info, struct tracer *t, struct trace_info *info)
{
	tracer_info_sized(t, info, UP_TO(struct trace_info, sampler));
}

/* Members that the caller's options do not have are as set by tracer_defaults. */
struct tracer *tracer_open_sized(const struct tracer_options *options, int *rc, size_t size,
				 size_t itrace_size)
{
	struct tracer_itrace itrace = { 0 };
	struct tracer_options own;

	if (!options)
		return whole_tracer_open(NULL, rc);
	whole_tracer_defaults(&own);
	options = sized_take(options, size, &own, sizeof(own));
	if (!options) {
		*rc = rc_say(PI_NOT_SUPPORTED, SIZED_UNKNOWN(struct tracer_options));
		return NULL;
	}
	if (options->itrace) {
		own = *options;
		own.itrace = sized_take(options->itrace, itrace_size, &itrace, sizeof(itrace));
		options = &own;
		if (!own.itrace) {
			*rc = rc_say(PI_NOT_SUPPORTED, SIZED_UNKNOWN(struct tracer_itrace));
			return NULL;
		}
	}
	return whole_tracer_open(options, rc);
}

FIRST(struct tracer *, tracer_open, const struct tracer_options *options, int *rc)
{
	return tracer_open_sized(options, rc, UP_TO(struct tracer_options, group),
				 UP_TO(struct tracer_itrace, stop_file));
}

int tracer_itrace_sized(struct tracer *t, const struct tracer_itrace *itrace, size_t size)
{
	struct tracer_itrace own = { 0 };

	if (!itrace)
		return whole_tracer_itrace(t, NULL);
	itrace = sized_take(itrace, size, &own, sizeof(own));
	if (!itrace)
		return rc_say(PI_NOT_SUPPORTED, SIZED_UNKNOWN(struct tracer_itrace));
	return whole_tracer_itrace(t, itrace);
}

FIRST(int, tracer_itrace, struct tracer *t, const struct tracer_itrace *itrace)
{
	return tracer_itrace_sized(t, itrace, UP_TO(struct tracer_itrace, stop_file));
}
