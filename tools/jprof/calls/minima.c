/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "minima.h"

#include <stdio.h>

#include "calibration_key.h"
#include "escape.h"
#include "metrics.h"

static char key[4096]; /* what they are of */
static struct calibration trained;
static struct calibration_file file;

void minima_tell(const struct log_rt *log, const struct agent_options *o)
{
	static bool told;

	if (!*o->minima || !log->no_file || told)
		return;
	told = true;
	escape_printf(stderr, "%s: %s", agent_kind.name, log->no_file);
	fprintf(stderr, ": minima are of this run alone\n");
}

void minima_begin(struct log_rt *log, jvmtiEnv *vm, const struct agent_options *o)
{
	if (!log->values)
		return;
	key_here(key, sizeof(key), vm);
	key_add(key, sizeof(key), "events", o->probes ? "the VM's probes" : "changed classes");
	log->key = key;
	if (o->no_minima || calibration_init(&trained, metrics_count()))
		return;
	if (calibration_file_open(&file, *o->minima ? o->minima : NULL, key) &&
	    calibration_file_load(&file, &trained, key)) {
		log->trained = &trained;
		log->file = &file;
		return;
	}
	log->no_file = file.why;
	minima_tell(log, o);
}
