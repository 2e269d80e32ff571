/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loads and stores of instructions, if the trace has them: lines between those of runs. */
#ifndef POST_RUN_ACCESS_H
#define POST_RUN_ACCESS_H

#include "report/run_lines.h"

struct run_access {
	struct run at;   /* the instruction, as an empty run: place, mode, doubt */
	struct run data; /* the place of the data address */
	uint64_t address;
	uint32_t bytes;
	bool store;
	bool mapped; /* the name of `data` is meaningful */
};

/* Reads a load or store record, after printing the lines before it. Returns 1, 0 for other records,
 * or -ENOMEM. */
int run_access_read(struct run_lines *l, const struct pirecord *r, struct run_access *a);
/* Ends a line with LOAD or STORE and the size, the address, and its name. */
void access_end(struct run_lines *l, char *p, const struct run_access *a);
/* Returns the bytes needed besides a line's spare room. */
size_t run_access_texts(struct run_lines *l, const struct run_access *a);
/* Writes the line as JSON or CSV (run_columns.c). */
void run_access_columns(struct run_lines *l, const struct run_access *a);

#endif
