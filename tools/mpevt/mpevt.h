/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mpevt: what its files share. */
#ifndef MPEVT_H
#define MPEVT_H

#include <counters.h>
#include <stdbool.h>
#include <stdio.h>
#include "command.h"
#include "cpus.h"
#include "form.h"

#define EXIT_MPEVT   COMMAND_FAILED /* with run, other codes are the command's own */
#define EXIT_MISSING 1              /* read, stop: an event has no value, or too small a one */

struct mpevt {
	enum form form;
	const char *events; /* of -e */
	const char *file;   /* of -o */
	struct cpus cpus;
	bool on_cpus;
	long pid, tid; /* 0: none */
	bool list, described;
	const char *pmu;
	char **words; /* the operands; ends with NULL */
};

/* Each returns an exit code, after a message if it failed. */
int cmd_run(const struct mpevt *m);
int cmd_start(const struct mpevt *m);
int cmd_ask(const struct mpevt *m, bool stop);

/* Parses events from a comma-separated list (or NULL) and from words. Returns their number, or 0
 * after a message. */
unsigned int events_of(const char *some, char *const *words, struct pitrace_event_args *list);
/* Returns the number of CPUs of -c. The caller frees the list. */
unsigned int cpus_of_options(const struct mpevt *m, unsigned int **list);
/* Prints the message of the last library call and returns EXIT_MPEVT. */
int mpevt_failed(int rc);

struct mpevt_result {
	struct counters_held held; /* scope, pid, values, elapsed */
	const struct counter_value *list;
};
/* Returns false if an event has no value, or too small a one; the output says so. */
bool show(FILE *out, enum form form, const struct mpevt_result *r);

#endif
