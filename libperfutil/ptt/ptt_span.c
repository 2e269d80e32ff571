/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Spans with metrics. The words for the metrics are made when PTT begins, and stay where they are:
 * threads may be about to write them.
 */
#include <span.h>
#include <stdio.h>
#include <string.h>
#include "ptt/ptt_inner.h"

static char words[PTT_METRICS][sizeof("ptt::") + sizeof(((struct ptt_info *)0)->metric[0]) +
			       sizeof(((struct ptt_info *)0)->unit[0])];
static int metrics;

void ptt_span_metrics(const struct ptt_config *config)
{
	struct ptt_info info;

	__atomic_store_n(&metrics, 0, __ATOMIC_RELEASE);
	ptt_name_metrics(config, &info);
	for (int i = 0; i < config->metrics; i++)
		snprintf(words[i], sizeof(words[i]), "ptt:%s:%s", info.unit[i], info.metric[i]);
	__atomic_store_n(&metrics, config->metrics, __ATOMIC_RELEASE);
}

int PttSpan(int minor, const char *name, uint64_t id)
{
	int (*const read)(uint64_t * values) = __atomic_load_n(&PttGetMetricData, __ATOMIC_ACQUIRE);
	int n = __atomic_load_n(&metrics, __ATOMIC_ACQUIRE);
	const char *strs[1 + PTT_METRICS] = { name };
	uint64_t ints[1 + PTT_METRICS] = { id };

	if (n && read(ints + 1))
		n = 0;
	for (int i = 0; i < n; i++)
		strs[1 + i] = words[i];
	return (TraceHook)(0, PITRACE_HOOKIT, minor, 1 + n, 1 + n, ints, NULL, strs);
}
