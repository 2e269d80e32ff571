/* SPDX-License-Identifier: GPL-3.0-or-later */
/* jprof-train: what its files share. */
#ifndef TRAIN_H
#define TRAIN_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

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
	char agent[PATH_MAX], classes[PATH_MAX], folder[PATH_MAX];
	const char *java;
	char file[PATH_MAX]; /* where the minima went, as the agent says */
};

/* false, after a message. */
bool trainer_begin(struct trainer *t, const struct train *how);
/* Removes the folder. */
void trainer_end(struct trainer *t);
/* Runs it once: how many minima are new or less. false, after a message. */
bool trainer_run(struct trainer *t, uint32_t *changed);

/* Traces it once, without the agent, and adds the floors to the file: for metrics that count
 * instructions. false, after a message. */
bool trainer_floors(struct trainer *t, FILE *out);

/* For both: starts a program, its standard output and error (NULL: left as it is) in these files,
 * and waits. *status as of waitpid; false, after a message: it cannot be started. */
bool run_program(char *const words[], const char *out, const char *err, int *status, pid_t *pid);

/* Which sequences of those that there can be the file has. false, after a message. */
bool reached_show(FILE *out, const char *file, bool list);

#endif
