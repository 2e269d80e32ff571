/* SPDX-License-Identifier: GPL-3.0-or-later */
/* PTT's counts only grow: an interval is the difference of two readings, slot by slot. */
#include "top_ptt.h"

#include <pttview.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "complain.h"
#include "swtrace.h"

struct top_slot {
	uint64_t generation; /* of the thread that the values belong to */
	uint64_t value[PTT_METRICS];
};

struct top_ptt {
	struct pttview *view;
	int metrics, slots;
	struct top_slot *slot;
};

static bool take_list(const char *list, struct top_metrics *metrics)
{
	*metrics = (struct top_metrics){ 0 };
	for (;;) {
		size_t n = strcspn(list, ",");

		if (metrics->n == PTT_METRICS) {
			fail("-m: more than %d metrics", PTT_METRICS);
			return false;
		}
		if (!n || n >= sizeof(metrics->name[0])) {
			fail("-m: '%.*s' is not a metric's name", (int)(n < 64 ? n : 64), list);
			return false;
		}
		snprintf(metrics->name[metrics->n++], sizeof(metrics->name[0]), "%.*s", (int)n,
			 list);
		list += n;
		if (!*list)
			return true;
		list++;
	}
}

struct top_ptt *top_ptt_open(const char *list, pid_t pid, struct top_metrics *metrics)
{
	const char *name[PTT_METRICS];
	struct pttview_options o = { .metrics = name };
	struct top_ptt *p;
	int rc;

	if (!take_list(list, metrics))
		return NULL;
	for (int i = 0; i < metrics->n; i++)
		name[i] = metrics->name[i];
	o.count = metrics->n;
	p = calloc(1, sizeof(*p));
	if (!p) {
		fail("top: no memory");
		return NULL;
	}
	p->metrics = metrics->n;
	p->view = pttview_open(&o, &rc);
	if (p->view)
		rc = pttview_add(p->view, pid ? PTTVIEW_CHILDREN : PTTVIEW_ALL, pid);
	if (!p->view || rc < 0) {
		fail_rc(rc);
		top_ptt_close(p);
		return NULL;
	}
	p->slots = pttview_slots(p->view);
	p->slot = calloc((size_t)p->slots + 1, sizeof(*p->slot));
	if (p->slot)
		return p;
	fail("top: no memory");
	top_ptt_close(p);
	return NULL;
}

void top_ptt_close(struct top_ptt *p)
{
	if (!p)
		return;
	if (p->view)
		pttview_close(p->view);
	free(p->slot);
	free(p);
}

static void take(struct top_ptt *p, struct top_model *m, struct top_slot *had,
		 const struct ptt_thread_data *d)
{
	struct top_count c = { 0 };
	uint64_t any = 0;
	bool fresh;
	uint32_t at;

	if (had->generation != d->generation)
		memset(had->value, 0, sizeof(had->value));
	had->generation = d->generation;
	for (int i = 0; i < p->metrics; i++) {
		c.metric[i] = d->value[i] > had->value[i] ? d->value[i] - had->value[i] : 0;
		had->value[i] = d->value[i];
		any |= c.metric[i];
	}
	if (!any)
		return;
	at = top_model_thread(m, (uint32_t)d->pid, (uint32_t)d->tid, &fresh);
	if (at == NO_KEY)
		return;
	/* No sample has set the thread's names. */
	if (fresh)
		top_model_name(m, at, d->name, d->name, NULL);
	top_model_add(m, at, &c);
}

int top_ptt_step(struct top_ptt *p, struct top_model *m)
{
	int rc = pttview_update(p->view);
	struct ptt_thread_data d;

	for (int i = 0; !rc && i < p->slots; i++)
		if (pttview_thread(p->view, i, &d) > 0)
			take(p, m, &p->slot[i], &d);
	return rc;
}
