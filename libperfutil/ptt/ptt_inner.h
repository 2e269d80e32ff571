/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A program's own PTT, through the driver or perf. */
#ifndef PITRACE_PTT_INNER_H
#define PITRACE_PTT_INNER_H

#include <stdbool.h>
#include <ptt.h>

/* The requested settings. */
struct ptt_config {
	int metrics, threads;
	bool charged;
	/* CYCLES, or an event. */
	struct ptt_metric {
		bool cycles;
		struct pitrace_event_args event;
	} metric[PTT_METRICS];
};

/* The interface of PTT's collectors; ptt_api.c holds its lock around all calls except `reader`s. */
struct ptt_collector {
	const char *name;
	/* PI_DRIVER_NOT_LOADED, PI_NO_PERMISSION, PI_NOT_SUPPORTED: another collector may work. */
	int (*init)(const struct ptt_config *config);
	void (*term)(void);
	int (*add)(int tid);
	int (*remove)(int tid);
	int (*charge)(bool charged);
	int (*read)(int tid, struct ptt_thread_data *data);
	/* Returns the function by which a thread reads its own values. */
	int (*(*reader)(const struct ptt_config *config))(uint64_t *values);
	void (*info)(const struct ptt_config *config, struct ptt_info *info);
	/* In a forked child: the parent's state is invalid. */
	void (*forked)(void);
};
extern const struct ptt_collector ptt_by_driver, ptt_by_perf;

/* The number of PttInit calls: state that a thread keeps from an earlier one is invalid. */
extern uint32_t ptt_session;

/* Resolves names of metrics: 0 or a code. */
int ptt_find_metrics(struct ptt_config *config, int count, const char *const names[], int priv);
/* Fills in size, version, names and units of the metrics. */
void ptt_span_metrics(const struct ptt_config *config); /* spans use these names from now on */
int ptt_span_words(const char *strs[PTT_METRICS]);      /* … their number */
void ptt_name_metrics(const struct ptt_config *config, struct ptt_info *info);
/* Sets "metric NAME: …" for an errno of opening it. */
int ptt_refused(const struct ptt_metric *metric, int err);

#endif
