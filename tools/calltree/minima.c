/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "minima.h"

#include <stdio.h>

#include "escape.h"
#include "metrics.h"

static struct calibration trained;
static struct calibration_file file;

void minima_report(const struct log_rt *log, const char *path)
{
	static bool reported;

	if (!path || !*path || !log->no_file || reported)
		return;
	reported = true;
	escape_printf(stderr, "%s: %s", log->source->program, log->no_file);
	fprintf(stderr, ": only this run's minima are used\n");
}

void minima_learn(struct log_rt *log, const struct calibration *learnt)
{
	uint32_t changed;

	calibration_merge(&trained, learnt);
	if (log->file && !calibration_file_merge(log->file, learnt, log->key, &changed))
		log->no_file = log->file->why;
}

void minima_begin(struct log_rt *log, const char *key, const char *path)
{
	if (!log->values)
		return;
	log->key = key;
	if (!path || calibration_init(&trained, metrics_count()))
		return;
	if (calibration_file_open(&file, *path ? path : NULL, key) &&
	    calibration_file_load(&file, &trained, key)) {
		log->trained = &trained;
		log->file = &file;
		return;
	}
	log->no_file = file.why;
	minima_report(log, path);
}
