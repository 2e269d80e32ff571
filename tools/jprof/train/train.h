/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The options and the state that jprof-train's files share. */
#ifndef TRAIN_H
#define TRAIN_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "passes.h"

struct train {
	const char *metrics; /* -m: names separated by + or commas; NULL: the agent's default */
	const char *file;    /* -c; NULL: the cache's file */
	const char *java;    /* -j; NULL: $JAVA_HOME's, or the one on the PATH */
	uint64_t passes;     /* -n: maximum */
	bool list;           /* -l: each sequence */
	bool floors;         /* -f */
	bool probes;         /* -p */
	char **words;        /* options for the VM */
};

/* State: the agent, the trainer's classes, a temporary folder for logs and compiled classes. */
struct trainer {
	const struct train *how;
	char agent[PATH_MAX], library[PATH_MAX], classes[PATH_MAX];
	char folder[PATH_MAX - 64];
	const char *java;
	char home[PATH_MAX]; /* where the VM is installed */
	struct passes passes;
	char *key;           /* of the measurements; NULL: none yet */
	char file[PATH_MAX]; /* the user's file of minima */
};

/* Returns false after a message. */
bool trainer_begin(struct trainer *t, const struct train *how);
/* Removes the folder. */
void trainer_end(struct trainer *t);
/* Runs one pass. Returns false after a message. If a signal ended it, its measurements so far
 * count. */
bool trainer_run(struct trainer *t, struct pass_changes *changed);
/* Writes the measurements of all passes to the file. Returns false after a message. */
bool trainer_keep(struct trainer *t);

/* Traces the trainer once without the agent, and adds the floors to the file if a metric counts
 * instructions. Returns false after a message. */
bool trainer_floors(struct trainer *t, FILE *out);

/* Prints which of the possible sequences the file has. Returns false after a message. */
bool reached_show(FILE *out, const char *file, bool list);

#endif
