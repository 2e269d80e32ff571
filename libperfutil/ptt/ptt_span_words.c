/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The strings that spans have for the metrics. They are created when PTT begins and never move,
 * because threads may be about to write them. They are in a file of their own, so that a program
 * that uses only PTT does not link TraceHook.
 */
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

int ptt_span_words(const char *strs[PTT_METRICS])
{
	int n = __atomic_load_n(&metrics, __ATOMIC_ACQUIRE);

	for (int i = 0; i < n; i++)
		strs[i] = words[i];
	return n;
}
