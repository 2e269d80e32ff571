/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What instructions read and write, where the trace has it: lines between those of runs. */
#ifndef POST_RUN_ACCESS_H
#define POST_RUN_ACCESS_H

#include "report/run_lines.h"

struct run_access {
	struct run at;			/* the instruction, as a run of none: place, side, doubt */
	struct run data;		/* what stands at the address */
	uint64_t address;
	uint32_t bytes;
	bool store;
	bool mapped;			/* data's name tells something */
};

/* Is the record one? Then *a is told, behind the lines that came before it. 1, 0, -ENOMEM. */
int run_access_read(struct run_lines *l, const struct pirecord *r, struct run_access *a);
/* LOAD or STORE with the bytes; the address, and what stands there. */
char *put_access(char *p, const struct run_access *a);
char *put_access_data(char *p, struct run_lines *l, const struct run_access *a);
/* Bytes that the latter may need beside a line's spare room. */
size_t run_access_texts(struct run_lines *l, const struct run_access *a);
/* The line as JSON. */
void run_access_json(struct run_lines *l, const struct run_access *a);

#endif
