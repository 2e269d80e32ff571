/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Spans with metrics. */
#include <span.h>
#include "ptt/ptt_inner.h"

int PttSpan(int minor, const char *name, uint64_t id)
{
	int (*const read)(uint64_t * values) = __atomic_load_n(&PttGetMetricData, __ATOMIC_ACQUIRE);
	const char *strs[1 + PTT_METRICS] = { name };
	uint64_t ints[1 + PTT_METRICS] = { id };
	int n = ptt_span_words(strs + 1);

	if (n && read(ints + 1))
		n = 0;
	return (TraceHook)(0, PITRACE_HOOKIT, minor, 1 + n, 1 + n, ints, NULL, strs);
}
