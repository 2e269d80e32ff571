/* SPDX-License-Identifier: GPL-3.0-or-later */
/* jprof-train: what its files share. */
#ifndef TRAIN_H
#define TRAIN_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "passes.h"

struct train {
	const char *metrics; /* of -m: names with + or commas between them; NULL: the agent's own */
	const char *file;    /* of -c; NULL: the cache's */
	const char *java;    /* of -j; NULL: $JAVA_HOME's, or the path's */
	uint64_t passes;     /* at most */
	bool list;           /* each sequence */
	bool floors;         /* of -f */
	bool probes;         /* of -p */
	char **words;        /* options for the VM */
};

/* The program's own: the agent, the trainer's classes, a folder for logs and what it compiles. */
struct trainer {
	const struct train *how;
	char agent[PATH_MAX], library[PATH_MAX], classes[PATH_MAX];
	char folder[PATH_MAX - 64];
	const char *java;
	char home[PATH_MAX]; /* where the VM is installed */
	struct passes passes;
	char *key;           /* of what was measured; NULL: nothing yet */
	char file[PATH_MAX]; /* where it goes */
};

/* false, after a message. */
bool trainer_begin(struct trainer *t, const struct train *how);
/* Removes the folder. */
void trainer_end(struct trainer *t);
/* Runs it once. false, after a message. When a signal has ended it, what it has measured by then
 * counts, if there is anything. */
bool trainer_run(struct trainer *t, struct pass_changes *changed);
/* What all passes have measured goes to the file. false, after a message. */
bool trainer_keep(struct trainer *t);

/* Traces it once, without the agent, and adds the floors to the file, where a metric counts
 * instructions. false, after a message. */
bool trainer_floors(struct trainer *t, FILE *out);

/* Which sequences of those that there can be the file has. false, after a message. */
bool reached_show(FILE *out, const char *file, bool list);

#endif
