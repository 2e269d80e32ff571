/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The perf events of one thread for PTT's metrics: one group, read by one call, as of one moment.
 * Events of two units that count nowhere together make a group more.
 */
#ifndef PITRACE_PTT_GROUP_H
#define PITRACE_PTT_GROUP_H

#include "ptt/ptt_inner.h"

struct ptt_group {
	int fd[PTT_METRICS];     /* -1: none of its own */
	uint8_t of[PTT_METRICS]; /* the metric that leads its group */
	bool together;           /* read as groups are; else it is one event */
};

/* 0, or a code. *user_only: events count user code alone, which is set when this user may see no
 * more. */
int ptt_group_open(struct ptt_group *g, const struct ptt_config *config, int tid, bool *user_only);
void ptt_group_close(struct ptt_group *g, const struct ptt_config *config);
/* Whether its thread has ended: its counts are final. The kernel says it only if the page of the
 * first event is mapped. */
bool ptt_group_ended(const struct ptt_group *g);
/* Reads all metrics, cycles as nanoseconds of the thread's clock. */
int ptt_group_read(const struct ptt_group *g, const struct ptt_config *config, uint64_t *values);

#endif
