/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The public functions for events by name, with the way each is counted or sampled. */
#include <errno.h>
#include <tracer.h>
#include "base/rc.h"
#include "events/event_names.h"

int TraceFindEvents(const char *names, uint64_t count, uint32_t rate, int priv,
		    struct pitrace_event_args *list)
{
	char why[400] = "";
	int n;

	if (priv < TRACE_PRIV_ANY || priv > TRACE_PRIV_KERNEL)
		return rc_fail(PI_BAD_PRIVILEGE, "invalid privilege level");
	if (!names || !list)
		return rc_fail(PI_INVALID_ARGUMENT, "no event name given, or no list to fill in");
	n = events_find(names, list, why, sizeof(why));
	if (n < 0)
		return rc_fail(n == -E2BIG ? PI_TOO_MANY_METRICS : PI_EVENT_UNSUPPORTED, "%s", why);
	for (int i = 0; i < n; i++) {
		list[i].period = count ? count : rate;
		list[i].flags |= count ? 0 : PITRACE_EVENT_RATE;
		if (priv != TRACE_PRIV_ANY)
			list[i].flags |= priv == TRACE_PRIV_USER ? PITRACE_EVENT_USER :
								   PITRACE_EVENT_KERNEL;
	}
	return n;
}

void TraceListEvents(void (*each)(void *arg, const char *source, const char *name,
				  const char *what),
		     void *arg)
{
	if (each)
		events_list(each, arg);
}
