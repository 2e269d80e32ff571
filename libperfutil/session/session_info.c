/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The present state of a session's collector, for requests and for the headers of its files. */
#include <string.h>
#include "events/event_names.h"
#include "session/tracer_inner.h"

void session_info(struct tracer *t, struct trace_info *info)
{
	const struct trace_config *c = &t->config;

	memset(info, 0, sizeof(*info));
	info->rate = c->nevents ? events_rate(c->events, c->nevents) : c->rate;
	info->dither = t->collector->dither_of ? t->collector->dither_of(c) :
		       c->nevents              ? 0 :
						 c->dither;
	t->collector->info(t->backend, info);
}
