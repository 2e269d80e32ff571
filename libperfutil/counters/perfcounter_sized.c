/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Single counters, for programs whose structs have another size: base/sized.h. */
#include <perfcounter.h>
#include "base/sized.h"

#undef GetPerfCounterEvent

int GetPerfCounterEvent_sized(int id, struct perf_counter_event *event, size_t size)
{
	struct perf_counter_event own;
	int rc = whole_counter_event(id, sized_place(event, size, &own, sizeof(own)));

	if (!rc)
		sized_give(event, size, &own, sizeof(own));
	return rc;
}

FIRST(int, GetPerfCounterEvent, int id, struct perf_counter_event *event)
{
	return GetPerfCounterEvent_sized(id, event, UP_TO(struct perf_counter_event, source));
}
