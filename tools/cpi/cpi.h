/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cpi: what its files share. */
#ifndef CPI_H
#define CPI_H

#include <counters.h>
#include <stdbool.h>
#include <stdio.h>
#include "command.h"
#include "form.h"
#include "ai_span.h"

#define EXIT_CPI     COMMAND_FAILED /* with -c, other codes are the command's own */
#define EXIT_MISSING 1              /* in an interval: a counter has no or too small a value */

struct cpi {
	enum form form;
	bool command;        /* -c: words are one */
	bool all;            /* -a: what all CPUs do while it runs */
	int priv;            /* enum trace_priv */
	uint64_t delay, run; /* ns; run 0: until Ctrl-C */
	const char *file;    /* of -o */
	char **words;
};

/* Cycles and instructions, of a command or a CPU. */
struct pair {
	int cpu; /* -1: not of a single CPU */
	uint64_t cycles, instructions;
	uint32_t state; /* the worse of both: enum counter_state */
	bool user_only; /* user code only: the kernel lets this user count no more */
};
struct cpi_result {
	bool of_cpus; /* one pair per CPU, else one pair, the command's */
	struct pair *pair, all;
	int pairs;
	struct span span; /* idle and busy times over the same interval */
	struct ai_info info;
	char no_span[512]; /* the reason why there is no span, or "" */
	uint64_t elapsed;
};

/* Counts as the options say. Returns 0 or an exit code after a message; *status is waitpid's. */
int count(const struct cpi *o, struct cpi_result *r, int *status);
void result_free(struct cpi_result *r);
/* Computes cycles per instruction. Returns false if it is undefined. */
bool cpi_of(const struct pair *p, double *cpi);
/* Returns false if a counter has no value, or too small a one; the output says so. */
bool show(FILE *out, const struct cpi *o, const struct cpi_result *r);

#endif
