/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Merges the rows of grouped threads into the row of their group. */
#include "model/sched.h"

static int add_row(struct sched_row *to, struct sched_row *from)
{
	unsigned int k;
	int rc = spread_merge(&to->latency, &from->latency);

	to->run += from->run;
	to->interrupted += from->interrupted;
	for (k = 0; k < SCHED_REASONS; k++) {
		to->wait[k] += from->wait[k];
		to->off[k] += from->off[k];
		to->left[k] += from->left[k];
		if (from->longest[k] > to->longest[k])
			to->longest[k] = from->longest[k];
	}
	to->unknown += from->unknown;
	to->unsure += from->unsure;
	to->dispatches += from->dispatches;
	to->migrations += from->migrations;
	to->unwoken += from->unwoken;
	to->unsure_latencies += from->unsure_latencies;
	if (to->priority == PITRACE_PRIORITY_UNKNOWN)
		to->priority = from->priority;
	spread_free(&from->latency);
	*from = (struct sched_row){ .priority = PITRACE_PRIORITY_UNKNOWN };
	return rc;
}

static int group_rows(struct sched *s)
{
	uint32_t i, group;
	int rc = 0;

	for (i = 0; i < s->nrow && !rc; i++) {
		group = s->names->thread[i].group;
		/* The first thread of a name is its group, so that row exists. */
		if (group != i)
			rc = add_row(&s->row[group], &s->row[i]);
	}
	return rc;
}

int sched_group(struct sched *s)
{
	int rc = group_rows(s);

	return rc ? rc : wakers_group(&s->wakers, s->names);
}
