/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads and writes of instructions, where the trace has them: lines between those of runs. */
#ifndef POST_RUN_ACCESS_H
#define POST_RUN_ACCESS_H

#include "report/run_lines.h"

struct run_access {
	struct run at;   /* the instruction, as a run of none: place, side, doubt */
	struct run data; /* the place of the address */
	uint64_t address;
	uint32_t bytes;
	bool store;
	bool mapped; /* data's name tells something */
};

/* Is the record one? Then *a is told, behind the lines that came before it. 1, 0, -ENOMEM. */
int run_access_read(struct run_lines *l, const struct pirecord *r, struct run_access *a);
/* End a line with LOAD or STORE and the bytes, the address, and what stands there. */
void access_end(struct run_lines *l, char *p, const struct run_access *a);
/* Bytes that this may need beside a line's spare room. */
size_t run_access_texts(struct run_lines *l, const struct run_access *a);
/* The line for programs (run_columns.c). */
void run_access_columns(struct run_lines *l, const struct run_access *a);

#endif
