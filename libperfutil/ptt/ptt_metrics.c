// SPDX-License-Identifier: LGPL-2.1-or-later
/* Looks up PTT's metrics by name. */
#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include "ptt/ptt_inner.h"
#include "base/rc.h"

static bool same(const struct ptt_metric *a, const struct ptt_metric *b)
{
	const struct pitrace_event_args *x = &a->event, *y = &b->event;

	return a->cycles == b->cycles &&
	       (a->cycles ||
		(x->type == y->type && x->flags == y->flags && x->config == y->config &&
		 x->config1 == y->config1 && x->config2 == y->config2));
}

static int find(struct ptt_metric *m, const char *name, int priv)
{
	struct pitrace_event_args found[PITRACE_EVENTS];
	int n;

	*m = (struct ptt_metric){ .cycles = !strcmp(name, "tsc") };
	if (m->cycles) {
		strcpy(m->event.name, name);
		return PI_OK;
	}
	n = TraceFindEvents(name, 1, 0, priv, found);
	if (n < 0)
		return n;
	if (n != 1)
		return rc_fail(PI_INVALID_ARGUMENT, "'%s' names %d events: a metric is one event",
			       name, n);
	m->event = found[0];
	m->event.period = 0;
	return PI_OK;
}

int ptt_find_metrics(struct ptt_config *c, int count, const char *const metrics[], int priv)
{
	int rc;

	if (count < 1 || !metrics)
		return rc_fail(PI_INVALID_ARGUMENT, "no metric given");
	if (count > PTT_METRICS)
		return rc_fail(PI_TOO_MANY_METRICS, "%d metrics: at most %d at a time", count,
			       PTT_METRICS);
	if (priv < TRACE_PRIV_ANY || priv > TRACE_PRIV_KERNEL)
		return rc_fail(PI_BAD_PRIVILEGE, "invalid privilege level");
	for (c->metrics = 0; c->metrics < count; c->metrics++) {
		struct ptt_metric *m = &c->metric[c->metrics];

		if (!metrics[c->metrics])
			return rc_fail(PI_INVALID_ARGUMENT, "metric %d has no name", c->metrics);
		rc = find(m, metrics[c->metrics], priv);
		for (int i = 0; i < c->metrics && !rc; i++)
			if (same(&c->metric[i], m))
				rc = rc_fail(PI_DUPLICATE_METRIC, "metric '%s' is given twice",
					     metrics[c->metrics]);
		if (rc)
			return rc;
	}
	return PI_OK;
}

/* Is it one of the kernel's clocks? */
static bool is_clock(const struct pitrace_event_args *e)
{
	return e->type == PERF_TYPE_SOFTWARE &&
	       (e->config == PERF_COUNT_SW_TASK_CLOCK || e->config == PERF_COUNT_SW_CPU_CLOCK);
}

static const char *unit_of(const struct ptt_metric *m)
{
	return m->cycles ? "cycles" : is_clock(&m->event) ? "ns" : "events";
}

void ptt_name_metrics(const struct ptt_config *c, struct ptt_info *info)
{
	*info = (struct ptt_info){
		.size = sizeof(*info),
		.version = 1,
		.metrics = (uint32_t)c->metrics,
		.threads = (uint32_t)c->threads,
	};
	for (int i = 0; i < c->metrics; i++) {
		memcpy(info->metric[i], c->metric[i].event.name, sizeof(info->metric[i]));
		strcpy(info->unit[i], unit_of(&c->metric[i]));
	}
}

int ptt_refused(const struct ptt_metric *metric, int err)
{
	const char *name = metric->event.name;

	switch (err < 0 ? -err : err) {
	case ENOENT:
	case ENODEV:
	case EINVAL:
	case EOPNOTSUPP:
		return rc_fail(PI_EVENT_UNSUPPORTED,
			       "metric %s: this machine has no counter for it (many virtual machines have none)",
			       name);
	case EADDRINUSE:
		return rc_fail(PI_BUSY,
			       "metric %s: no counter is free for it beside the others and other users': take fewer metrics at a time",
			       name);
	}
	return rc_errno(err, "metric %s", name);
}
