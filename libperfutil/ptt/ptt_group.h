/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The perf events of one thread for PTT's metrics: one group, read by one call, at one moment.
 * Events of PMUs that cannot share a group get a further group.
 */
#ifndef PITRACE_PTT_GROUP_H
#define PITRACE_PTT_GROUP_H

#include "ptt/ptt_inner.h"

struct ptt_group {
	int fd[PTT_METRICS];     /* -1: no event of its own */
	uint8_t of[PTT_METRICS]; /* the metric that leads its group */
	bool together;           /* in group read format; otherwise it is a single event */
};

/* Opens the events: 0, or a code. *user_only: events count only user code; set if this user may not
 * see the kernel's part. */
int ptt_group_open(struct ptt_group *g, const struct ptt_config *config, int tid, bool *user_only);
void ptt_group_close(struct ptt_group *g, const struct ptt_config *config);
/* Has the thread ended, so that its counts are final? The kernel reports it only if the page of the
 * first event is mapped. */
bool ptt_group_ended(const struct ptt_group *g);
/* Reads all metrics, cycles as nanoseconds of the thread's clock. */
int ptt_group_read(const struct ptt_group *g, const struct ptt_config *config, uint64_t *values);

#endif
