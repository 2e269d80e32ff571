/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A program's own PTT, by the driver or by perf. */
#ifndef PITRACE_PTT_INNER_H
#define PITRACE_PTT_INNER_H

#include <stdbool.h>
#include <ptt.h>

/* As asked for. */
struct ptt_config {
	int metrics, threads;
	bool charged;
	/* CYCLES, or an event. */
	struct ptt_metric {
		bool cycles;
		struct pitrace_event_args event;
	} metric[PTT_METRICS];
};

/* What serves; one lock is held around all but `reader`s. */
struct ptt_collector {
	const char *name;
	/* PI_DRIVER_NOT_LOADED, PI_NO_PERMISSION, PI_NOT_SUPPORTED: another may serve. */
	int (*init)(const struct ptt_config *config);
	void (*term)(void);
	int (*add)(int tid);
	int (*remove)(int tid);
	int (*charge)(bool charged);
	int (*read)(int tid, struct ptt_thread_data *data);
	/* How a thread reads itself. */
	int (*(*reader)(const struct ptt_config *config))(uint64_t *values);
	void (*info)(const struct ptt_config *config, struct ptt_info *info);
	/* In a child: what its parent had is not its own. */
	void (*forked)(void);
};
extern const struct ptt_collector ptt_by_driver, ptt_by_perf;

/* How often PttInit was called: what a thread keeps of before is void. */
extern uint32_t ptt_session;

/* Names to metrics: 0 or a code. */
int ptt_find_metrics(struct ptt_config *config, int count, const char *const names[], int priv);
/* Size, version, metrics' names and units. */
void ptt_name_metrics(const struct ptt_config *config, struct ptt_info *info);
/* "metric NAME: …" for an errno of its opening. */
int ptt_refused(const struct ptt_metric *metric, int err);

#endif
