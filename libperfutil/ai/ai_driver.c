/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* AboveIdle by the pitrace module: a PTT without threads, for the buckets of its CPUs. */
#include <cycles.h>
#include <pttview.h>
#include <stdio.h>
#include <string.h>
#include "ai/ai_source.h"
#include "base/rc.h"

static struct pttview *view;
static uint64_t hz;

static void close_view(void)
{
	pttview_close(view);
	view = NULL;
}

static int open_view(struct ai_info *info)
{
	static const char *const tsc[] = { "tsc" };
	struct pttview_options options = {
		.count = 1,
		.metrics = tsc,
		.priv = TRACE_PRIV_ANY,
		.threads = 1,
	};
	struct ptt_info ptt = { 0 };
	int rc = PI_OK;

	view = pttview_open(&options, &rc);
	if (!view)
		return rc;
	hz = (uint64_t)(CyclesPerSecond() + 0.5);
	if (!pttview_cpus(view))
		rc = rc_fail(PI_NO_PERMISSION,
			     "viewing what CPUs do needs CAP_PERFMON: run it as root (sudo)");
	else if (!hz)
		rc = rc_fail(PI_NOT_SUPPORTED, "the rate of this machine's counter is not known");
	if (rc) {
		close_view();
		return rc;
	}
	pttview_info(view, &ptt);
	info->exact = 1;
	snprintf(info->note, sizeof(info->note), "%s", ptt.note);
	return PI_OK;
}

static uint64_t ns(uint64_t cycles)
{
	return (uint64_t)((unsigned __int128)cycles * 1000000000u / hz);
}

static int read_view(struct ai_raw *list, uint32_t room)
{
	struct pttview_cpu c;
	uint32_t n = 0;
	int rc = pttview_update(view);

	for (int cpu = 0; !rc && cpu < pttview_cpus(view) && n < room; cpu++)
		if (pttview_cpu(view, cpu, &c))
			list[n++] = (struct ai_raw){
				.cpu = (uint32_t)cpu,
				.online = c.online,
				.whole = true,
				.wall = ns(c.wall[0]),
				.idle = ns(c.bucket[PTTVIEW_IDLE][0]),
				.interrupt = ns(c.bucket[PTTVIEW_INTERRUPTS][0]),
				.steal = c.steal,
				.dispatches = c.dispatches,
				.interrupts = c.interrupts,
			};
	return rc ? rc : (int)n;
}

const struct ai_source ai_driver = { "driver", open_view, read_view, close_view };
